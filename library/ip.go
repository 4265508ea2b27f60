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

// IPType is the CEL type of IP addresses.
var IPType = cel.OpaqueType("net.IP")

// IP is the library of IP addresses.
func IP() Library {
	return Library{
		Name:  "kubernetes.net.ip",
		Doc:   "Parses and classifies IP addresses.",
		Since: release.Minor(30),
		Types: []Type{{CEL: IPType, Named: true, Doc: "An IPv4 or IPv6 address.", EqualCost: cost.Fixed(1), EqualSince: equalSince()}},
		Functions: []Function{{
			Name: "ip",
			Doc:  "Parses an IPv4 or IPv6 address. Addresses with a zone and IPv4-mapped IPv6 addresses are errors.",
			Overloads: []Overload{{
				ID: "string_to_ip", Args: args(cel.StringType), Result: IPType,
				Impl: Unary(func(s types.String) (IPValue, error) { return ParseIP(string(s)) }),
				Released: Unary(func(s types.String) (IPValue, error) {
					ip, err := ParseIP(string(s))
					return NewIP(ip.addr), err
				}),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `ip('127.0.0.1').family()`, Want: `4`},
					{Expr: `ip('0::1') == ip('::1')`, Want: `true`},
					{Expr: `ip('127.0.0.300')`, Err: `IP Address "127.0.0.300" parse error during conversion from string`},
					{Expr: `ip('fe80::1%eth0')`, Err: `IP address "fe80::1%eth0" with zone value is not allowed`},
					{Expr: `ip('::ffff:1.2.3.4')`, Err: `IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed`},
				},
			}},
		}, {
			Name: "isIP",
			Doc:  "Tells whether a string is an IP address that `ip` accepts.",
			Overloads: []Overload{{
				ID: "is_ip", Args: args(cel.StringType), Result: cel.BoolType,
				Impl: Unary(func(s types.String) (types.Bool, error) {
					_, err := ParseIP(string(s))
					return err == nil, nil
				}),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `isIP('127.0.0.1')`, Want: `true`},
					{Expr: `isIP('::ffff:1.2.3.4')`, Want: `false`},
				},
			}},
		}, {
			Name: "ip.isCanonical",
			Doc:  "Tells whether an address is written in its canonical form, of which there is one for each address (RFC 5952).",
			Overloads: []Overload{{
				ID: "ip_is_canonical", Args: args(cel.StringType), Result: cel.BoolType,
				Impl: Unary(func(s types.String) (types.Bool, error) {
					ip, err := ParseIP(string(s))
					return types.Bool(ip.IsCanonical()), err
				}),
				// Parsing, and comparing what was parsed with the text.
				Cost: cost.Scaled(cost.Arg(0), 2*cost.StringFactor),
				Examples: []Example{
					{Expr: `ip.isCanonical('2001:db8::abcd')`, Want: `true`},
					{Expr: `ip.isCanonical('2001:DB8::ABCD')`, Want: `false`},
					{Expr: `ip.isCanonical('2001:db8:::abcd')`, Err: `IP Address "2001:db8:::abcd" parse error`},
				},
			}},
		}, {
			Name: "isCanonical",
			Doc:  "Tells whether an address was written in its canonical form. Addresses that were not parsed are.",
			Overloads: []Overload{{
				ID: "ip_member_is_canonical", Member: true, Args: args(IPType), Result: cel.BoolType, Beyond: true,
				Impl: Unary(func(ip IPValue) (types.Bool, error) { return types.Bool(ip.IsCanonical()), nil }),
				Cost: cost.Fixed(1),
				Examples: []Example{
					{Expr: `ip('2001:db8::abcd').isCanonical()`, Want: `true`},
					{Expr: `ip('2001:DB8::ABCD').isCanonical()`, Want: `false`},
				},
			}},
		}, {
			Name: "family",
			Doc:  "Returns 4 for an IPv4 and 6 for an IPv6 address.",
			Overloads: []Overload{{
				ID: "ip_family", Member: true, Args: args(IPType), Result: cel.IntType,
				Impl: Unary(family),
				Cost: cost.Fixed(1),
				Examples: []Example{
					{Expr: `ip('127.0.0.1').family()`, Want: `4`},
					{Expr: `ip('::1').family()`, Want: `6`},
				},
			}},
		},
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
			stringOf("ip_to_string", IPType, Unary(func(ip IPValue) (types.String, error) { return types.String(ip.String()), nil }),
				Example{Expr: `string(ip('2001:DB8::ABCD'))`, Want: `'2001:db8::abcd'`}),
		},
	}
}

func ipPredicate(name, id, doc string, is func(netip.Addr) bool, yes, no string) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: id, Member: true, Args: args(IPType), Result: cel.BoolType,
			Impl: Unary(func(ip IPValue) (types.Bool, error) { return types.Bool(is(ip.addr)), nil }),
			Cost: cost.Fixed(1),
			Examples: []Example{
				{Expr: yes + "." + name + "()", Want: `true`},
				{Expr: no + "." + name + "()", Want: `false`},
			},
		}},
	}
}

// stringOf adds a conversion to the string function of the language.
func stringOf(id string, from *cel.Type, impl Impl, examples ...Example) Function {
	return Function{
		Name: "string",
		Doc:  "Converts a value to its text.",
		Overloads: []Overload{{
			ID: id, Args: args(from), Result: cel.StringType,
			Impl: impl, Cost: cost.Fixed(1), Examples: examples,
		}},
	}
}

func family(ip IPValue) (types.Int, error) {
	switch {
	case ip.addr.Is4():
		return 4, nil
	case ip.addr.Is6():
		return 6, nil
	}
	return 0, fmt.Errorf("IP address %q is not an IPv4 or IPv6 address", ip.addr)
}

// IPValue is the CEL value of an IP address. The zero value is not an address:
// its family is an error.
//
// A parsed value remembers whether its text was canonical. Equal ignores that;
// the == of Go does not, so compare values with Equal, and addresses with ==.
type IPValue struct {
	addr netip.Addr
	// loose is true if the text was not canonical.
	loose bool
}

// NewIP returns the value of an address. Unlike ParseIP it takes any address.
func NewIP(addr netip.Addr) IPValue { return IPValue{addr: addr} }

// ParseIP parses an IPv4 or IPv6 address. Addresses with a zone and IPv4-mapped
// IPv6 addresses are errors. The error is that of the CEL function ip.
func ParseIP(s string) (IPValue, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return IPValue{}, fmt.Errorf("IP Address %q parse error during conversion from string: %w", s, err)
	case addr.Zone() != "":
		return IPValue{}, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case addr.Is4In6():
		return IPValue{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return IPValue{addr: addr, loose: addr.String() != s}, nil
}

// Addr returns the address.
func (ip IPValue) Addr() netip.Addr { return ip.addr }

// IsCanonical tells whether the address was written in its canonical form. It
// is true for an address that was not parsed.
func (ip IPValue) IsCanonical() bool { return !ip.loose }

// String returns the canonical form.
func (ip IPValue) String() string { return ip.addr.String() }

// ConvertToNative converts to netip.Addr or to a string.
func (ip IPValue) ConvertToNative(to reflect.Type) (any, error) {
	return native("IP", to, ip.addr, ip.String())
}

// ConvertToType converts to the IP type itself, to the type of types and to a
// string.
func (ip IPValue) ConvertToType(to ref.Type) ref.Val {
	if to == types.StringType {
		return types.String(ip.String())
	}
	return convert(ip, IPType, to)
}

// Equal tells whether two addresses are the same, however they were written.
func (ip IPValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(IPValue)
	if !ok {
		return types.ValOrErr(other, "no such overload")
	}
	return types.Bool(ip.addr == o.addr)
}

// Type returns [IPType].
func (ip IPValue) Type() ref.Type { return IPType }

// Value returns the address as netip.Addr.
func (ip IPValue) Value() any { return ip.addr }

// Size returns the number of bytes of the address, for the cost model.
func (ip IPValue) Size() ref.Val { return types.Int(ip.addr.BitLen() / 8) }
