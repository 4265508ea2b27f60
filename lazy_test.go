package kubecel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
)

// lazyEnvs are environments whose expressions are evaluated here, and by cel-go.
func lazyEnvs(t *testing.T) map[string]*kubecel.Env {
	t.Helper()
	schema := must(kubecel.ParseSchema([]byte(`{type: object, properties: {m: {type: integer}}}`)))
	vars := []kubecel.EnvOption{
		kubecel.Variable("a", cel.IntType), kubecel.Variable("b", cel.IntType), kubecel.SchemaVariable("self", schema),
	}
	env := must(kubecel.NewEnv(vars...))
	return map[string]*kubecel.Env{
		"own":         env,
		"interpreted": must(env.Extend(kubecel.CELOptions(programOptions(cel.Globals(map[string]any{"unused": 1}))))),
	}
}

// TestLazyVariables holds that functions compute variables when they are first used, and
// once in an evaluation.
func TestLazyVariables(t *testing.T) {
	for name, env := range lazyEnvs(t) {
		calls := map[string]int{}
		vars := map[string]any{
			"a":    func() any { calls["a"]++; return 1 },
			"b":    func() (any, error) { calls["b"]++; return int64(2), nil },
			"self": func() any { calls["self"]++; return map[string]any{"m": int64(3)} },
		}
		for i, tt := range []struct {
			expr string
			want map[string]int
		}{
			{"a + a + a == 3", map[string]int{"a": 1}},
			{"a == 1 || b == 5", map[string]int{"a": 1}},
			{"[1, 2].all(x, b == 2 && self.m == 3)", map[string]int{"b": 1, "self": 1}},
			{"true", nil},
		} {
			clear(calls)
			x := must(env.Compile(tt.expr))
			for range 2 { // each evaluation computes anew
				if result, err := x.Eval(t.Context(), vars); err != nil || !result.Bool() {
					t.Errorf("%s, %d: %v, %v", name, i, result, err)
				}
			}
			for _, v := range []string{"a", "b", "self"} {
				if calls[v] != 2*tt.want[v] {
					t.Errorf("%s, %s: %d calls for %s in two evaluations", name, tt.expr, calls[v], v)
				}
			}
		}
	}
}

// TestLazyVariablesFail holds that the errors of functions say where the variable
// stands, and that panics are errors.
func TestLazyVariablesFail(t *testing.T) {
	cause := errors.New("the cluster is away")
	for name, env := range lazyEnvs(t) {
		var calls int
		vars := map[string]any{
			"a":    func() (any, error) { calls++; return nil, cause },
			"b":    func() any { panic("a fault") },
			"self": func() any { return make(chan int) },
		}
		var failed *kubecel.EvalError
		_, err := must(env.Compile("1 +\n a")).Eval(t.Context(), vars)
		if !errors.As(err, &failed) || !errors.Is(err, cause) || failed.Code != diag.EvaluationFailed ||
			failed.Position.String() != "2:2" || !strings.Contains(failed.Server, `variable "a": the cluster is away`) {
			t.Errorf("%s: %v", name, err)
		}
		calls = 0
		if result, err := must(env.Compile("a == 1 || a == 2 || true")).Eval(t.Context(), vars); err != nil || !result.Bool() || calls != 1 {
			t.Errorf("%s: %v, %v, %d calls", name, result, err, calls)
		}
		if _, err := must(env.Compile("b == 1")).Eval(t.Context(), vars); !errors.As(err, &failed) || failed.Code != diag.Internal {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := must(env.Compile("self.m == 1")).Eval(t.Context(), vars); !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
