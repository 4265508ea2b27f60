package library_test

import (
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/testauthz"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// server evaluates expressions in the environment of a version of Kubernetes, by
// cel-go.
type server struct {
	env    *cel.Env
	prices *pricing.Table
}

func newServer(t testing.TB, v release.Release) server {
	t.Helper()
	options := []cel.EnvOption{cel.Variable("authorizer", library.AuthorizerType())}
	prices := []pricing.Prices{pricing.Standard(release.Newest())}
	for _, l := range serverLibraries(v) {
		options = append(options, l.EnvOption())
		prices = append(prices, l.Prices(release.Newest()))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatal(err)
	}
	return server{env, pricing.NewTable(prices...)}
}

func serverLibraries(v release.Release) []library.Library {
	libraries := library.For(release.Newest(), v)
	for i, l := range libraries {
		libraries[i] = l.Released()
	}
	return libraries
}

// run evaluates an expression as an API server does, with its limit per call.
func (s server) run(t testing.TB, tree *cel.Ast) (ref.Val, error) {
	t.Helper()
	program, err := s.env.Program(tree,
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(cost.PerCallLimit), cel.CostTracking(s.prices),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)))
	if err != nil {
		return nil, err
	}
	out, _, err := program.Eval(map[string]any{"authorizer": testAuthorizer(t)})
	return out, err
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

// testAuthorizer is the variable `authorizer` of the cases.
func testAuthorizer(t testing.TB) ref.Val {
	t.Helper()
	v, err := testauthz.Variable()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
