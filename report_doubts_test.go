package kubecel_test

import (
	"math"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/library"
)

// TestReportDoubts holds that doubts about an estimate go by the overload that is
// called, and not by its name.
func TestReportDoubts(t *testing.T) {
	own := func(price cost.Model) library.Library {
		return library.Library{Name: "own", Functions: []library.Function{{
			Name: "validate", Doc: "Tells whether a number is good.",
			Overloads: []library.Overload{{
				ID: "own_validate_int", Args: []*cel.Type{cel.IntType}, Result: cel.BoolType, Cost: price,
				Impl: library.Unary(func(n types.Int) (types.Bool, error) { return n > 0, nil }),
			}},
		}}}
	}
	const dynamic = "a dynamic value has no size to estimate with, and its functions are charged by name"
	for _, test := range []struct {
		expression, doubt string
		price             cost.Model
	}{
		{"validate(n)", "", cost.Fixed(3)},
		{"validate(n)", "it counts to n", cost.Fixed(3).Doubted("it counts to n")},
		{"validate(d)", dynamic, cost.Fixed(3)},
		{"format.uuid().validate(s).hasValue()", "a format is estimated by a pattern that can be shorter than its own, and one chosen by name without any", cost.Fixed(3)},
		{"[[n]].flatten() == []", "the result of flatten is estimated to be no larger than the list, whatever its elements hold", cost.Fixed(3)},
		{"l.join() == s", "join and distinct cost more in an evaluation than they are estimated at", cost.Fixed(3)},
		{"l.distinct() == []", "join and distinct cost more in an evaluation than they are estimated at", cost.Fixed(3)},
		{"l.slice(0, n) == []", "slice is estimated by the difference of its bounds, which may be wrong", cost.Fixed(3)},
		{"lists.range(n) == []", "lists.range is estimated without the value of its argument", cost.Fixed(3)},
		{"ll.indexOf([n]) > 0", "the elements of a list of lists are compared at a cost that is not estimated", cost.Fixed(3)},
		{"['a'].indexOf('b') > 0", "", cost.Fixed(3)},
		{"n > 3", "", cost.Fixed(3)},
	} {
		env, err := kubecel.NewEnv(kubecel.Libraries(own(test.price)), kubecel.Variable("n", cel.IntType), kubecel.Variable("s", cel.StringType), kubecel.Variable("d", cel.DynType),
			kubecel.Variable("l", cel.ListType(cel.StringType)), kubecel.Variable("ll", cel.ListType(cel.ListType(cel.IntType))))
		if err != nil {
			t.Fatal(err)
		}
		x, err := env.Report(test.expression)
		if err != nil {
			t.Fatal(err)
		}
		switch s := x.Sound; {
		case test.doubt == "" && (!s.Bounded || len(s.Doubts) != 0 || s.Max == math.MaxUint64):
			t.Errorf("%s: %+v, want no doubts", test.expression, s)
		case test.doubt != "" && (s.Bounded || len(s.Doubts) != 1 || s.Doubts[0].Reason != test.doubt):
			t.Errorf("%s: %+v, want the doubt %q", test.expression, s, test.doubt)
		}
	}
}
