package compile

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"

	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// TestExhaustiveIdle holds that a validator which is taken for idle finds nothing.
func TestExhaustiveIdle(t *testing.T) {
	scope := judgedScopes(t)["newest"]
	samples := append(race.Sample(caseExpressions(t), 10), checkedSamples...)
	samples = append(samples,
		"duration('1h')", "duration('x')", "duration(1)", "timestamp(1)", "timestamp('2024-01-01T00:00:00Z')", "timestamp('0000-01-01T00:00:00Z')", "timestamp('x')", "'a'.matches('(')", "'%d'.format(['a'])", "[1, 'a']", "{'a': 1, 'b': 'c'}", "{'a': 1, 2: 3}", "[?opt, 1]", "[[1, 'a']]",
		"{'k': [1, 'a']}", "'%s'.format([[1, 'a']])", "has({'a': duration('x')}.a)", "[1].map(x, duration('x'))", "[duration('x')].all(x, true)", "duration('x') == d",
		"'a'.startsWith(string(duration('x')))", "[dyn(1), 1]", "[d, 1]", "{'a': d, 'b': 1}", "Object{a: duration('x')}", "[?dyn([])[?0]]", "{?'a': dyn([])[?0]}")
	idle, busy := map[string]int{}, map[string]int{}
	for _, expr := range samples {
		_, parsed, failed := scope.parse(expr)
		if failed != nil {
			continue
		}
		checked, failed := scope.types(expr, parsed)
		if failed != nil {
			continue
		}
		found := literals{env: scope.env, tree: checked}
		found.add(checked.Expr())
		for _, v := range scope.env.cel.Validators() {
			if !found.idle(v.Name()) {
				busy[v.Name()]++
				continue
			}
			idle[v.Name()]++
			issues := cel.NewIssues(common.NewErrors(common.NewTextSource(expr)))
			if v.Validate(scope.env.cel, validatorConfig{}, checked, issues); issues.Err() != nil {
				t.Errorf("%s: %s is no idle validator: %v", expr, v.Name(), issues.Err())
			}
		}
	}
	if len(idle) != 5 || len(busy) != 5 {
		t.Errorf("idle %v, busy %v: not all validators were seen in both ways", idle, busy)
	}
}

// TestCallersValidator holds that the validator of a caller always runs.
func TestCallersValidator(t *testing.T) {
	env, err := ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		t.Fatal(err)
	}
	env, err = env.Extend(Addition{Options: []cel.EnvOption{cel.ASTValidators(cel.ValidateComprehensionNestingLimit(0))}})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := env.Scope(env.cel.CELTypeProvider(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, failed := scope.Compile("[1].all(x, true)"); failed == nil {
		t.Error("a comprehension passes a limit of none")
	}
	if _, failed := scope.Compile("1 == 1"); failed != nil {
		t.Error(fmt.Sprint(failed))
	}
}
