package crd

import (
	"github.com/google/cel-go/cel"
	celchecker "github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// testEnvironment has no libraries of Kubernetes.
type testEnvironment struct {
	base    *cel.Env
	planner *eval.Planner
	prices  *pricing.Table
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
	prices := pricing.NewTable(pricing.Standard(release.Newest()))
	planner, err := eval.NewPlanner(eval.Config{
		Functions: base.Functions(),
		Adapter:   base.CELTypeAdapter(),
		Provider:  base.CELTypeProvider(),
		Price:     func(function, overload string) eval.Price { return eval.Price(prices.Runtime(function, overload)) },
	})
	if err != nil {
		panic(err)
	}
	return testEnvironment{base, planner, prices}
}

func (e testEnvironment) Scope(self *typesystem.Schema) (Scope, error) {
	provider := typesystem.NewProvider(e.base.CELTypeProvider(), self, "selfType1")
	scope := testScope{testEnvironment: e, self: self}
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
	testEnvironment
	self *typesystem.Schema
	envs [2]*cel.Env
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
	if out.Cost, err = s.prices.Estimate(tree.NativeRep(), s.self.Sizes(release.Newest())); err != nil {
		return out, &CompileError{Stage: StageEstimate, Err: err}
	}
	out.Program, err = s.planner.Plan(tree.NativeRep(), env.CELTypeProvider())
	return out, err
}
