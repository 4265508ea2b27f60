package library

import (
	"fmt"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// newListCost is the price of a call that makes a list: one unit for the call and
// ten units for the list.
const newListCost = 11

// extListsLibrary is the library that cuts, flattens and sorts lists. On an API
// server a dynamically dispatched call costs one unit, whatever it does. That
// includes every sort of a list whose element type is unknown.
func extListsLibrary() Library {
	list := cel.ListType(cel.TypeParamType("T"))
	num, dynList := cel.IntType, cel.ListType(cel.DynType)
	flatten := cost.Linear(newListCost, 1, flattened()).Yields(cost.Arg(0)).
		Doubted("the result of flatten is estimated to be no larger than the list, whatever its elements hold")
	wrapping := flatten
	wrapping.Runtime = wrappingFlatten
	return Library{
		Name:  "cel.lists",
		Doc:   "Cuts, flattens and sorts lists.",
		since: release.Minor(34),
		Functions: []Function{
			dynamic("slice", "Returns the elements of a list from an index to before another.",
				member("list_slice", args(list, num, num), list, newList(sliced()).Doubted("slice is estimated by the difference of its bounds, which may be wrong"),
					Example{Expr: `[1, 2, 3, 4].slice(1, 3)`, Want: `[2, 3]`},
					Example{Expr: `[1, 2, 3, 4].slice(3, 1)`, Err: "start index must be less than or equal to end index"})),
			dynamic("flatten", "Returns a list with the elements of its lists in their place, one level deep or as many as the argument says.",
				member("list_flatten", args(cel.ListType(list)), list, flatten,
					Example{Expr: `[[1, 2], [3]].flatten()`, Want: `[1, 2, 3]`}),
				member("list_flatten_int", args(dynList, num), dynList, flatten,
					Example{Expr: `[[[1]], [[2]]].flatten(2)`, Want: `[1, 2]`},
					Example{Expr: `[[1]].flatten(-1)`, Err: "level must be non-negative"}).until(release.Minor(36), wrapping)),
			dynamic("lists.range", "Returns the integers from zero to before the argument, of which there may be a million.",
				global("lists_range", args(num), cel.ListType(num), newList(ranged()).Doubted("lists.range is estimated without the value of its argument"),
					Example{Expr: `lists.range(3)`, Want: `[0, 1, 2]`},
					Example{Expr: `lists.range(-1)`, Err: "size must be non-negative"})),
			dynamic("reverse", "Returns a list in reverse order.",
				member("list_reverse", args(list), list, newList(cost.Computed(resultText,
					func(operands []cost.Operand) cost.Range { return operands[0].Size() }, resultSize)),
					Example{Expr: `[1, 2, 3].reverse()`, Want: `[3, 2, 1]`})),
			dynamic("distinct", "Returns a list without the elements that equal an earlier one.",
				// The estimate leaves out that comparing strings costs more.
				member("list_distinct", args(list), list, selfCompared(0, 2).Doubted(doubtfulPrice),
					Example{Expr: `[1, 2, 1].distinct()`, Want: `[1, 2]`})),
			dynamic("sort", "Returns a list in ascending order. The elements must be of one type that has an order.",
				perType(comparables(), func(t elementType) Overload {
					return member("list_"+t.cel.TypeName()+"_sort", args(t.list()), t.list(), selfCompared(0, comparisonFactor(t.cel)),
						Example{Expr: t.sorted() + `.reverse().sort()`, Want: t.sorted()})
				})...),
			dynamic("@sortByAssociatedKeys", "Returns a list in the order of a list of keys; sortBy calls it.",
				perType(comparables(), func(t elementType) Overload {
					return member("list_"+t.cel.TypeName()+"_sortByAssociatedKeys", args(list, t.list()), list, selfCompared(1, comparisonFactor(t.cel)),
						Example{Expr: t.sorted() + `.reverse().sortBy(x, x)`, Want: t.sorted()})
				})...),
		},
		Macros: []Macro{{
			Name:     "sortBy",
			Doc:      "Returns a list in the ascending order of a key of each element.",
			Usage:    []string{"<list(T)>.sortBy(x, <key of x>) -> <list(T)>"},
			Examples: []Example{{Expr: `['bb', 'a', 'ccc'].sortBy(s, -size(s))`, Want: `['ccc', 'bb', 'a']`}},
		}},
		Options: []cel.EnvOption{ext.Lists(ext.ListsVersion(3))},
	}
}

// dynamic describes a function whose dynamically dispatched calls cost 1.
func dynamic(name, doc string, overloads ...Overload) Function {
	return Function{Name: name, Doc: doc, Overloads: overloads, DynamicCost: cost.Fixed(1)}
}

// newList is the price of a call that makes a list of the size.
func newList(size cost.Size) cost.Model {
	return cost.Linear(newListCost, 1, size).Yields(size)
}

// resultText is the text of resultSize.
const resultText = "size(result)"

func resultSize(_ []ref.Val, result ref.Val) uint64 { return cost.SizeOf(result) }

// sliced is the size of list.slice(start, end). If start and end are literals in
// the wrong order, their difference wraps around and is over every limit.
func sliced() cost.Size {
	return cost.Computed(resultText, func(operands []cost.Operand) cost.Range {
		start, end := literal(operands[1], 0), literal(operands[2], operands[0].Size().Max)
		return cost.Exactly(end - start)
	}, resultSize)
}

// ranged is the size of lists.range(n).
func ranged() cost.Size {
	return cost.Computed(resultText, func(operands []cost.Operand) cost.Range {
		return cost.Exactly(literal(operands[0], math.MaxUint64))
	}, resultSize)
}

// flattened is the number of elements that list.flatten(depth) visits. It rests on
// the guess that each level has as many as the list. As in a server, it panics if the depth
// is the error of a missing field, which ends an evaluation even before `|| true`.
func flattened() cost.Size {
	return cost.Computed("size({0})·depth", func(operands []cost.Operand) cost.Range {
		depth := uint64(1)
		if len(operands) > 1 {
			depth = literal(operands[1], math.MaxUint64)
		}
		return operands[0].Size().Scale(float64(depth))
	}, func(args []ref.Val, _ ref.Val) uint64 {
		size := cost.SizeOf(args[0])
		if len(args) > 1 {
			if depth := args[1].(types.Int); depth >= 0 {
				return cost.Exactly(size).Mul(cost.Exactly(uint64(depth))).Max
			}
		}
		return size
	})
}

// selfCompared is the price of comparing all elements of the list at index i with
// each other. Factor is the price of one comparison in the estimate, and evaluation
// takes that of the first element. The estimate takes the square of the list's size
// for the size of the result. As in a server, the price of what is no list panics.
func selfCompared(i int, factor float64) cost.Model {
	square := cost.Arg(i).Times(cost.Arg(i))
	runtime := cost.Model{Runtime: func(args []ref.Val, result ref.Val) uint64 {
		factor := 2.0
		if l := args[i].(traits.Lister); l.Size() != types.IntZero {
			factor = comparisonFactor(l.Get(types.IntZero).Type())
		}
		return cost.Linear(newListCost, factor, square).Runtime(args, result)
	}}
	return cost.Split(cost.Linear(newListCost, factor, square).Yields(square), runtime).
		As(fmt.Sprintf("11 + 2·size({%d})², a tenth more for strings", i))
}

// comparisonFactor is the price of comparing two elements of a list.
func comparisonFactor(t ref.Type) float64 {
	switch t.TypeName() {
	case cel.StringType.TypeName(), cel.BytesType.TypeName():
		return 2 + cost.StringFactor
	}
	return 2
}

// literal returns the value of an operand that is a literal integer, or zero for a
// negative one. For any other operand it returns unknown.
func literal(o cost.Operand, unknown uint64) uint64 {
	n, ok := o.Literal().(types.Int)
	if !ok {
		return unknown
	}
	return uint64(max(n, 0))
}

// wrappingFlatten is the price of an evaluated list.flatten(depth) up to 1.36. A
// negative depth makes the product of size and depth wrap around.
func wrappingFlatten(args []ref.Val, _ ref.Val) uint64 {
	depth := 1.0
	if len(args) == 2 {
		depth = float64(args[1].(types.Int))
	}
	product := float64(cost.SizeOf(args[0])) * depth
	if product < 0 && product >= math.MinInt64 {
		return newListCost - uint64(-product)
	}
	if product < 0 {
		return newListCost + 1<<63 // what amd64 makes of it
	}
	return cost.Linear(newListCost, depth, cost.Arg(0)).Runtime(args, nil)
}
