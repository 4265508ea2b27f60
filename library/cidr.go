package library

import (
	"fmt"
	"net/netip"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// CIDRType is the CEL type of networks in CIDR notation.
var CIDRType = cel.OpaqueType("net.CIDR")

// CIDR is the library of networks in CIDR notation. It needs [IP].
func CIDR() Library {
	// Two comparisons of as many bytes as the prefix covers.
	containsIP := cost.Scaled(cost.Between(4, 16, 0), 2*cost.StringFactor)
	// The base is masked besides, and the lengths of the prefixes are compared.
	containsCIDR := cost.Sum(containsIP, cost.Scan(cost.Between(4, 16, 0)), cost.Fixed(1))
	parse := cost.Scan(cost.Arg(1))
	return Library{
		Name:  "kubernetes.net.cidr",
		Doc:   "Parses networks in CIDR notation and tells what they contain.",
		Since: release.Minor(30),
		Types: []Type{{CEL: CIDRType, Named: true, Doc: "An IPv4 or IPv6 network: an address and the length of a prefix.", EqualCost: cost.Fixed(1), EqualSince: equalSince()}},
		Functions: []Function{{
			Name: "cidr",
			Doc:  "Parses a network in CIDR notation. IPv4-mapped IPv6 addresses and addresses with a zone are errors.",
			Overloads: []Overload{{
				ID: "string_to_cidr", Args: args(cel.StringType), Result: CIDRType,
				Impl: Unary(func(s types.String) (CIDRValue, error) { return ParseCIDR(string(s)) }),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `cidr('192.168.0.0/16').prefixLength()`, Want: `16`},
					{Expr: `cidr('192.168.0.0')`, Err: "network address parse error during conversion from string"},
					{Expr: `cidr('::ffff:1.2.3.0/24')`, Err: `IPv4-mapped IPv6 address "::ffff:1.2.3.0/24" is not allowed`},
				},
			}},
		}, {
			Name: "isCIDR",
			Doc:  "Tells whether a string is a network that `cidr` accepts.",
			Overloads: []Overload{{
				ID: "is_cidr", Args: args(cel.StringType), Result: cel.BoolType,
				Impl: Unary(func(s types.String) (types.Bool, error) {
					_, err := ParseCIDR(string(s))
					return err == nil, nil
				}),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `isCIDR('::1/64')`, Want: `true`},
					{Expr: `isCIDR('192.168.0.0/33')`, Want: `false`},
				},
			}},
		}, {
			Name: "containsIP",
			Doc:  "Tells whether a network contains an address.",
			// By name, API servers do not charge for parsing a string.
			DynamicCost: containsIP,
			Overloads: []Overload{{
				ID: "cidr_contains_ip_string", Member: true, Args: args(CIDRType, cel.StringType), Result: cel.BoolType,
				Impl: Binary(func(net CIDRValue, s types.String) (ref.Val, error) {
					ip, err := ParseIP(string(s))
					if err != nil {
						// API servers lose the reason here, though not in containsCIDR.
						return types.MaybeNoSuchOverloadErr(net), nil
					}
					return types.Bool(net.prefix.Contains(ip.addr)), nil
				}),
				Cost: cost.Sum(containsIP, parse),
				Examples: []Example{
					{Expr: `cidr('192.168.0.0/24').containsIP('192.168.0.1')`, Want: `true`},
					{Expr: `cidr('192.168.0.0/24').containsIP('::1')`, Want: `false`},
					{Expr: `cidr('192.168.0.0/24').containsIP('192.168.0.300')`, Err: "no such overload"},
				},
			}, {
				ID: "cidr_contains_ip_ip", Member: true, Args: args(CIDRType, IPType), Result: cel.BoolType,
				Impl: Binary(func(net CIDRValue, ip IPValue) (types.Bool, error) {
					return types.Bool(net.prefix.Contains(ip.addr)), nil
				}),
				Cost: containsIP,
				Examples: []Example{
					{Expr: `cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))`, Want: `true`},
					{Expr: `cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))`, Want: `false`},
				},
			}},
		}, {
			Name:        "containsCIDR",
			Doc:         "Tells whether a network contains all of another.",
			DynamicCost: containsCIDR,
			Overloads: []Overload{{
				ID: "cidr_contains_cidr_string", Member: true, Args: args(CIDRType, cel.StringType), Result: cel.BoolType,
				Impl: Binary(func(net CIDRValue, s types.String) (types.Bool, error) {
					other, err := ParseCIDR(string(s))
					return types.Bool(err == nil && net.contains(other)), err
				}),
				Cost: cost.Sum(containsCIDR, parse),
				Examples: []Example{
					{Expr: `cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')`, Want: `true`},
					{Expr: `cidr('192.168.10.0/24').containsCIDR('192.168.0.0/16')`, Want: `false`},
					{Expr: `cidr('192.168.0.0/16').containsCIDR('192.168.0.0')`, Err: "network address parse error during conversion from string"},
				},
			}, {
				ID: "cidr_contains_cidr", Member: true, Args: args(CIDRType, CIDRType), Result: cel.BoolType,
				Impl: Binary(func(net, other CIDRValue) (types.Bool, error) { return types.Bool(net.contains(other)), nil }),
				Cost: containsCIDR,
				Examples: []Example{
					{Expr: `cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))`, Want: `true`},
					{Expr: `cidr('192.168.0.0/16').containsCIDR(cidr('::/0'))`, Want: `false`},
				},
			}},
		}, {
			Name: "ip",
			Doc:  "Returns the address of a network as it was written.",
			// By name, API servers cannot tell this from the parser ip(string).
			DynamicCost: cost.Scan(cost.Arg(0)),
			Overloads: []Overload{{
				ID: "cidr_ip", Member: true, Args: args(CIDRType), Result: IPType,
				Impl:     Unary(func(net CIDRValue) (IPValue, error) { return NewIP(net.prefix.Addr()), nil }),
				Cost:     cost.Fixed(1),
				Examples: []Example{{Expr: `cidr('192.168.0.1/24').ip()`, Want: `ip('192.168.0.1')`}},
			}},
		}, {
			Name: "prefixLength",
			Doc:  "Returns the length of the prefix in bits.",
			Overloads: []Overload{{
				ID: "cidr_prefix_length", Member: true, Args: args(CIDRType), Result: cel.IntType,
				Impl:     Unary(func(net CIDRValue) (types.Int, error) { return types.Int(net.prefix.Bits()), nil }),
				Cost:     cost.Fixed(1),
				Examples: []Example{{Expr: `cidr('::1/64').prefixLength()`, Want: `64`}},
			}},
		}, {
			Name: "masked",
			Doc:  "Returns the network with all bits zero that are beyond the prefix.",
			Overloads: []Overload{{
				ID: "cidr_masked", Member: true, Args: args(CIDRType), Result: CIDRType,
				Impl:     Unary(func(net CIDRValue) (CIDRValue, error) { return NewCIDR(net.prefix.Masked()), nil }),
				Cost:     cost.Fixed(1),
				Examples: []Example{{Expr: `cidr('192.168.0.1/24').masked()`, Want: `cidr('192.168.0.0/24')`}},
			}},
		},
			stringOf("cidr_to_string", CIDRType, Unary(func(net CIDRValue) (types.String, error) { return types.String(net.String()), nil }),
				Example{Expr: `string(cidr('2001:DB8::/32'))`, Want: `'2001:db8::/32'`}),
		},
	}
}

// CIDRValue is the CEL value of a network in CIDR notation. The zero value is
// no network and contains nothing. Values are comparable.
type CIDRValue struct{ prefix netip.Prefix }

// NewCIDR returns the value of a network. Unlike ParseCIDR it takes any prefix.
func NewCIDR(prefix netip.Prefix) CIDRValue { return CIDRValue{prefix} }

// ParseCIDR parses a network in CIDR notation. IPv4-mapped IPv6 addresses and
// addresses with a zone are errors. The error is that of the CEL function cidr.
func ParseCIDR(s string) (CIDRValue, error) {
	// API servers say what this is about twice if the syntax is wrong.
	const about = "network address parse error during conversion from string: "
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return CIDRValue{}, fmt.Errorf(about+about+"%w", err)
	}
	if prefix.Addr().Is4In6() {
		return CIDRValue{}, fmt.Errorf(about+"IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return CIDRValue{prefix}, nil
}

// Prefix returns the network.
func (c CIDRValue) Prefix() netip.Prefix { return c.prefix }

func (c CIDRValue) contains(o CIDRValue) bool {
	return c.prefix.Overlaps(o.prefix) && c.prefix.Bits() <= o.prefix.Bits()
}

// String returns the network in CIDR notation.
func (c CIDRValue) String() string { return c.prefix.String() }

// ConvertToNative converts to netip.Prefix or to a string.
func (c CIDRValue) ConvertToNative(to reflect.Type) (any, error) {
	return native("CIDR", to, c.prefix, c.String())
}

// ConvertToType converts to the CIDR type itself, to the type of types and to a
// string.
func (c CIDRValue) ConvertToType(to ref.Type) ref.Val {
	if to == types.StringType {
		return types.String(c.String())
	}
	return convert(c, CIDRType, to)
}

// Equal tells whether address and prefix length are the same, bits beyond the
// prefix included.
func (c CIDRValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(CIDRValue)
	if !ok {
		return types.ValOrErr(other, "no such overload")
	}
	return types.Bool(c == o)
}

// Type returns [CIDRType].
func (c CIDRValue) Type() ref.Type { return CIDRType }

// Value returns the network as netip.Prefix.
func (c CIDRValue) Value() any { return c.prefix }

// Size returns the number of bytes that the prefix covers, rounded up, for the
// cost model.
func (c CIDRValue) Size() ref.Val { return types.Int(max(0, c.prefix.Bits()+7) / 8) }
