package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
)

// foreignEstimates are the estimates that options of a caller bring: own has only what
// these options bring. Presence tells whether they let presence tests cost something.
//
// cel-go keeps its estimators to itself. So that the estimate here, with its traces and
// its releases, can use them, cel-go is asked for the estimate of one call at a time.
func foreignEstimates(env, own *cel.Env) (prices pricing.Prices, presence bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("an estimator of an option of cel-go fails: %v", r)
		}
	}()
	prices.Overloads = map[string]cost.Model{}
	functions := env.Functions()
	var calls []call
	var known []checker.CostOption
	missing := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		for _, o := range functions[name].OverloadDecls() {
			calls = append(calls, call{own, name, o})
			known = append(known, checker.OverloadCostEstimate(o.ID(), func(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
				missing[o.ID()] = true
				return &checker.CallEstimate{}
			}))
		}
	}
	q := newQuestion(own)
	for _, c := range calls {
		q.list = append(q.list, q.call(c, make([]cost.Operand, len(c.overload.ArgTypes()))))
	}
	if _, err := q.ask(q.NewList(q.id(), q.list, nil), known); err != nil {
		return prices, false, err
	}
	for _, c := range calls {
		if !missing[c.overload.ID()] {
			prices.Overloads[c.overload.ID()] = cost.Model{Estimate: c.estimate}
		}
	}
	presence, err = presenceCosts(own)
	return prices, presence, err
}

// presenceCosts tells whether options let presence tests cost something. That is what
// cel-go does without any option.
func presenceCosts(own *cel.Env) (bool, error) {
	q := newQuestion(own)
	test := q.NewPresenceTest(q.id(), q.argument(cost.Operand(nil), types.NewMapType(types.StringType, types.DynType)), "field")
	estimate, err := q.ask(test, []checker.CostOption{checker.PresenceTestHasCost(false)})
	return estimate.Max > 0, err
}

// call is a call of an overload.
type call struct {
	env      *cel.Env
	function string
	overload *decls.OverloadDecl
}

// estimate is what an estimator of cel-go says of the call.
func (c call) estimate(operands []cost.Operand) cost.Estimate {
	q := newQuestion(c.env)
	var result *checker.SizeEstimate
	// The size of the result is what a call around the call is told.
	around := q.invoke("@result", "@result", nil, []celast.Expr{q.call(c, operands)}, types.DynType)
	estimate, err := q.ask(around, []checker.CostOption{checker.OverloadCostEstimate("@result",
		func(_ checker.CostEstimator, _ *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
			result = args[0].ComputedSize()
			return &checker.CallEstimate{}
		})})
	if err != nil {
		return cost.Estimate{Cost: cost.Unbounded()}
	}
	return cost.Estimate{Cost: cost.Range(estimate), Result: (*cost.Range)(result)}
}

// question is an expression whose estimate cel-go is asked for.
type question struct {
	celast.ExprFactory
	env      *cel.Env
	ast      *celast.AST
	options  []checker.CostOption
	operands map[int64]cost.Operand
	list     []celast.Expr
	last     int64
}

func newQuestion(env *cel.Env) *question {
	factory := celast.NewExprFactory()
	return &question{
		ExprFactory: factory, env: env, operands: map[int64]cost.Operand{},
		ast: celast.NewCheckedAST(celast.NewAST(factory.NewUnspecifiedExpr(0), celast.NewSourceInfo(nil)),
			map[int64]*types.Type{}, map[int64]*celast.ReferenceInfo{}),
	}
}

func (q *question) id() int64 {
	q.last++
	return q.last
}

// invoke makes a call.
func (q *question) invoke(function, overload string, target celast.Expr, args []celast.Expr, result *types.Type) celast.Expr {
	id := q.id()
	q.ast.SetType(id, result)
	q.ast.SetReference(id, celast.NewFunctionReference(overload))
	if target != nil {
		return q.NewMemberCall(id, function, target, args...)
	}
	return q.NewCall(id, function, args...)
}

// call makes the call with operands, which may be nil.
func (q *question) call(c call, operands []cost.Operand) celast.Expr {
	args := make([]celast.Expr, len(operands))
	for i, o := range operands {
		t := types.DynType
		if o != nil {
			t = o.Type()
		} else if declared := c.overload.ArgTypes(); i < len(declared) {
			t = declared[i]
		}
		args[i] = q.argument(o, t)
	}
	// The type of the result would say its size.
	if c.overload.IsMemberFunction() && len(args) > 0 {
		return q.invoke(c.function, c.overload.ID(), args[0], args[1:], types.DynType)
	}
	return q.invoke(c.function, c.overload.ID(), nil, args, types.DynType)
}

// argument makes an argument that costs nothing: a literal, or a call that has the size
// of the operand.
func (q *question) argument(o cost.Operand, t *types.Type) celast.Expr {
	if o != nil && o.Literal() != nil {
		id := q.id()
		q.ast.SetType(id, t)
		return q.NewLiteral(id, o.Literal())
	}
	overload := fmt.Sprintf("@operand%d", q.last)
	e := q.invoke(overload, overload, nil, nil, t)
	estimate := &checker.CallEstimate{}
	if o != nil {
		q.operands[e.ID()] = o
		if size, ok := o.Known(); ok {
			estimate.ResultSize = (*checker.SizeEstimate)(&size)
		}
	}
	q.options = append(q.options, checker.OverloadCostEstimate(overload, func(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
		return estimate
	}))
	return e
}

// ask returns the estimate of an expression.
func (q *question) ask(e celast.Expr, options []checker.CostOption) (checker.CostEstimate, error) {
	asked, issues := q.env.Parse("0")
	if issues.Err() != nil {
		return checker.CostEstimate{}, issues.Err()
	}
	*asked.NativeRep() = *celast.NewCheckedAST(celast.NewAST(e, q.ast.SourceInfo()), q.ast.TypeMap(), q.ast.ReferenceMap())
	return q.env.EstimateCost(asked, q, append(q.options, options...)...)
}

// EstimateSize is part of checker.CostEstimator.
func (q *question) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	size := cost.Unbounded()
	if node.Expr() != nil {
		if o := q.operands[node.Expr().ID()]; o != nil {
			if size = o.Size(); size == cost.Unbounded() {
				return nil
			}
		}
	}
	return (*checker.SizeEstimate)(&size)
}

// EstimateCallCost is part of checker.CostEstimator.
func (*question) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
