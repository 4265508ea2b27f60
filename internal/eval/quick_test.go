package eval

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The fast paths that depend on the way of evaluation (variables of comprehensions,
// appendNode, the plain count) are compared by compareRun with an evaluation that
// takes none of them.

// TestOrdered compares ordered with the functions that it answers for. NaN has a test of
// its own.
func TestOrdered(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	values := []ref.Val{
		types.Int(-1), types.Int(0), types.Int(1), types.Uint(1), types.Double(0.5), types.Double(1), types.String(""), types.String("a"), types.String("b"),
		types.String("é"), types.True, types.False, types.Bytes("a"),
	}
	taken := 0
	for _, function := range []string{operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals} {
		general := e.planner.overloads[function].Binary
		quick := ordered(orders[function])
		for _, lhs := range values {
			for _, rhs := range values {
				got := quick(lhs, rhs)
				if got == nil {
					continue
				}
				taken++
				if want := general(lhs, rhs); got != want {
					t.Errorf("%v %s %v: %v, want %v", lhs, function, rhs, got, want)
				}
			}
		}
	}
	if taken != 4*(9+16) {
		t.Errorf("ordered answered %d times", taken)
	}
}

// TestQuick compares step.quick with step.part, which asks whatever has parts.
func TestQuick(t *testing.T) {
	f := &frame{prog: &Program{adapter: types.DefaultTypeAdapter}, limit: Unlimited}
	objects := []any{
		map[string]any{"a": int64(1), "b": nil}, map[string]string{"a": "x"}, map[int64]any{1: "one"}, []any{"x"}, "text", nil,
		types.DefaultTypeAdapter.NativeToValue(map[string]any{"a": int64(1), "b": nil}), valueOf(map[string]any{"a": "x"}),
		types.DefaultTypeAdapter.NativeToValue(map[string]any{"a": struct{}{}}),
	}
	taken := 0
	for _, name := range []any{"a", "b", "c"} {
		k, err := newKey(name)
		if err != nil {
			t.Fatal(err)
		}
		s := &step{key: k, direct: true}
		for _, obj := range objects {
			got := s.quick(obj)
			if got == nil {
				continue
			}
			taken++
			want, _, err := s.part(f, obj, false)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v of %v: %v, want %v, %v", name, obj, got, want, err)
			}
		}
	}
	if taken != 4 {
		t.Errorf("quick answered %d times", taken)
	}
}
