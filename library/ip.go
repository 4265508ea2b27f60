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

// IPType is the CEL type of IP addresses. Its values are made by [NewIP].
func IPType() *cel.Type { return ipClass.typ }

// ipLibrary is the library of IP addresses.
func ipLibrary() Library {
	typ := ipClass.typ
	parse := global("string_to_ip", args(cel.StringType), typ, cost.Scan(cost.Arg(0))).by(parser(parseIP),
		Example{Expr: `ip('127.0.0.1').family()`, Want: `4`},
		Example{Expr: `ip('0::1') == ip('::1')`, Want: `true`},
		Example{Expr: `ip('127.0.0.300')`, Err: `IP Address "127.0.0.300" parse error during conversion from string`},
		Example{Expr: `ip('fe80::1%eth0')`, Err: `IP address "fe80::1%eth0" with zone value is not allowed`},
		Example{Expr: `ip('::ffff:1.2.3.4')`, Err: `IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed`})
	// On a server, addresses are equal keys of a map however they are written.
	parse.released = parser(func(s string) (ipValue, error) {
		ip, err := parseIP(s)
		return ipValue{ipData{addr: ip.v.addr}}, err
	})
	return Library{
		Name:  "kubernetes.net.ip",
		Doc:   "Parses and classifies IP addresses.",
		since: release.Minor(30),
		Types: []Type{{CEL: typ, Named: true, Doc: "An IPv4 or IPv6 address.", EqualCost: cost.Fixed(1), equalSince: equalSince()}},
		Functions: []Function{
			function("ip", "Parses an IPv4 or IPv6 address. Addresses with a zone and IPv4-mapped IPv6 addresses are errors.", parse),
			ofString("isIP", "Tells whether a string is an IP address that `ip` accepts.",
				"is_ip", cel.BoolType, cost.Scan(cost.Arg(0)), accepts(parseIP),
				Example{Expr: `isIP('127.0.0.1')`, Want: `true`},
				Example{Expr: `isIP('::ffff:1.2.3.4')`, Want: `false`}),
			ofString("ip.isCanonical", "Tells whether an address is written in its canonical form, of which there is one for each address (RFC 5952).",
				// Parsing, and comparing what was parsed with the text.
				"ip_is_canonical", cel.BoolType, cost.Scaled(cost.Arg(0), 2*cost.StringFactor), parser(func(s string) (types.Bool, error) {
					ip, err := parseIP(s)
					return types.Bool(!ip.v.loose), err
				}),
				Example{Expr: `ip.isCanonical('2001:db8::abcd')`, Want: `true`},
				Example{Expr: `ip.isCanonical('2001:DB8::ABCD')`, Want: `false`},
				Example{Expr: `ip.isCanonical('2001:db8:::abcd')`, Err: `IP Address "2001:db8:::abcd" parse error`}),
			function("isCanonical", "Tells whether an address was written in its canonical form. Addresses that were not parsed are.",
				member("ip_member_is_canonical", args(typ), cel.BoolType, cost.Fixed(1)).by(
					reader(func(ip ipData) types.Bool { return types.Bool(!ip.loose) }),
					Example{Expr: `ip('2001:db8::abcd').isCanonical()`, Want: `true`},
					Example{Expr: `ip('2001:DB8::ABCD').isCanonical()`, Want: `false`}).documented()),
			method("family", "Returns 4 for an IPv4 and 6 for an IPv6 address.",
				"ip_family", args(typ), cel.IntType, Unary(family),
				Example{Expr: `ip('127.0.0.1').family()`, Want: `4`},
				Example{Expr: `ip('::1').family()`, Want: `6`}),
			ipPredicate("isUnspecified", "ip_is_unspecified", "Tells whether an address is 0.0.0.0 or ::.",
				netip.Addr.IsUnspecified, `ip('::')`, `ip('127.0.0.1')`),
			ipPredicate("isLoopback", "ip_is_loopback", "Tells whether an address is in 127.0.0.0/8 or is ::1.",
				netip.Addr.IsLoopback, `ip('127.1.2.3')`, `ip('::2')`),
			ipPredicate("isLinkLocalMulticast", "ip_is_link_local_multicast", "Tells whether an address is in 224.0.0.0/24 or ff02::/16.",
				netip.Addr.IsLinkLocalMulticast, `ip('ff02::1')`, `ip('224.0.1.1')`),
			ipPredicate("isLinkLocalUnicast", "ip_is_link_local_unicast", "Tells whether an address is in 169.254.0.0/16 or fe80::/10.",
				netip.Addr.IsLinkLocalUnicast, `ip('169.254.169.254')`, `ip('fd80::1')`),
			ipPredicate("isGlobalUnicast", "ip_is_global_unicast",
				"Tells whether an address is for one host beyond the link; those of private networks are too.",
				netip.Addr.IsGlobalUnicast, `ip('192.168.0.1')`, `ip('255.255.255.255')`),
			stringOf("ip_to_string", &ipClass,
				Example{Expr: `string(ip('2001:DB8::ABCD'))`, Want: `'2001:db8::abcd'`}),
		},
	}
}

func ipPredicate(name, id, doc string, is func(netip.Addr) bool, yes, no string) Function {
	return method(name, doc,
		id, args(ipClass.typ), cel.BoolType, reader(func(ip ipData) types.Bool { return types.Bool(is(ip.addr)) }),
		Example{Expr: yes + "." + name + "()", Want: `true`},
		Example{Expr: no + "." + name + "()", Want: `false`})
}

func family(ip ipValue) (types.Int, error) {
	switch {
	case ip.v.addr.Is4():
		return 4, nil
	case ip.v.addr.Is6():
		return 6, nil
	}
	return 0, fmt.Errorf("IP address %q is not an IPv4 or IPv6 address", ip.v.addr)
}

// ipData is an IP address. The zero value is not an address: its family is an
// error.
type ipData struct {
	addr netip.Addr
	// loose is true if the address was parsed and its text was not canonical.
	loose bool
}

type ipValue = object[ipData]

var ipClass = class[ipData]{
	typ: cel.OpaqueType("net.IP"), name: "IP", toString: true,
	value: func(ip ipData) any { return ip.addr },
	text:  func(ip ipData) string { return ip.addr.String() },
	equal: func(x, y ipData) (bool, bool) { return x.addr == y.addr, true },
	size:  func(ip ipData) int { return ip.addr.BitLen() / 8 },
}

func (ipData) class() *class[ipData] { return &ipClass }

// NewIP returns the CEL value of an address. Its Value is the netip.Addr. Unlike
// the CEL function ip it takes any address.
func NewIP(addr netip.Addr) ref.Val { return ipValue{ipData{addr: addr}} }

// parseIP parses an IPv4 or IPv6 address without a zone. An IPv4-mapped IPv6
// address is an error.
func parseIP(s string) (ipValue, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return ipValue{}, fmt.Errorf("IP Address %q parse error during conversion from string: %w", s, err)
	case addr.Zone() != "":
		return ipValue{}, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case addr.Is4In6():
		return ipValue{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return ipValue{ipData{addr: addr, loose: addr.String() != s}}, nil
}
