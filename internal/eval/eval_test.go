package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/race"
)

func mustPlan(t testing.TB, e *engines, text string) *Program {
	t.Helper()
	ast, issues := e.env.Compile(text)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	prog, err := e.plan(ast)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func TestKinds(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	for _, test := range []struct {
		text  string
		limit uint64
		kind  Kind
		is    error
	}{
		{`i == 3`, Unlimited, KindValue, nil},
		{`1 / (i - 3) == 0`, Unlimited, KindError, nil},
		{`self.absent`, Unlimited, KindError, nil},
		{`dyn(i) + s == ''`, Unlimited, KindNoSuchOverload, nil},
		{`crash(i)`, Unlimited, KindInternal, ErrInternal},
		{`i == 3`, 0, KindCostLimit, ErrCostLimit},
	} {
		res := mustPlan(t, e, test.text).Eval(t.Context(), nativeVars(), test.limit)
		if res.Kind != test.kind || (res.Err == nil) != (test.kind == KindValue) || test.is != nil && !errors.Is(res.Err, test.is) {
			t.Errorf("%s: kind %v, error %v, want kind %v and error %v", test.text, res.Kind, res.Err, test.kind, test.is)
		}
		if cut := test.kind == KindCostLimit || test.kind == KindInternal; cut != (res.Value == nil) {
			t.Errorf("%s: value %v", test.text, res.Value)
		}
	}
}

func TestWrongUse(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	prog := mustPlan(t, e, `i == 3`)
	if res := prog.Eval(t.Context(), activation{}, Unlimited); res.Err == nil || res.Err.Error() != "no such attribute(s): i" {
		t.Errorf("no variables: %+v", res)
	}
	overload := decls.Overload("f_int", []*types.Type{types.IntType}, types.IntType,
		decls.UnaryBinding(func(v ref.Val) ref.Val { return v }))
	fns := map[string]*decls.FunctionDecl{}
	for _, name := range []string{"f", "g"} {
		fn, err := decls.NewFunction(name, overload)
		if err != nil {
			t.Fatal(err)
		}
		fns[name] = fn
	}
	_, err := NewPlanner(Config{Functions: fns, Adapter: types.DefaultTypeAdapter})
	if err == nil || err.Error() != "overload already exists 'f_int'" {
		t.Errorf("overload twice: %v", err)
	}
}

// TestInterruption compares evaluations whose context has ended.
func TestInterruption(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	cause := errors.New("too slow")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	caused, cancelCause := context.WithCancelCause(t.Context())
	cancelCause(cause)
	long := make([]int64, 250)
	for _, ctx := range []context.Context{t.Context(), canceled, caused} {
		interrupted := 0
		for _, text := range []string{
			`i == 3`, `li.all(e, e == 0)`, `ls.all(e, li.exists(f, f == 1))`, `ls.map(e, li.map(f, f).size())`, `li.all(k, v, v == 0)`, `li.exists(e, e == 1) || true`,
			`li.exists(e, e == 1) || ls.exists(e, e == 'a')`, `li.all(e, e == 0) ? 1 : 2`, `[li.all(e, e == 0), true]`, `li.transformMap(k, v, v)`, `(li + li).exists_one(e, e == 1)`,
			`lax(li.all(e, e == 0), 1)`, `[1].map(li, .li.all(e, e == 0))`, `[1].map(li, .li[.li.filter(e, e == 0).size() - 250])`, `cel.bind(v, li.map(e, e), v.size())`,
		} {
			vars := activation{"li": long, "ls": []string{"a", "b", "c"}, "i": int64(3)}
			ast := compile(e.env, text)
			want, err := e.reference(ast)
			if err != nil {
				t.Fatal(err)
			}
			val, det, err := want.ContextEval(ctx, vars)
			w := describe(val, err, *det.ActualCost())
			res := mustPlan(t, e, text).Eval(ctx, vars, Unlimited)
			if g := describe(res.Value, res.Err, res.Cost); g != w {
				t.Errorf("%s: %v\n got %+v\nwant %+v", text, context.Cause(ctx), g, w)
			}
			if res.Kind == KindInterrupted {
				interrupted++
				if !errors.Is(res.Err, ErrInterrupted) || !errors.Is(res.Err, context.Cause(ctx)) {
					t.Errorf("%s: error %v", text, res.Err)
				}
			}
		}
		if (interrupted > 0) != (ctx.Err() != nil) {
			t.Errorf("%v: %d evaluations interrupted", ctx.Err(), interrupted)
		}
	}
}

// TestConcurrent shares programs, among them one whose errors are shared too.
func TestConcurrent(t *testing.T) {
	shared := types.NewErr("shared")
	env := newEnv(t, cel.Function("fail", cel.Overload("fail_dyn", []*cel.Type{cel.DynType}, cel.DynType,
		cel.UnaryBinding(func(ref.Val) ref.Val { return shared }))))
	e := newEngines(t, env, fingerprint)
	var group sync.WaitGroup
	for _, text := range []string{`fail(i)`, `lm.filter(e, e.a in [1]).map(e, e.s)`, `lm.filter(e, lax(e.s, three(e, e.a, 1)) == 7).size()`, `self.absent`, `dyn(i) + s`} {
		prog := mustPlan(t, e, text)
		want := prog.Eval(t.Context(), nativeVars(), Unlimited)
		for range 4 {
			group.Add(1)
			go func() {
				defer group.Done()
				for range 50 {
					got := prog.Eval(t.Context(), nativeVars(), Unlimited)
					if fmt.Sprint(got.Err) != fmt.Sprint(want.Err) || got.Cost != want.Cost {
						t.Errorf("%s: %+v, want %+v", text, got, want)
					}
				}
			}()
		}
	}
	group.Wait()
	if id := shared.(*types.Err).NodeID(); id != 0 {
		t.Errorf("the shared error got the position %d", id)
	}
}

func TestDeepNesting(t *testing.T) {
	e := newEngines(t, newEnv(t), fingerprint)
	text := strings.Repeat("[1].map(e, ", 20) + "i" + strings.Repeat(")", 20)
	e.compare(t, text, nativeVars(), 100)
	e.compare(t, strings.Repeat("(", 100)+"i"+strings.Repeat(" + 1)", 100), nativeVars(), 100)
}

// TestAllocations pins what evaluations allocate apart from the values.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that allocations cannot be counted")
	}
	e := newEngines(t, newEnv(t), standard)
	vars := activation{"self": valueOf(benchVars())}
	for text, limit := range map[string]float64{
		`self.count <= 5`: 0,
		`has(self.name) && self.name == 'foo' || !has(self.absent)`: 0,
		// One iterator for each list.
		`self.items.all(e, e.tags.all(t, t.size() > 0 && t != 'x'))`: 9,
		`self.name.matches('^[a-z]+$')`:                              0,
		`self.items.all(e, e.kind in ['a', 'b', 'c'])`:               1,
	} {
		prog := mustPlan(t, e, text)
		ctx := t.Context()
		got := testing.AllocsPerRun(200, func() {
			if res := prog.Eval(ctx, vars, Unlimited); res.Err != nil {
				t.Fatal(res.Err)
			}
		})
		if got > limit {
			t.Errorf("%s: %v allocations, want at most %v", text, got, limit)
		}
	}
}
