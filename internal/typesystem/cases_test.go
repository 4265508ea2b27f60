package typesystem_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/celgo"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// cases is testdata/typesystem/typesystem.yaml.
type cases struct {
	Groups []struct {
		Name, Schema string
		Root         bool
		Self, Other  json.RawMessage
		Rows         []row
	}
	Sizes []struct {
		Schema      json.RawMessage
		Root        bool
		Exposed     bool
		Cardinality uint64
		Paths       []struct {
			Path []string
			Max  *uint64
		}
	}
	Invalid []struct {
		Schema json.RawMessage
		Error  string
	}
}

// row is an expression and its outcome: with a cost if it evaluates, with an estimate if it compiles.
type row struct {
	outcome
	Expr     string
	Estimate []uint64
	// Or are further outcomes, where an API server follows the random order of Go maps.
	Or []outcome
}

type outcome struct {
	Want string
	Cost uint64
}

func readCases(t *testing.T) (c cases) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/typesystem/typesystem.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func compile(t testing.TB, schema string, root bool) *typesystem.Schema {
	t.Helper()
	doc, err := typesystem.ParseOpenAPI([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	s, err := typesystem.Compile(doc, root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t testing.TB, data []byte) (value any) {
	t.Helper()
	if err := kjson.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// baseEnv is the environment in which the outcomes were recorded.
func baseEnv(t testing.TB) *cel.Env {
	t.Helper()
	env, err := cel.NewEnv(cel.OptionalTypes(), ext.Strings(), ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(3)),
		cel.CrossTypeNumericComparisons(true), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.HomogeneousAggregateLiterals(), cel.EnableIdentifierEscapeSyntax())
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func withSchema(t testing.TB, base *cel.Env, s *typesystem.Schema) *cel.Env {
	t.Helper()
	p := typesystem.NewProvider(base.CELTypeProvider(), s, "T")
	env, err := base.Extend(cel.CustomTypeProvider(p), cel.CustomTypeAdapter(p),
		cel.Variable("self", p.Type()), cel.Variable("other", p.Type()))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// sizes prices nothing: it is the size estimates alone.
type sizes struct{ schema *typesystem.Schema }

func (s sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	r, ok := s.schema.Sizes(release.Newest()).SizeOf(node.Path())
	if !ok {
		return nil
	}
	return &checker.SizeEstimate{Min: r.Min, Max: r.Max}
}

func (s sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// invalidData is the group of cases that evaluate values of wrong types.
const invalidData = "invalid data"

// TestExhaustiveExpressions evaluates with cel-go's own interpreter. A newer one leaves
// operands out once another has failed: then the costs of failures differ.
func TestExhaustiveExpressions(t *testing.T) {
	base := baseEnv(t)
	newer := celgo.Newer(t)
	if newer {
		t.Log("a newer cel-go: costs of invalid data are not compared")
	}
	for _, group := range readCases(t).Groups {
		s := compile(t, group.Schema, group.Root)
		env := withSchema(t, base, s)
		values := s
		if group.Root {
			values = s.WithObjectMeta()
		}
		for _, row := range race.Sample(group.Rows, 3) {
			t.Run(group.Name+"/"+row.Expr, func(t *testing.T) {
				vars := map[string]any{
					"self":  values.Value(decode(t, group.Self)),
					"other": values.Value(decode(t, group.Other)),
				}
				// Several times, so that a random order would show.
				var first outcome
				for i := range 5 {
					got, estimate := evaluate(env, s, row.Expr, vars)
					if i == 0 {
						first = got
					}
					if got != first {
						t.Fatalf("not deterministic: %v and %v", first, got)
					}
					if fmt.Sprint(estimate) != fmt.Sprint(row.Estimate) {
						t.Errorf("estimate %v, want %v", estimate, row.Estimate)
					}
				}
				same := func(o outcome) bool {
					if newer && group.Name == invalidData {
						o.Cost = first.Cost
					}
					return first == o
				}
				ok := same(row.outcome)
				for _, o := range row.Or {
					ok = ok || same(o)
				}
				if !ok {
					t.Errorf("got  %v\nwant %v", first, row.outcome)
				}
			})
		}
	}
}

func evaluate(env *cel.Env, s *typesystem.Schema, expr string, vars map[string]any) (got outcome, estimate []uint64) {
	ast, issues := env.Compile(expr)
	if issues.Err() != nil {
		return outcome{Want: "invalid: " + issues.Err().Error()}, nil
	}
	if e, err := env.EstimateCost(ast, sizes{s}); err == nil {
		estimate = []uint64{e.Min, e.Max}
	}
	program, err := env.Program(ast, cel.CostTracking(nil))
	if err != nil {
		return outcome{Want: "program: " + err.Error()}, estimate
	}
	value, details, err := program.Eval(vars)
	if details != nil && details.ActualCost() != nil {
		got.Cost = *details.ActualCost()
	}
	if err != nil {
		got.Want = "error: " + err.Error()
	} else {
		got.Want = describe(value)
	}
	return got, estimate
}

func TestSizes(t *testing.T) {
	for _, c := range readCases(t).Sizes {
		s := compile(t, string(c.Schema), c.Root)
		if s.Exposed() != c.Exposed {
			t.Errorf("%s: exposed %v, want %v", c.Schema, s.Exposed(), c.Exposed)
		}
		if n := s.MaxCardinality(); c.Exposed && n != c.Cardinality {
			t.Errorf("%s: cardinality %d, want %d", c.Schema, n, c.Cardinality)
		}
		for _, p := range c.Paths {
			r, ok := s.Sizes(release.Newest()).SizeOf(p.Path)
			want := cost.Range{}
			if p.Max != nil {
				want.Max = *p.Max
			}
			if r != want || ok != (p.Max != nil) {
				t.Errorf("%s at %v: size %v %v, want %v %v", c.Schema, p.Path, r, ok, want, p.Max != nil)
			}
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range readCases(t).Invalid {
		doc, err := typesystem.ParseOpenAPI(c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		_, err = typesystem.Compile(doc, false)
		if c.Error == "" {
			if err != nil {
				t.Errorf("%s: %v", c.Schema, err)
			}
			continue
		}
		if unusable, ok := errs.As[*diag.InputError](err); !ok || unusable.Cause.Error() != c.Error {
			t.Errorf("%s: %v, want %s", c.Schema, err, c.Error)
		}
	}
}

func TestErrorPaths(t *testing.T) {
	for schema, want := range map[string]string{
		`{$ref: x}`: "schema is not structural: OpenAPIV3Schema '$ref' is not supported",
		`{properties: {a: {items: {additionalProperties: {id: x}}}}}`: "properties[a].items.additionalProperties: schema is not structural: OpenAPIV3Schema 'id' is not supported",
		`{allOf: [{}, {not: {oneOf: [{anyOf: [{id: x}]}]}}]}`:         "allOf[1].not.oneOf[0].anyOf[0]: schema is not structural: OpenAPIV3Schema 'id' is not supported",
	} {
		doc, err := typesystem.ParseOpenAPI([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = typesystem.Compile(doc, true); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", schema, err, want)
		}
	}
	if _, err := typesystem.Compile(nil, true); err == nil {
		t.Error("Compile(nil) succeeds")
	}
}
