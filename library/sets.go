package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// setsLibrary is the library that compares lists as sets.
func setsLibrary() Library {
	return Library{
		Name:  "cel.sets",
		Doc:   "Compares lists as sets: neither order nor repetition counts. Elements are equal if == says so, numbers of different types included.",
		since: release.Minor(29),
		Functions: []Function{
			setFunction("contains", 1, "Tells whether the first list has every element of the second.",
				Example{Expr: `sets.contains([1, 2, 3], [3, 2])`, Want: `true`},
				Example{Expr: `sets.contains([], [1])`, Want: `false`}),
			// Each list is looked for in the other.
			setFunction("equivalent", 2, "Tells whether each list has every element of the other.",
				Example{Expr: `sets.equivalent([1, 2], [2, 1, 1])`, Want: `true`},
				Example{Expr: `sets.equivalent([1, 2], [1])`, Want: `false`}),
			setFunction("intersects", 1, "Tells whether the lists have an element in common.",
				Example{Expr: `sets.intersects([1, 2], [2, 3])`, Want: `true`},
				Example{Expr: `sets.intersects([1], [])`, Want: `false`}),
		},
		Options: []cel.EnvOption{ext.Sets()},
	}
}

// setFunction describes a function that compares all elements of one list with all
// of the other. Times is how often it does so.
func setFunction(name string, times float64, doc string, examples ...Example) Function {
	list := cel.ListType(cel.TypeParamType("T"))
	return dynamic("sets."+name, doc,
		global("list_sets_"+name+"_list", args(list, list), cel.BoolType,
			cost.Linear(1, times, cost.Arg(0).Times(cost.Arg(1))), examples...))
}
