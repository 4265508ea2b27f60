package library_test

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/library"
)

// libraries are all that this package declares.
func libraries() []library.Library {
	return append(library.Kubernetes(), library.JSONPatch())
}

func TestDeclarationsAreComplete(t *testing.T) {
	owner := map[string]string{}
	for _, l := range libraries() {
		if l.Name == "" || l.Doc == "" || l.Since.IsZero() {
			t.Errorf("library %q: name, doc or version is missing", l.Name)
		}
		for _, ty := range l.Types {
			if ty.Doc == "" || ty.EqualCost.Estimate == nil || ty.EqualCost.Runtime == nil {
				t.Errorf("type %s: doc or price of == is missing", ty.CEL)
			}
		}
		for _, f := range l.Functions {
			if f.Doc == "" || len(f.Overloads) == 0 {
				t.Errorf("function %s: doc or overloads are missing", f.Name)
			}
			for _, o := range f.Overloads {
				if other, ok := owner[o.ID]; ok && other != l.Name {
					t.Errorf("overload %s is in %s and in %s", o.ID, l.Name, other)
				}
				owner[o.ID] = l.Name
				if o.Cost.Estimate == nil || o.Cost.Runtime == nil {
					t.Errorf("overload %s has no price", o.ID)
				}
				if len(o.Examples) == 0 || len(o.Args) == 0 || o.Result == nil {
					t.Errorf("overload %s: examples or signature are missing", o.ID)
				}
			}
		}
	}
}

// TestExamples evaluates each example in an environment of its library alone,
// with what the library needs.
func TestExamples(t *testing.T) {
	needs := map[string][]library.Library{
		"kubernetes.net.cidr": {library.IP()},
	}
	for _, l := range libraries() {
		options := []cel.EnvOption{cel.OptionalTypes(), l.EnvOption()}
		for _, n := range needs[l.Name] {
			options = append(options, n.EnvOption())
		}
		env, err := cel.NewEnv(options...)
		if err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		for _, f := range l.Functions {
			for _, o := range f.Overloads {
				for _, e := range o.Examples {
					checkExample(t, env, o, e)
				}
			}
		}
	}
}

func checkExample(t *testing.T, env *cel.Env, o library.Overload, e library.Example) {
	t.Helper()
	if (e.Want == "") == (e.Err == "") {
		t.Errorf("%s: %s: want exactly one of Want and Err", o.ID, e.Expr)
		return
	}
	expr := e.Expr
	if e.Want != "" {
		expr = "(" + e.Expr + ") == (" + e.Want + ")"
	}
	ast, issues := env.Compile(expr)
	if issues.Err() != nil {
		if e.Err == "" || !strings.Contains(issues.Err().Error(), e.Err) {
			t.Errorf("%s: %s: %v", o.ID, expr, issues.Err())
		}
		return
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
	if err == nil {
		var out any
		out, _, err = program.Eval(cel.NoVars())
		if err == nil && e.Err == "" && out != types.True {
			t.Errorf("%s: %s is not true", o.ID, expr)
		}
	}
	if (err != nil) != (e.Err != "") || err != nil && !strings.Contains(err.Error(), e.Err) {
		t.Errorf("%s: %s: got error %v, want %q", o.ID, e.Expr, err, e.Err)
	}
}

func TestReleasedLeavesOutWhatNoServerHas(t *testing.T) {
	for _, l := range libraries() {
		for _, f := range l.Released().Functions {
			if len(f.Overloads) == 0 {
				t.Errorf("%s: no overloads", f.Name)
			}
			for _, o := range f.Overloads {
				if o.Beyond {
					t.Errorf("%s is beyond what was released", o.ID)
				}
			}
		}
	}
	env, err := cel.NewEnv(library.IP().Released().EnvOption())
	if err != nil {
		t.Fatal(err)
	}
	if _, issues := env.Compile(`ip('::1').isCanonical()`); issues.Err() == nil {
		t.Error("the member isCanonical compiles")
	}
	// The spelling must not matter for the keys of a map, which Go compares.
	ast, issues := env.Compile(`ip('0::1') in {ip('::1'): 1}`)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	if out, _, err := program.Eval(cel.NoVars()); err != nil || out != types.True {
		t.Errorf("got %v, %v, want true", out, err)
	}
}
