package library_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"go.yaml.in/yaml/v3"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/library"
)

// serverLibraries are those of an environment of Kubernetes 1.<minor>.
func serverLibraries(minor int) []library.Library {
	var out []library.Library
	for _, all := range [][]library.Library{library.Kubernetes(), library.Extensions(),
		{library.Format(), library.Authz(), library.AuthzSelectors()}} {
		for _, l := range all {
			v := library.Introduced(1, minor)
			if l.Since.Compare(v) <= 0 && (l.Until.IsZero() || l.Until.Compare(v) > 0) {
				out = append(out, l.Released())
			}
		}
	}
	return out
}

// prices is what cel-go cannot be told by options of the environment.
type prices struct{ cost.Prices }

func serverPrices(libraries []library.Library) prices {
	p := prices{cost.Prices{Functions: map[string]cost.Model{}, Equality: map[string]cost.Model{}}}
	for _, l := range libraries {
		own := l.Prices()
		for k, m := range own.Functions {
			p.Functions[k] = m
		}
		for k, m := range own.Equality {
			p.Equality[k] = m
		}
	}
	return p
}

func (p prices) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	m := cost.Model{}
	if function == "_==_" {
		m = p.Equality[args[0].Type().TypeName()]
	} else if overload == "" {
		m = p.Functions[function]
	}
	if m.Runtime == nil {
		return nil
	}
	c := m.Runtime(args, result)
	return &c
}

func (p prices) EstimateCallCost(function, _ string, _ *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if function != "_==_" || args[0].Type().TypeName() != args[1].Type().TypeName() {
		return nil
	}
	m := p.Equality[args[0].Type().TypeName()]
	if m.Estimate == nil {
		return nil
	}
	return &checker.CallEstimate{CostEstimate: checker.CostEstimate(m.Estimate(make([]cost.Operand, 2)).Cost)}
}

func (prices) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }

// server is an environment of an API server, with the variable `authorizer`.
type server struct {
	env    *cel.Env
	prices prices
}

func newServer(t testing.TB, minor int) server {
	t.Helper()
	libraries := serverLibraries(minor)
	options := []cel.EnvOption{cel.Variable("authorizer", library.AuthorizerType)}
	for _, l := range libraries {
		options = append(options, l.EnvOption())
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatal(err)
	}
	return server{env, serverPrices(libraries)}
}

// run evaluates an expression as an API server does, with its limit per call.
func (s server) run(t testing.TB, tree *cel.Ast) (out ref.Val, spent uint64, err error) {
	t.Helper()
	program, err := s.env.Program(tree,
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(1_000_000), cel.CostTracking(s.prices),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)))
	if err != nil {
		return nil, 0, err
	}
	out, details, err := program.Eval(map[string]any{"authorizer": testAuthorizer(t)})
	if details != nil && details.ActualCost() != nil {
		spent = *details.ActualCost()
	}
	return out, spent, err
}

type caseRow struct {
	Expr     string
	Want     string
	Error    string
	Estimate *struct{ Min, Max uint64 }
	Cost     *uint64
	Since    string
}

func TestCasesOfExtensions(t *testing.T) {
	newest := newServer(t, 37)
	versions := map[string]server{}
	for _, name := range []string{"format", "authz", "strings", "sets", "extlists"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "testdata", "cases", name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var rows []caseRow
			if err := yaml.Unmarshal(data, &rows); err != nil {
				t.Fatal(err)
			}
			if len(rows) == 0 {
				t.Fatal("no cases")
			}
			for _, row := range rows {
				newest.check(t, row)
				if row.Since == "" {
					continue
				}
				since, ok := versions[row.Since]
				if !ok {
					minor, err := strconv.Atoi(row.Since[2:])
					if err != nil {
						t.Fatal(err)
					}
					since = newServer(t, minor)
					versions[row.Since] = since
				}
				since.check(t, row)
			}
		})
	}
}

func (s server) check(t *testing.T, row caseRow) {
	t.Helper()
	tree, issues := s.env.Compile(row.Expr)
	if err := issues.Err(); err != nil {
		if err.Error() != row.Error {
			t.Errorf("%s: compile error\n%v\nwant\n%s", row.Expr, err, row.Error)
		}
		return
	}
	if row.Estimate == nil || row.Cost == nil {
		t.Errorf("%s: compiles, want error\n%s", row.Expr, row.Error)
		return
	}
	estimate, err := s.env.EstimateCost(tree, s.prices)
	if err != nil {
		t.Fatalf("%s: %v", row.Expr, err)
	}
	if estimate.Min != row.Estimate.Min || estimate.Max != row.Estimate.Max {
		t.Errorf("%s: estimate %v, want %v", row.Expr, estimate, *row.Estimate)
	}
	out, spent, err := s.run(t, tree)
	if spent != *row.Cost {
		t.Errorf("%s: cost %d, want %d", row.Expr, spent, *row.Cost)
	}
	switch {
	case err != nil || row.Error != "":
		if err == nil || err.Error() != row.Error {
			t.Errorf("%s: error %v, want %s", row.Expr, err, row.Error)
		}
	case !s.same(t, out, row.Want):
		t.Errorf("%s: %v, want %s", row.Expr, out, row.Want)
	}
}

// same tells whether a value is the one that an expression gives, and of its
// type.
func (s server) same(t *testing.T, got ref.Val, expr string) bool {
	t.Helper()
	parsed, issues := s.env.Parse(expr) // a list of several types does not compile
	if issues.Err() != nil {
		t.Fatalf("%s: %v", expr, issues.Err())
	}
	program, err := s.env.Program(parsed)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	want, _, err := program.Eval(cel.NoVars())
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return want.Type().TypeName() == got.Type().TypeName() && want.Equal(got) == types.True
}
