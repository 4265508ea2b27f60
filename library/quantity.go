package library

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// QuantityType is the CEL type of resource quantities. Its values are made by
// [NewQuantity].
func QuantityType() *cel.Type { return quantityClass.typ }

// quantityLibrary is the library of resource quantities such as 1.5G, 512k or
// 20Mi.
func quantityLibrary() Library {
	typ := quantityClass.typ
	sign := reader(func(q quantityData) types.Int { return types.Int(q.get().Sign()) })
	return Library{
		Name:  "kubernetes.quantity",
		Doc:   "Parses resource quantities, compares them and calculates with them.",
		since: release.Minor(28),
		Types: []Type{{CEL: typ, Doc: "A resource quantity.", EqualCost: cost.Fixed(1), equalSince: equalSince()}},
		Functions: []Function{
			function("quantity", "Parses a resource quantity.",
				global("string_to_quantity", args(cel.StringType), typ, cost.Scan(cost.Arg(0))).by(parser(parseQuantity),
					Example{Expr: `quantity('1.5G') == quantity('1500M')`, Want: `true`},
					Example{Expr: `quantity('Three Mebibytes')`, Err: "quantities must match the regular expression"}).
					until(release.Minor(29), cost.Fixed(1))),
			function("isQuantity", "Tells whether a string is a quantity that `quantity` accepts.",
				global("is_quantity_string", args(cel.StringType), cel.BoolType, cost.Scan(cost.Arg(0))).by(accepts(parseQuantity),
					Example{Expr: `isQuantity('20Mi')`, Want: `true`},
					Example{Expr: `isQuantity('20Mib')`, Want: `false`}).
					until(release.Minor(29), cost.Fixed(1))),
			function("sign", "Returns 1 for a positive quantity, -1 for a negative one and 0 for zero.",
				global("quantity_sign", args(typ), cel.IntType, cost.Fixed(1)).by(sign,
					Example{Expr: `sign(quantity('-50k'))`, Want: `-1`},
					Example{Expr: `sign(quantity('0'))`, Want: `0`}),
				member("quantity_member_sign", args(typ), cel.IntType, cost.Fixed(1)).by(sign,
					Example{Expr: `quantity('50k').sign()`, Want: `1`}).documented()),
			method("isInteger", "Tells whether `asInteger` gives a result.",
				"quantity_is_integer", args(typ), cel.BoolType, reader(func(q quantityData) types.Bool {
					_, ok := q.get().AsInt64()
					return types.Bool(ok)
				}),
				Example{Expr: `quantity('500000G').isInteger()`, Want: `true`},
				Example{Expr: `quantity('50m').isInteger()`, Want: `false`}),
			method("asInteger", "Returns the quantity as an integer. One that has a fraction or that is too large is an error.",
				"quantity_get_int", args(typ), cel.IntType, Unary(func(q quantityValue) (types.Int, error) {
					i, ok := q.v.get().AsInt64()
					if !ok {
						return 0, errors.New("cannot convert value to integer")
					}
					return types.Int(i), nil
				}),
				Example{Expr: `quantity('50k').asInteger()`, Want: `50000`},
				Example{Expr: `quantity('50m').asInteger()`, Err: "cannot convert value to integer"}),
			method("asApproximateFloat", "Returns the quantity as a floating-point number, with less precision and infinite if it is too large.",
				"quantity_get_float", args(typ), cel.DoubleType, reader(func(q quantityData) types.Double { return types.Double(q.get().AsApproximateFloat64()) }),
				Example{Expr: `quantity('50.5k').asApproximateFloat()`, Want: `50500.0`}),
			method("isGreaterThan", "Tells whether a quantity is greater than another.",
				"quantity_is_greater_than", args(typ, typ), cel.BoolType, comparer(quantityData.compare, greater),
				Example{Expr: `quantity('150Mi').isGreaterThan(quantity('100Mi'))`, Want: `true`}),
			method("isLessThan", "Tells whether a quantity is less than another.",
				"quantity_is_less_than", args(typ, typ), cel.BoolType, comparer(quantityData.compare, less),
				Example{Expr: `quantity('50M').isLessThan(quantity('100M'))`, Want: `true`}),
			method("compareTo", "Returns -1, 0 or 1 if a quantity is less than, equal to or greater than another.",
				"quantity_compare_to", args(typ, typ), cel.IntType, comparer(quantityData.compare, ordering),
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

// quantitySum declares add or sub, with one example for each overload.
func quantitySum(name, doc string, apply func(*resource.Quantity, resource.Quantity), withQuantity, withInt Example) Function {
	calculate := func(x quantityValue, y resource.Quantity) (quantityValue, error) {
		n := x.v.get().DeepCopy()
		apply(&n, y)
		return quantityValue{quantityData{&n, true}}, nil
	}
	typ := quantityClass.typ
	return function(name, doc,
		member("quantity_"+name, args(typ, typ), typ, cost.Fixed(1)).by(
			Binary(func(x, y quantityValue) (quantityValue, error) { return calculate(x, *y.v.get()) }), withQuantity),
		member("quantity_"+name+"_int", args(typ, cel.IntType), typ, cost.Fixed(1)).by(
			Binary(func(x quantityValue, y types.Int) (quantityValue, error) {
				return calculate(x, *resource.NewQuantity(int64(y), resource.DecimalExponent))
			}), withInt))
}

// quantityData is a quantity. As a key of a map it equals only itself.
type quantityData struct {
	quantity *resource.Quantity
	// computed is true for the results of add and sub.
	computed bool
}

type quantityValue = object[quantityData]

var quantityClass = class[quantityData]{
	typ: cel.ObjectType("kubernetes.Quantity"), name: "Quantity",
	value: func(q quantityData) any {
		n := q.get().DeepCopy()
		return &n
	},
	text: func(q quantityData) string { return q.get().String() },
	// As in an API server, the result of add or sub may stand on the left of ==
	// but not on the right.
	equal: func(x, y quantityData) (bool, bool) { return !y.computed && x.compare(y) == 0, !y.computed },
}

func (quantityData) class() *class[quantityData] { return &quantityClass }

// get returns a copy, because the methods of a quantity change its inner form,
// even those of Cmp and String. The copy must not be added to, because large
// numbers are still shared.
func (q quantityData) get() *resource.Quantity {
	n := *q.quantity
	return &n
}

func (q quantityData) compare(other quantityData) int { return q.get().Cmp(*other.get()) }

// NewQuantity returns the CEL value of a quantity. Its Value is a copy, a
// *resource.Quantity.
func NewQuantity(q resource.Quantity) ref.Val {
	q = q.DeepCopy()
	return quantityValue{quantityData{quantity: &q}}
}

// maxExponent is the greatest power of ten that parseQuantity takes. Numbers
// beyond are useless, and parsing or comparing them can take hours: an API
// server hangs on quantity('1e-999999999').
const maxExponent = 1_000_000

// parseQuantity parses a quantity. Unlike an API server it refuses exponents of
// more than a million, for which a server needs anything from a second to forever.
func parseQuantity(s string) (quantityValue, error) {
	if i := strings.LastIndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(s[i+1:], 10, 64)
		if err == nil && (exponent > maxExponent || exponent < -maxExponent) {
			return quantityValue{}, fmt.Errorf("quantity: the exponent %d is not between -%d and %[2]d", exponent, maxExponent)
		}
	}
	q, err := resource.ParseQuantity(s)
	return quantityValue{quantityData{quantity: &q}}, err
}
