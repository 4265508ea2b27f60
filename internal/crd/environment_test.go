package crd

import (
	"context"
	"strings"

	"github.com/google/cel-go/cel"
	celchecker "github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/typesystem"
)

// testEnvironment evaluates with cel-go itself, without the libraries of Kubernetes.
type testEnvironment struct {
	base   *cel.Env
	prices *cost.Table
}

func newTestEnvironment() testEnvironment {
	base, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(), cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(),
		cel.CostEstimatorOptions(celchecker.PresenceTestHasCost(false)),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)), ext.Lists(ext.ListsVersion(3)),
	)
	if err != nil {
		panic(err)
	}
	return testEnvironment{base, cost.NewTable(cost.Standard())}
}

func (e testEnvironment) Scope(self *typesystem.Schema) (Scope, error) {
	provider := typesystem.NewProvider(e.base.CELTypeProvider(), self, "selfType1")
	scope := testScope{self: self, prices: e.prices}
	for i, old := range []*types.Type{provider.Type(), types.NewOptionalType(provider.Type())} {
		env, err := e.base.Extend(cel.CustomTypeProvider(provider),
			cel.Variable("self", provider.Type()), cel.Variable("oldSelf", old))
		if err != nil {
			return nil, err
		}
		scope.envs[i] = env
	}
	return scope, nil
}

type testScope struct {
	self   *typesystem.Schema
	envs   [2]*cel.Env
	prices *cost.Table
}

func (s testScope) Compile(expr string, optionalOldSelf bool) (*Expression, error) {
	env := s.envs[0]
	if optionalOldSelf {
		env = s.envs[1]
	}
	tree, issues := env.Compile(expr)
	if issues != nil {
		return nil, &CompileError{Stage: StageCheck, Err: issues.Err()}
	}
	out := &Expression{Type: tree.OutputType()}
	for _, ref := range tree.NativeRep().ReferenceMap() {
		out.OldSelf = out.OldSelf || ref.Name == "oldSelf"
	}
	var err error
	if out.Cost, err = s.prices.Estimate(tree.NativeRep(), s.self); err != nil {
		return out, &CompileError{Stage: StageEstimate, Err: err}
	}
	out.Program = testProgram{env, tree, s.prices.Estimator(s.self)}
	return out, nil
}

type testProgram struct {
	env    *cel.Env
	tree   *cel.Ast
	prices *cost.Estimator
}

type testActivation struct{ eval.Vars }

func (testActivation) Parent() interpreter.Activation { return nil }

func (p testProgram) Eval(ctx context.Context, vars eval.Vars, limit uint64) eval.Result {
	program, err := p.env.Program(p.tree, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTracking(p.prices),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)), cel.CostLimit(limit), cel.InterruptCheckFrequency(cost.InterruptFrequency))
	if err != nil {
		panic(err)
	}
	value, details, err := program.ContextEval(ctx, testActivation{vars})
	result := eval.Result{Value: value, Cost: *details.ActualCost(), Err: err}
	switch {
	case err == nil:
	case strings.HasPrefix(err.Error(), "no such overload"):
		result.Kind = eval.KindNoSuchOverload
	case strings.HasPrefix(err.Error(), "operation cancelled"):
		result.Kind = eval.KindCostLimit
	case strings.HasPrefix(err.Error(), "operation interrupted"):
		result.Kind = eval.KindInterrupted
	default:
		result.Kind = eval.KindError
	}
	return result
}

func (testProgram) Position(string, int64) (line, column int) { return 0, 0 }
