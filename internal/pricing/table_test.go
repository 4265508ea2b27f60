package pricing

import (
	"math"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/release"
)

// counted counts the calls that a table prices, by overload.
type counted struct {
	interpreter.ActualCostEstimator
	seen map[string]int
}

func (c counted) CallCost(function, id string, args []ref.Val, result ref.Val) *uint64 {
	c.seen[id]++
	return c.ActualCostEstimator.CallCost(function, id, args, result)
}

// values are data for the corpus, as far as it must be there.
func values() map[string]any {
	inner := map[string]any{
		"s": "inner text", "u": strings.Repeat("ü", 70), "n": 3, "l": []any{"a", "bb", "inner text"},
		"q": []any{}, "m": map[string]any{"a": 1, "abc": 2}, "d": 7,
	}
	middle := map[string]any{"inner": inner, "items": []any{inner, inner}, "s": "middle"}
	self := map[string]any{
		"s": "abc", "t": "", "u": strings.Repeat("0123456789", 30), "y": []byte("0123456789abcdef"), "n": 1, "x": 2.5, "b": true,
		"d": strings.Repeat("dyn", 9), "l": []any{"abc", "def", "", strings.Repeat("long", 20)}, "ints": []any{1, 2, 3},
		"big": []any{inner, inner, inner}, "m": map[string]any{"abc": "x", "": strings.Repeat("m", 33)},
		"mm": map[string]any{"abc": map[string]any{"abc": inner}}, "ll": []any{[]any{"abc"}, []any{}, []any{"x", "y"}},
		"o": middle, "objs": []any{middle, middle}, "inner": inner,
	}
	return map[string]any{
		"self": self, "oldSelf": self, "optSelf": types.OptionalOf(types.DefaultTypeAdapter.NativeToValue(self)),
		"vs": "variable", "vl": []any{"abc", "x"}, "vm": map[string]any{"abc": "y"}, "vd": "dynamic", "vy": []byte("xyz"), "__result__": []any{"1"},
	}
}

func TestExhaustiveRuntime(t *testing.T) {
	env := testEnv(t)
	own := counted{NewTable(Standard(release.Newest())), map[string]int{}}
	evaluated := 0
	for _, tree := range compiled(t, env, race.Sample(corpus(2500), 5)) {
		want, got := program(t, env, tree, nil), program(t, env, tree, own)
		same := false
		// The order in which a map is walked is random, and with it where the
		// evaluation ends.
		for try := 0; try < 100 && !same; try++ {
			out, details, _ := want.Eval(values())
			_, own, _ := got.Eval(values())
			if same = *details.ActualCost() == *own.ActualCost(); try == 0 && !types.IsUnknownOrError(out) {
				evaluated++
			}
		}
		if !same {
			t.Errorf("%s\nnever costs what cel-go counts", tree.Source().Content())
		}
	}
	if evaluated < 1000 && !race.Enabled {
		t.Errorf("only %d expressions have a value", evaluated)
	}
	for id := range Standard(release.Newest()).Overloads {
		if own.seen[id] < 3 && !race.Enabled {
			t.Errorf("overload %s was called %d times", id, own.seen[id])
		}
	}
	if own.seen[""] == 0 {
		t.Error("no call without an overload id")
	}
}

func program(t *testing.T, env *cel.Env, tree *cel.Ast, estimator interpreter.ActualCostEstimator) cel.Program {
	t.Helper()
	p, err := env.Program(tree, cel.CostTracking(estimator), cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The one difference between cel-go's size of a value and a library's.
func TestRuntimeOfOptional(t *testing.T) {
	held := types.OptionalOf(types.OptionalOf(types.String(strings.Repeat("x", 95))))
	args := []ref.Val{held, held}
	if got := NewTable(Standard(release.Newest())).Runtime(operators.Equals, overloads.Equals)(args, nil); got != 10 {
		t.Errorf("optionals of 95 characters are compared for %d units, want 10", got)
	}
	if got := cost.Scan(cost.Arg(0)).Runtime(args, nil); got != 1 {
		t.Errorf("a library reads an optional for %d units, want 1", got)
	}
}

type special struct{ types.Null }

var specialType = types.NewObjectType("special")

func (special) Type() ref.Type { return specialType }

func TestTablePrecedence(t *testing.T) {
	table := NewTable(
		Standard(release.Newest()),
		Prices{
			Overloads: map[string]cost.Model{"f_a": cost.Fixed(10), overloads.StartsWithString: {Runtime: cost.Fixed(30).Runtime}},
			Functions: map[string]cost.Model{"f": cost.Fixed(11), "g": cost.Fixed(12)},
			Equality:  map[string]cost.Model{"special": cost.Fixed(13)},
		},
		Prices{Functions: map[string]cost.Model{"g": cost.Fixed(14)}},
	)
	text := types.String(strings.Repeat("s", 100))
	for _, c := range []struct {
		function, id string
		args         []ref.Val
		want         uint64
	}{
		{"f", "f_a", nil, 10},
		{"f", "f_b", nil, 11},
		{"f", "", nil, 11},
		{"g", "g_a", nil, 14},
		{"h", "h_a", nil, 1},
		{"startsWith", overloads.StartsWithString, []ref.Val{text, text}, 30},
		{"endsWith", overloads.EndsWithString, []ref.Val{text, text}, 10},
		{"endsWith", "", []ref.Val{text, text}, 1},
		{operators.Equals, overloads.Equals, []ref.Val{special{}, text}, 13},
		{operators.Equals, overloads.Equals, []ref.Val{text, special{}}, 1},
		{operators.Equals, overloads.Equals, []ref.Val{text, text}, 10},
		{operators.NotEquals, overloads.NotEquals, []ref.Val{special{}, special{}}, 1},
	} {
		if got := table.Runtime(c.function, c.id)(c.args, nil); got != c.want {
			t.Errorf("%s (%q) of %v costs %d, want %d", c.function, c.id, c.args, got, c.want)
		}
	}

	nothing := operand{typ: types.StringType, derived: &cost.Range{Min: 0, Max: 200}}
	estimate := table.estimate("startsWith", overloads.StartsWithString, []cost.Operand{nothing, nothing})
	if want := (cost.Range{Min: 0, Max: 20}); estimate.Cost != want {
		t.Errorf("a part without an estimate hides the one before: %v, want %v", estimate.Cost, want)
	}
	if got := (&Table{}).estimate("f", "f_a", nil); got.Cost != cost.Exactly(1) || got.Result != nil {
		t.Errorf("the zero table estimates %+v", got)
	}
	if got := (&Table{}).Runtime("f", "f_a")(nil, nil); got != 1 {
		t.Errorf("the zero table prices a call at %d, want 1", got)
	}
}

// A price that gets fewer arguments than it looks at, or none that it knows, must
// still answer.
func TestPricesOfAwkwardCalls(t *testing.T) {
	table := NewTable(Standard(release.Newest()), Prices{Equality: map[string]cost.Model{"special": cost.Fixed(1)}})
	awkward := [][]ref.Val{nil, {nil}, {nil, nil}, {types.NewErr("x"), &types.Unknown{}}, {types.String("\xff\xfe"), types.Bytes(nil)}}
	for id := range Standard(release.Newest()).Overloads {
		for _, function := range []string{"f", operators.Equals} {
			for _, args := range awkward {
				if got := table.Runtime(function, id)(args, nil); got > 2 {
					t.Errorf("%s of %v costs %d", id, args, got)
				}
			}
		}
		if e := table.estimate("f", id, nil); e.Cost.Max == 0 {
			t.Errorf("%s without operands: %v", id, e)
		}
	}
}

func TestRuntimeDoesNotAllocate(t *testing.T) {
	table := NewTable(Standard(release.Newest()), Prices{Equality: map[string]cost.Model{"special": cost.Fixed(1)}})
	text, data := types.String(strings.Repeat("ä", 1000)), types.Bytes(make([]byte, 1000))
	list := types.DefaultTypeAdapter.NativeToValue([]string{"a", "b"})
	for id := range Standard(release.Newest()).Overloads {
		price := table.Runtime(operators.Equals, id)
		for _, args := range [][]ref.Val{{text, text}, {data, data}, {list, list}, {types.Int(1), types.Int(2)}, {special{}, special{}}} {
			if n := testing.AllocsPerRun(10, func() { price(args, types.True) }); n != 0 {
				t.Errorf("%s of %T allocates %v times", id, args[0], n)
			}
		}
	}
}

func TestElemLeavesPathAlone(t *testing.T) {
	var paths [][]string
	seen := sizerFunc(func(p []string) (cost.Range, bool) {
		paths = append(paths, p)
		return cost.Range{}, false
	})
	p := path{"self", "a", "b"}[:2]
	elem := operand{path: p, typ: types.NewListType(types.StringType), sizes: seen}.Elem()
	if got := elem.Size(); got != (cost.Range{Max: math.MaxUint64}) {
		t.Errorf("size %v of an element that is not declared", got)
	}
	if got := strings.Join(paths[0], "."); got != "self.a.@items" || p[:3][2] != "b" {
		t.Errorf("path %s of an element, its list's path is now %v", got, p[:3])
	}
}

type sizerFunc func([]string) (cost.Range, bool)

func (f sizerFunc) SizeOf(p []string) (cost.Range, bool) { return f(p) }

// A float64 cannot hold this size.
func TestTraversalCountsExactly(t *testing.T) {
	size := cost.Exactly(1<<53 + 1)
	got := cost.Traversal(0, 1).Estimate([]cost.Operand{operand{typ: types.DynType, derived: &size}}).Cost
	if got != size {
		t.Errorf("%v elements are visited for %v units", size, got)
	}
}

// A price that panics ends the evaluation in a program of cel-go too.
func TestPricePanics(t *testing.T) {
	env, err := cel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	tree, issues := env.Compile("'a'.startsWith('b') || true")
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	broken := cost.Model{Runtime: func([]ref.Val, ref.Val) uint64 { panic("broken price") }}
	table := NewTable(Prices{Overloads: map[string]cost.Model{overloads.StartsWithString: broken}})
	program, err := env.Program(tree, cel.CostTracking(table))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := program.Eval(cel.NoVars()); err == nil || err.Error() != "internal error: broken price" {
		t.Errorf("error %v, want that of the price", err)
	}
}
