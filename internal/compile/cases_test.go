package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/testauthz"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// row is an expression and what an API server of 1.37 makes of it. Exactly one of
// Compile, Plan, Error and Want is set.
type row struct {
	Expr string
	// Compile is the text of the errors of compilation.
	Compile string
	// Plan is the error of planning the program.
	Plan string
	// Error is the error of evaluation.
	Error string
	// Want is the result as printed by literal.
	Want string
	// Estimate is the estimated cost.
	Estimate *cost.Range
	// Cost is what the evaluation cost.
	Cost *uint64
	// Since is the first environment version in which all of that holds, if it
	// does not in all.
	Since string
}

// outcome is what we make of an expression, in the form of a row.
func outcome(scope *Scope, values values, expr string) row {
	r := row{Expr: expr}
	x, failed := scope.Compile(expr)
	if x == nil {
		r.Compile = failed.Server
		return r
	}
	estimate := x.Prices().Estimate(x.Checked, scope.sizes)
	r.Estimate = &estimate
	if failed != nil {
		r.Plan = failed.Server
		return r
	}
	result := x.Program.Eval(context.Background(), values, cost.PerCallLimit)
	r.Cost = &result.Cost
	if result.Err != nil {
		r.Error = result.Err.Error()
	} else {
		r.Want = literal(result.Value)
	}
	return r
}

// values are the variables of the cases.
type values map[string]any

func (v values) ResolveName(name string) (any, bool) {
	value, ok := v[name]
	return value, ok
}

func variables(t *testing.T) (values, []*decls.VariableDecl) {
	t.Helper()
	authorizer, err := testauthz.Variable()
	if err != nil {
		t.Fatal(err)
	}
	return values{
			"text":       "10.0.0.0/8",
			"freeText":   "1.2.3",
			"texts":      []string{"b", "a"},
			"freeTexts":  []string{"::1", "::2", "::1"},
			"ints":       []int64{3, 1, 2},
			"any":        "10.0.0.1",
			"anys":       []any{int64(1), "0123456789", 2.0},
			"byText":     map[string]int64{"0123456789": 1, "b": 2},
			"authorizer": authorizer,
		}, []*decls.VariableDecl{
			decls.NewVariable("text", types.StringType),
			decls.NewVariable("freeText", types.StringType),
			decls.NewVariable("texts", types.NewListType(types.StringType)),
			decls.NewVariable("freeTexts", types.NewListType(types.StringType)),
			decls.NewVariable("ints", types.NewListType(types.IntType)),
			decls.NewVariable("any", types.DynType),
			decls.NewVariable("anys", types.NewListType(types.DynType)),
			decls.NewVariable("byText", types.NewMapType(types.StringType, types.IntType)),
		}
}

// sizes are the limits of some variables, as a schema would give them.
type sizes map[string]cost.Range

func (s sizes) SizeOf(path []string) (cost.Range, bool) {
	size, ok := s[strings.Join(path, ".")]
	return size, ok
}

var variableSizes = sizes{
	"text":         {Min: 3, Max: 55},
	"texts":        {Min: 1, Max: 12},
	"ints":         {Min: 1, Max: 12},
	"texts.@items": {Min: 2, Max: 33},
	"byText":       {Max: 7},
	"any":          {Max: 7},
}

// differences compares an outcome with a row.
func (r row) differences(got row) error {
	var errs []error
	text := func(what, want, got string) {
		if want != got {
			errs = append(errs, fmt.Errorf("%s %q, want %q", what, got, want))
		}
	}
	text("compile error", r.Compile, got.Compile)
	text("plan error", r.Plan, got.Plan)
	text("error", r.Error, got.Error)
	text("result", r.Want, got.Want)
	if r.Compile == "" {
		text("estimate", fmt.Sprint(deref(r.Estimate)), fmt.Sprint(deref(got.Estimate)))
	}
	if r.Compile == "" && r.Plan == "" {
		text("cost", fmt.Sprint(deref(r.Cost)), fmt.Sprint(deref(got.Cost)))
	}
	return errors.Join(errs...)
}

func deref[T any](p *T) any {
	if p == nil {
		return "none"
	}
	return *p
}

// versions builds the environments of all versions once.
func versions(t *testing.T, common []*decls.VariableDecl) map[string]*Scope {
	t.Helper()
	scopes := map[string]*Scope{}
	for minor := 0; minor <= 37; minor++ {
		if minor > 0 && minor < 25 {
			continue // nothing changed before what can be told apart
		}
		version := release.Minor(minor)
		libraries := append(library.For(release.Newest(), version), library.JSONPatch())
		env, err := New(Config{Libraries: libraries})
		if err != nil {
			t.Fatal(err)
		}
		variables := slices.Clone(common)
		if slices.ContainsFunc(libraries, func(l library.Library) bool { return l.Name == "kubernetes.authz" }) {
			variables = append(variables, decls.NewVariable("authorizer", library.AuthorizerType()))
		}
		scope, err := env.Scope(env.CEL().CELTypeProvider(), variableSizes, variables...)
		if err != nil {
			t.Fatal(err)
		}
		scopes[fmt.Sprintf("1.%d", minor)] = scope
	}
	return scopes
}

// TestExhaustiveCases replays what an API server makes of expressions: in the newest
// environment, in the one that introduced what a row needs, and not in the one
// before.
func TestExhaustiveCases(t *testing.T) {
	values, declared := variables(t)
	scopes := versions(t, declared)
	files, err := filepath.Glob("../../testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var rows []row
			if err := yaml.UnmarshalStrict(data, &rows); err != nil {
				t.Fatal(err)
			}
			if len(rows) == 0 {
				t.Fatal("no rows")
			}
			for _, r := range race.Sample(rows, 3) {
				if err := r.differences(outcome(scopes["1.37"], values, r.Expr)); err != nil {
					t.Errorf("%s\n%v", r.Expr, err)
				}
				if r.Since == "" {
					continue
				}
				if err := r.differences(outcome(scopes[r.Since], values, r.Expr)); err != nil {
					t.Errorf("%s: in version %s\n%v", r.Expr, r.Since, err)
				}
				if before := scopes[previous(t, r.Since)]; before != nil && r.differences(outcome(before, values, r.Expr)) == nil {
					t.Errorf("%s: the same before version %s", r.Expr, r.Since)
				}
			}
			t.Logf("%d rows", len(rows))
		})
	}
}

func previous(t *testing.T, version string) string {
	t.Helper()
	var minor int
	if _, err := fmt.Sscanf(version, "1.%d", &minor); err != nil {
		t.Fatalf("version %q: %v", version, err)
	}
	return fmt.Sprintf("1.%d", minor-1)
}
