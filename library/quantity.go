package library

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// QuantityType is the CEL type of resource quantities.
var QuantityType = cel.ObjectType("kubernetes.Quantity")

// Quantity is the library of resource quantities such as 1.5G, 512k or 20Mi.
func Quantity() Library {
	sign := func(q QuantityValue) (types.Int, error) {
		n := q.get()
		return types.Int(n.Sign()), nil
	}
	return Library{
		Name:  "kubernetes.quantity",
		Doc:   "Parses resource quantities, compares them and calculates with them.",
		Since: release.Minor(28),
		Types: []Type{{CEL: QuantityType, Doc: "A resource quantity.", EqualCost: cost.Fixed(1), EqualSince: equalSince()}},
		Functions: []Function{{
			Name: "quantity",
			Doc:  "Parses a resource quantity.",
			Overloads: []Overload{{
				ID: "string_to_quantity", Args: args(cel.StringType), Result: QuantityType,
				Impl: Unary(func(s types.String) (QuantityValue, error) { return ParseQuantity(string(s)) }),
				Cost: cost.Scan(cost.Arg(0)), Earlier: unpricedQuantities(),
				Examples: []Example{
					{Expr: `quantity('1.5G') == quantity('1500M')`, Want: `true`},
					{Expr: `quantity('Three Mebibytes')`, Err: "quantities must match the regular expression"},
				},
			}},
		}, {
			Name: "isQuantity",
			Doc:  "Tells whether a string is a quantity that `quantity` accepts.",
			Overloads: []Overload{{
				ID: "is_quantity_string", Args: args(cel.StringType), Result: cel.BoolType,
				Impl: Unary(func(s types.String) (types.Bool, error) {
					_, err := ParseQuantity(string(s))
					return err == nil, nil
				}),
				Cost: cost.Scan(cost.Arg(0)), Earlier: unpricedQuantities(),
				Examples: []Example{
					{Expr: `isQuantity('20Mi')`, Want: `true`},
					{Expr: `isQuantity('20Mib')`, Want: `false`},
				},
			}},
		}, {
			Name: "sign",
			Doc:  "Returns 1 for a positive quantity, -1 for a negative one and 0 for zero.",
			Overloads: []Overload{{
				ID: "quantity_sign", Args: args(QuantityType), Result: cel.IntType,
				Impl: Unary(sign),
				Cost: cost.Fixed(1),
				Examples: []Example{
					{Expr: `sign(quantity('-50k'))`, Want: `-1`},
					{Expr: `sign(quantity('0'))`, Want: `0`},
				},
			}, {
				ID: "quantity_member_sign", Member: true, Args: args(QuantityType), Result: cel.IntType, Beyond: true,
				Impl:     Unary(sign),
				Cost:     cost.Fixed(1),
				Examples: []Example{{Expr: `quantity('50k').sign()`, Want: `1`}},
			}},
		},
			quantityMember("isInteger", "quantity_is_integer", cel.BoolType,
				"Tells whether `asInteger` gives a result.",
				Unary(func(q QuantityValue) (types.Bool, error) {
					n := q.get()
					_, ok := n.AsInt64()
					return types.Bool(ok), nil
				}),
				Example{Expr: `quantity('500000G').isInteger()`, Want: `true`},
				Example{Expr: `quantity('50m').isInteger()`, Want: `false`}),
			quantityMember("asInteger", "quantity_get_int", cel.IntType,
				"Returns the quantity as an integer. One that has a fraction or that is too large is an error.",
				Unary(func(q QuantityValue) (types.Int, error) {
					n := q.get()
					i, ok := n.AsInt64()
					if !ok {
						return 0, errors.New("cannot convert value to integer")
					}
					return types.Int(i), nil
				}),
				Example{Expr: `quantity('50k').asInteger()`, Want: `50000`},
				Example{Expr: `quantity('50m').asInteger()`, Err: "cannot convert value to integer"}),
			quantityMember("asApproximateFloat", "quantity_get_float", cel.DoubleType,
				"Returns the quantity as a floating-point number, with less precision and infinite if it is too large.",
				Unary(func(q QuantityValue) (types.Double, error) {
					n := q.get()
					return types.Double(n.AsApproximateFloat64()), nil
				}),
				Example{Expr: `quantity('50.5k').asApproximateFloat()`, Want: `50500.0`}),
			quantityComparison("isGreaterThan", "quantity_is_greater_than", cel.BoolType, "Tells whether a quantity is greater than another.",
				func(order int) ref.Val { return types.Bool(order > 0) },
				Example{Expr: `quantity('150Mi').isGreaterThan(quantity('100Mi'))`, Want: `true`}),
			quantityComparison("isLessThan", "quantity_is_less_than", cel.BoolType, "Tells whether a quantity is less than another.",
				func(order int) ref.Val { return types.Bool(order < 0) },
				Example{Expr: `quantity('50M').isLessThan(quantity('100M'))`, Want: `true`}),
			quantityComparison("compareTo", "quantity_compare_to", cel.IntType, "Returns -1, 0 or 1 if a quantity is less than, equal to or greater than another.",
				func(order int) ref.Val { return types.Int(order) },
				Example{Expr: `quantity('200M').compareTo(quantity('0.2G'))`, Want: `0`}),
			quantitySum("add", "Adds a quantity or an integer.", (*resource.Quantity).Add,
				Example{Expr: `quantity('50k').add(quantity('20k')) == quantity('70k')`, Want: `true`},
				Example{Expr: `quantity('50k').add(20) == quantity('50020')`, Want: `true`}),
			quantitySum("sub", "Subtracts a quantity or an integer.", (*resource.Quantity).Sub,
				Example{Expr: `quantity('50k').sub(quantity('20k')) == quantity('30k')`, Want: `true`},
				Example{Expr: `quantity('50k').sub(20000) == quantity('30k')`, Want: `true`}),
		},
	}
}

func quantityMember(name, id string, result *cel.Type, doc string, impl Impl, examples ...Example) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: id, Member: true, Args: args(QuantityType), Result: result,
			Impl: impl, Cost: cost.Fixed(1), Examples: examples,
		}},
	}
}

func quantityComparison(name, id string, result *cel.Type, doc string, of func(order int) ref.Val, examples ...Example) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: id, Member: true, Args: args(QuantityType, QuantityType), Result: result,
			Impl: Binary(func(x, y QuantityValue) (ref.Val, error) {
				n := x.get()
				return of(n.Cmp(y.get())), nil
			}),
			Cost: cost.Fixed(1), Examples: examples,
		}},
	}
}

// quantitySum declares add or sub, with one example for each overload.
func quantitySum(name, doc string, apply func(*resource.Quantity, resource.Quantity), withQuantity, withInt Example) Function {
	calculate := func(x QuantityValue, y resource.Quantity) QuantityValue {
		n := x.get().DeepCopy()
		apply(&n, y)
		return QuantityValue{quantity: &n, computed: true}
	}
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: "quantity_" + name, Member: true, Args: args(QuantityType, QuantityType), Result: QuantityType,
			Impl:     Binary(func(x, y QuantityValue) (QuantityValue, error) { return calculate(x, y.get()), nil }),
			Cost:     cost.Fixed(1),
			Examples: []Example{withQuantity},
		}, {
			ID: "quantity_" + name + "_int", Member: true, Args: args(QuantityType, cel.IntType), Result: QuantityType,
			Impl: Binary(func(x QuantityValue, y types.Int) (QuantityValue, error) {
				return calculate(x, *resource.NewQuantity(int64(y), resource.DecimalExponent)), nil
			}),
			Cost:     cost.Fixed(1),
			Examples: []Example{withInt},
		}},
	}
}

// QuantityValue is the CEL value of a resource quantity. The zero value is the
// quantity zero. As a Go value it equals only itself; compare with Equal or
// with the quantities' own functions.
type QuantityValue struct {
	quantity *resource.Quantity
	// computed is true for the results of add and sub.
	computed bool
}

// NewQuantity returns the value of a quantity.
func NewQuantity(q resource.Quantity) QuantityValue {
	q = q.DeepCopy()
	return QuantityValue{quantity: &q}
}

// maxExponent is the greatest power of ten that ParseQuantity takes. Numbers
// beyond are useless, and parsing or comparing them can take hours: an API
// server hangs on quantity('1e-999999999').
const maxExponent = 1_000_000

// ParseQuantity parses a quantity. The error is that of the CEL function
// quantity. Unlike an API server it refuses exponents of more than a million,
// for which a server needs anything from a second to forever.
func ParseQuantity(s string) (QuantityValue, error) {
	if i := strings.LastIndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(s[i+1:], 10, 64)
		if err == nil && (exponent > maxExponent || exponent < -maxExponent) {
			return QuantityValue{}, fmt.Errorf("quantity: the exponent %d is not between -%d and %[2]d", exponent, maxExponent)
		}
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return QuantityValue{}, err
	}
	return QuantityValue{quantity: &q}, nil
}

// get returns a copy, because the methods of a quantity change its inner form,
// even that of Cmp and String. It must not be added to: large numbers are still
// shared.
func (q QuantityValue) get() resource.Quantity {
	if q.quantity == nil {
		return resource.Quantity{}
	}
	return *q.quantity
}

// String returns the canonical form of the quantity.
func (q QuantityValue) String() string {
	n := q.get()
	return n.String()
}

// ConvertToNative converts to *resource.Quantity or to a string.
func (q QuantityValue) ConvertToNative(to reflect.Type) (any, error) {
	return native("Quantity", to, q.Value(), q.String())
}

// ConvertToType converts to the quantity type itself and to the type of types.
func (q QuantityValue) ConvertToType(to ref.Type) ref.Val { return convert(q, QuantityType, to) }

// Equal tells whether two quantities are the same amount. As in an API server,
// the result of add or sub may stand on the left of == but not on the right,
// where it is an error: no such overload.
func (q QuantityValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(QuantityValue)
	if !ok || o.computed {
		return types.MaybeNoSuchOverloadErr(other)
	}
	n := q.get()
	return types.Bool(n.Cmp(o.get()) == 0)
}

// Type returns [QuantityType].
func (q QuantityValue) Type() ref.Type { return QuantityType }

// Value returns a copy of the quantity as *resource.Quantity.
func (q QuantityValue) Value() any {
	n := q.get().DeepCopy()
	return &n
}
