package library

import (
	"fmt"
	"net/netip"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// CIDRType is the CEL type of networks in CIDR notation. Its values are made by
// [NewCIDR].
func CIDRType() *cel.Type { return cidrClass.typ }

// cidrLibrary is the library of networks in CIDR notation. It needs that of
// addresses.
func cidrLibrary() Library {
	typ := cidrClass.typ
	// The bytes that the prefix covers are compared twice.
	containsIP := cost.Scaled(cost.Between(4, 16, 0), 2*cost.StringFactor)
	// Besides, the base is masked and the lengths of the prefixes are compared.
	containsCIDR := cost.Sum(containsIP, cost.Scan(cost.Between(4, 16, 0)), cost.Fixed(1))
	parse := cost.Scan(cost.Arg(1))
	return Library{
		Name:  "kubernetes.net.cidr",
		Doc:   "Parses networks in CIDR notation and tells what they contain.",
		since: release.Minor(30),
		Types: []Type{{CEL: typ, Named: true, Doc: "An IPv4 or IPv6 network: an address and the length of a prefix.", EqualCost: cost.Fixed(1), equalSince: equalSince()}},
		Functions: []Function{
			ofString("cidr", "Parses a network in CIDR notation. IPv4-mapped IPv6 addresses and addresses with a zone are errors.",
				"string_to_cidr", typ, cost.Scan(cost.Arg(0)), parser(parseCIDR),
				Example{Expr: `cidr('192.168.0.0/16').prefixLength()`, Want: `16`},
				Example{Expr: `cidr('192.168.0.0')`, Err: "network address parse error during conversion from string"},
				Example{Expr: `cidr('::ffff:1.2.3.0/24')`, Err: `IPv4-mapped IPv6 address "::ffff:1.2.3.0/24" is not allowed`}),
			ofString("isCIDR", "Tells whether a string is a network that `cidr` accepts.",
				"is_cidr", cel.BoolType, cost.Scan(cost.Arg(0)), accepts(parseCIDR),
				Example{Expr: `isCIDR('::1/64')`, Want: `true`},
				Example{Expr: `isCIDR('192.168.0.0/33')`, Want: `false`}),
			{
				Name: "containsIP",
				Doc:  "Tells whether a network contains an address.",
				// A call that is dispatched dynamically is not charged for parsing.
				DynamicCost: containsIP,
				Overloads: []Overload{
					member("cidr_contains_ip_string", args(typ, cel.StringType), cel.BoolType, cost.Sum(containsIP, parse)).by(
						Binary(func(net cidrValue, s types.String) (ref.Val, error) {
							ip, err := parseIP(string(s))
							if err != nil {
								// API servers lose the reason here, though not in containsCIDR.
								return types.MaybeNoSuchOverloadErr(net), nil
							}
							return types.Bool(net.v.Contains(ip.v.addr)), nil
						}),
						Example{Expr: `cidr('192.168.0.0/24').containsIP('192.168.0.1')`, Want: `true`},
						Example{Expr: `cidr('192.168.0.0/24').containsIP('::1')`, Want: `false`},
						Example{Expr: `cidr('192.168.0.0/24').containsIP('192.168.0.300')`, Err: "no such overload"}),
					member("cidr_contains_ip_ip", args(typ, ipClass.typ), cel.BoolType, containsIP).by(
						Binary(func(net cidrValue, ip ipValue) (types.Bool, error) {
							return types.Bool(net.v.Contains(ip.v.addr)), nil
						}),
						Example{Expr: `cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))`, Want: `true`},
						Example{Expr: `cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))`, Want: `false`}),
				},
			},
			{
				Name:        "containsCIDR",
				Doc:         "Tells whether a network contains all of another.",
				DynamicCost: containsCIDR,
				Overloads: []Overload{
					member("cidr_contains_cidr_string", args(typ, cel.StringType), cel.BoolType, cost.Sum(containsCIDR, parse)).by(
						Binary(func(net cidrValue, s types.String) (types.Bool, error) {
							other, err := parseCIDR(string(s))
							return types.Bool(err == nil && net.v.contains(other.v)), err
						}),
						Example{Expr: `cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')`, Want: `true`},
						Example{Expr: `cidr('192.168.10.0/24').containsCIDR('192.168.0.0/16')`, Want: `false`},
						Example{Expr: `cidr('192.168.0.0/16').containsCIDR('192.168.0.0')`, Err: "network address parse error during conversion from string"}),
					member("cidr_contains_cidr", args(typ, typ), cel.BoolType, containsCIDR).by(
						Binary(func(net, other cidrValue) (types.Bool, error) { return types.Bool(net.v.contains(other.v)), nil }),
						Example{Expr: `cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))`, Want: `true`},
						Example{Expr: `cidr('192.168.0.0/16').containsCIDR(cidr('::/0'))`, Want: `false`}),
				},
			},
			{
				Name: "ip",
				Doc:  "Returns the address of a network as it was written.",
				// An API server prices a dynamically dispatched call as ip(string).
				DynamicCost: cost.Scan(cost.Arg(0)),
				Overloads: []Overload{
					member("cidr_ip", args(typ), ipClass.typ, cost.Fixed(1)).by(
						reader(func(net cidrData) ipValue { return ipValue{ipData{addr: net.Addr()}} }),
						Example{Expr: `cidr('192.168.0.1/24').ip()`, Want: `ip('192.168.0.1')`}),
				},
			},
			method("prefixLength", "Returns the length of the prefix in bits.",
				"cidr_prefix_length", args(typ), cel.IntType, reader(func(net cidrData) types.Int { return types.Int(net.Bits()) }),
				Example{Expr: `cidr('::1/64').prefixLength()`, Want: `64`}),
			method("masked", "Returns the network with all bits zero that are beyond the prefix.",
				"cidr_masked", args(typ), typ, reader(func(net cidrData) cidrValue { return cidrValue{cidrData{net.Masked()}} }),
				Example{Expr: `cidr('192.168.0.1/24').masked()`, Want: `cidr('192.168.0.0/24')`}),
			stringOf("cidr_to_string", &cidrClass,
				Example{Expr: `string(cidr('2001:DB8::/32'))`, Want: `'2001:db8::/32'`}),
		},
	}
}

// cidrData is a network. The zero value is no network and contains nothing.
type cidrData struct{ netip.Prefix }

type cidrValue = object[cidrData]

var cidrClass = class[cidrData]{
	typ: cel.OpaqueType("net.CIDR"), name: "CIDR", toString: true,
	value: func(net cidrData) any { return net.Prefix },
	text:  cidrData.String,
	// Bits beyond the prefix count.
	equal: func(x, y cidrData) (bool, bool) { return x == y, true },
	// The bytes that the prefix covers, rounded up.
	size: func(net cidrData) int { return max(0, net.Bits()+7) / 8 },
}

func (cidrData) class() *class[cidrData] { return &cidrClass }

func (net cidrData) contains(other cidrData) bool {
	return net.Overlaps(other.Prefix) && net.Bits() <= other.Bits()
}

// NewCIDR returns the CEL value of a network. Its Value is the netip.Prefix.
// Unlike the CEL function cidr it takes any prefix.
func NewCIDR(prefix netip.Prefix) ref.Val { return cidrValue{cidrData{prefix}} }

// parseCIDR parses a network in CIDR notation. IPv4-mapped IPv6 addresses and
// addresses with a zone are errors.
func parseCIDR(s string) (cidrValue, error) {
	// API servers say what this is about twice if the syntax is wrong.
	const about = "network address parse error during conversion from string: "
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return cidrValue{}, fmt.Errorf(about+about+"%w", err)
	}
	if prefix.Addr().Is4In6() {
		return cidrValue{}, fmt.Errorf(about+"IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return cidrValue{cidrData{prefix}}, nil
}
