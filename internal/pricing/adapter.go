package pricing

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
)

// CallCost prices a call that was evaluated, so that cel-go can track costs by the
// table. It is never nil.
func (t *Table) CallCost(function, overloadID string, args []ref.Val, result ref.Val) *uint64 {
	price := t.Runtime(function, overloadID)(args, result)
	return &price
}

// OverloadEstimator gives the estimate of one overload to cel-go, for an environment
// without a table.
func OverloadEstimator(m cost.Model) checker.FunctionEstimator {
	return func(sizes checker.CostEstimator, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
		if m.Estimate == nil {
			return nil
		}
		return callEstimate(m.Estimate(operandsOf(target, args, sizes)))
	}
}

// OverloadTracker is OverloadEstimator for the price of an evaluated call.
func OverloadTracker(m cost.Model) interpreter.FunctionTracker {
	return func(args []ref.Val, result ref.Val) *uint64 {
		if m.Runtime == nil {
			return nil
		}
		price := m.Runtime(args, result)
		return &price
	}
}

// operandsOf are the operands of a call, the target first.
func operandsOf(target *checker.AstNode, args []checker.AstNode, sizes checker.CostEstimator) []cost.Operand {
	if target != nil {
		args = append([]checker.AstNode{*target}, args...)
	}
	operands := make([]cost.Operand, len(args))
	for i, n := range args {
		o := operand{path: n.Path(), typ: n.Type(), literal: n.Expr().AsLiteral(), derived: (*cost.Range)(n.ComputedSize())}
		// cel-go itself has asked for the size of the node, but not for that of its elements.
		if params := n.Type().Parameters(); len(params) > 0 && sizes != nil {
			o.sizes = element{estimator: sizes, typ: params[0]}
		}
		operands[i] = o
	}
	return operands
}

func callEstimate(e cost.Estimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: checker.CostEstimate(e.Cost), ResultSize: (*checker.SizeEstimate)(e.Result)}
}

// element is any element of a node, as a Sizer and as a node of cel-go.
type element struct {
	estimator checker.CostEstimator
	typ       *types.Type
	path      []string
}

// SizeOf is part of Sizer.
func (e element) SizeOf(path []string) (cost.Range, bool) {
	e.path = path
	if size := e.estimator.EstimateSize(e); size != nil {
		return cost.Range(*size), true
	}
	return cost.Range{}, false
}

func (e element) Path() []string                      { return e.path }
func (e element) Type() *types.Type                   { return e.typ }
func (e element) Expr() ast.Expr                      { return nil }
func (e element) ComputedSize() *checker.SizeEstimate { return nil }
