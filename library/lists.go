package library

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// listsLibrary is the library of lists as it is since Kubernetes 1.37, with includes.
func listsLibrary() Library {
	l := listsV0()
	l.since, l.until = release.Minor(37), release.Release{}
	l.Functions = append(l.Functions,
		function("includes", "Tells whether a list contains an element. A value that is not a list includes what equals it.",
			member("list_includes_dyn_dyn", args(cel.DynType, cel.DynType), cel.BoolType, comparing(cost.Traversal(0, 1))).by(
				Binary(includes),
				Example{Expr: `[1, 2, 3].includes(2)`, Want: `true`},
				Example{Expr: `[1, 2, 3].includes(4)`, Want: `false`},
				Example{Expr: `'model-a'.includes('model-a')`, Want: `true`},
				Example{Expr: `'model-a'.includes('model')`, Want: `false`})))
	return l
}

// listsV0 is the library of lists as it was before Kubernetes 1.37.
func listsV0() Library {
	a := cel.TypeParamType("A")
	return Library{
		Name:  "kubernetes.lists",
		Doc:   "Sums up and searches lists.",
		until: release.Minor(37),
		Functions: []Function{
			function("isSorted", "Tells whether the elements of a list are in ascending order.", perType(comparables(), func(t elementType) Overload {
				return t.reads("is_sorted_bool", cel.BoolType, isSorted,
					Example{Expr: t.sorted() + `.isSorted()`, Want: `true`},
					Example{Expr: fmt.Sprintf(`[%s, %s].isSorted()`, t.high, t.low), Want: `false`})
			})...),
			function("sum", "Returns the sum of the elements of a list, zero if it is empty.", perType(summables(), func(t elementType) Overload {
				return t.reads("sum_"+t.name, t.cel, func(list traits.Lister) (ref.Val, error) { return sum(t.zero, list), nil },
					Example{Expr: t.sorted() + `.sum()`, Want: t.low + ` + ` + t.high})
			})...),
			function("max", "Returns the greatest element of a list. An empty list is an error.", perType(comparables(), func(t elementType) Overload {
				return t.reads("max_"+t.name, t.cel, extreme("max", types.IntNegOne), Example{Expr: t.sorted() + `.max()`, Want: t.high})
			})...),
			function("min", "Returns the smallest element of a list. An empty list is an error.", perType(comparables(), func(t elementType) Overload {
				return t.reads("min_"+t.name, t.cel, extreme("min", types.IntOne), Example{Expr: t.sorted() + `.min()`, Want: t.low})
			})...),
			function("indexOf", "Returns the first index of an element in a list, -1 if it is not there.",
				member("list_a_index_of_int", args(cel.ListType(a), a), cel.IntType, comparing(traversal())).by(
					indexOf(false),
					Example{Expr: `[1, 2, 2, 3].indexOf(2)`, Want: `1`},
					Example{Expr: `[].indexOf('string')`, Want: `-1`})),
			function("lastIndexOf", "Returns the last index of an element in a list, -1 if it is not there.",
				member("list_a_last_index_of_int", args(cel.ListType(a), a), cel.IntType, comparing(traversal())).by(
					indexOf(true),
					Example{Expr: `['a', 'b', 'b', 'c'].lastIndexOf('b')`, Want: `2`},
					Example{Expr: `[1.0].lastIndexOf(1.1)`, Want: `-1`})),
		},
	}
}

// traversal prices functions of lists. The estimate takes a receiver of unknown
// type for a string, as indexOf and lastIndexOf also have it, even if the function
// takes no strings.
func traversal() cost.Model { return cost.Traversal(0, cost.StringFactor) }

// comparing adds to a price that comparing lists with each other is not part of it.
func comparing(m cost.Model) cost.Model {
	m.Doubt = func(operands []*cel.Type) string {
		for _, o := range operands {
			for _, p := range o.Parameters() {
				if k := p.Kind(); k == cel.ListKind || k == cel.MapKind || k == cel.StructKind {
					return "the elements of a list of lists are compared at a cost that is not estimated"
				}
			}
		}
		return ""
	}
	return m
}

// elementType is a type of list elements.
type elementType struct {
	name string
	cel  *cel.Type
	// zero is the sum of no elements, nil if there is no sum.
	zero ref.Val
	// low and high are two elements for examples.
	low, high string
}

// comparables are the types that have an order. At run time a list has no element
// type, so a call on a dynamically typed list takes the first overload of the
// function. The first has to be that of int.
func comparables() []elementType {
	return []elementType{
		{"int", cel.IntType, types.Int(0), `1`, `2`},
		{"uint", cel.UintType, types.Uint(0), `1u`, `2u`},
		{"double", cel.DoubleType, types.Double(0), `1.5`, `2.5`},
		{"bool", cel.BoolType, nil, `false`, `true`},
		{"duration", cel.DurationType, types.Duration{}, `duration('1s')`, `duration('1m')`},
		{"timestamp", cel.TimestampType, nil, `timestamp('2000-01-01T00:00:00Z')`, `timestamp('2001-01-01T00:00:00Z')`},
		{"string", cel.StringType, nil, `'a'`, `'b'`},
		{"bytes", cel.BytesType, nil, `b'a'`, `b'b'`},
	}
}

func summables() []elementType {
	return slices.DeleteFunc(comparables(), func(t elementType) bool { return t.zero == nil })
}

// perType declares one overload for lists of each type.
func perType(elements []elementType, overload func(t elementType) Overload) []Overload {
	overloads := make([]Overload, len(elements))
	for i, t := range elements {
		overloads[i] = overload(t)
	}
	return overloads
}

// list is the type of lists of the type.
func (t elementType) list() *cel.Type { return cel.ListType(t.cel) }

// sorted is a list in ascending order.
func (t elementType) sorted() string { return "[" + t.low + ", " + t.high + "]" }

// reads declares an overload for lists of the type that reads them once.
func (t elementType) reads(name string, result *cel.Type, read func(traits.Lister) (ref.Val, error), examples ...Example) Overload {
	return member("list_"+t.name+"_"+name, args(t.list()), result, traversal()).by(Unary(read), examples...)
}

// isSorted finds a list unsorted if an element is greater than the next. As on API
// servers, elements that cannot be compared with each other are no reason.
func isSorted(list traits.Lister) (ref.Val, error) {
	var prev traits.Comparer
	for it := list.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		next, ok := elem.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(elem), nil
		}
		if prev != nil && prev.Compare(elem) == types.IntOne {
			return types.False, nil
		}
		prev = next
	}
	return types.True, nil
}

func sum(total ref.Val, list traits.Lister) ref.Val {
	for it := list.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		if _, ok := elem.(traits.Adder); !ok {
			return types.MaybeNoSuchOverloadErr(elem)
		}
		total = total.(traits.Adder).Add(elem)
		if _, ok := total.(traits.Adder); !ok {
			return types.MaybeNoSuchOverloadErr(total)
		}
	}
	return total
}

// extreme returns the minimum or maximum of a list. An element replaces the best so
// far if that compares to it as worse. Elements that cannot be compared with the best
// so far are passed over.
func extreme(name string, worse ref.Val) func(traits.Lister) (ref.Val, error) {
	return func(list traits.Lister) (ref.Val, error) {
		var best ref.Val
		for it := list.Iterator(); it.HasNext() == types.True; {
			elem := it.Next()
			if _, ok := elem.(traits.Comparer); !ok {
				return types.MaybeNoSuchOverloadErr(elem), nil
			}
			if best == nil || best.(traits.Comparer).Compare(elem) == worse {
				best = elem
			}
		}
		if best == nil {
			return nil, fmt.Errorf("%s called on empty list", name)
		}
		return best, nil
	}
}

// indexOf finds the first or the last index of an element, -1 if it is not there.
func indexOf(last bool) Impl {
	return Binary(func(list traits.Lister, item ref.Val) (types.Int, error) {
		n, _ := list.Size().(types.Int)
		for i := range n {
			if last {
				i = n - 1 - i
			}
			if list.Get(i).Equal(item) == types.True {
				return i, nil
			}
		}
		return -1, nil
	})
}

func includes(target, item ref.Val) (ref.Val, error) {
	list, ok := target.(traits.Lister)
	if !ok {
		return types.Bool(target.Equal(item) == types.True), nil
	}
	for it := list.Iterator(); it.HasNext() == types.True; {
		if it.Next().Equal(item) == types.True {
			return types.True, nil
		}
	}
	return types.False, nil
}
