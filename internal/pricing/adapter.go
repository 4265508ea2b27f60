package pricing

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
)

// Estimator gives the prices of a table to cel-go's own estimate and cost
// tracking:
//
//	env.EstimateCost(ast, estimator, checker.PresenceTestHasCost(false))
//	env.Program(ast, cel.CostTracking(estimator))
//
// cel-go keeps the functions whose price depends on the structure of the
// expression, concatenation among them.
type Estimator struct {
	table *Table
	sizes Sizer
}

var (
	_ checker.CostEstimator           = (*Estimator)(nil)
	_ interpreter.ActualCostEstimator = (*Estimator)(nil)
)

// Estimator returns the table in the form that cel-go takes. The Sizer may be
// nil.
func (t *Table) Estimator(sizes Sizer) *Estimator {
	return &Estimator{table: t, sizes: sizes}
}

// EstimateSize returns the declared size of data.
func (e *Estimator) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if size := declared(e.sizes, element.Path()); size != nil {
		return &checker.SizeEstimate{Min: size.Min, Max: size.Max}
	}
	return nil
}

// EstimateCallCost prices a call before evaluation, nil if the price is cel-go's
// own.
func (e *Estimator) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if isLogical(overloadID) || overloadID == overloads.Conditional || isConcatenation(overloadID) {
		return nil
	}
	operands := operandsOf(target, args, func(checker.AstNode) Sizer { return e.sizes })
	estimate, ok := e.table.estimate(function, overloadID, operands)
	if !ok {
		return nil
	}
	return callEstimate(estimate)
}

// CallCost prices a call that was evaluated. It is never nil. It panics with an
// interpreter.EvalCancelledError at a fault of the price, which is cel-go's way to
// end an evaluation: the program returns it as an error.
func (e *Estimator) CallCost(function, overloadID string, args []ref.Val, result ref.Val) *uint64 {
	endAt(e.table.Fault(function, overloadID), args)
	price := e.table.Runtime(function, overloadID)(args, result)
	return &price
}

// OverloadEstimator gives the estimate of one overload to cel-go, for an environment
// without a table.
func OverloadEstimator(m cost.Model) checker.FunctionEstimator {
	return func(sizes checker.CostEstimator, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
		if m.Estimate == nil {
			return nil
		}
		return callEstimate(m.Estimate(operandsOf(target, args, func(n checker.AstNode) Sizer { return elementSizes(n, sizes) })))
	}
}

// OverloadTracker is OverloadEstimator for the price of an evaluated call. A fault of
// the price ends the evaluation as in CallCost.
func OverloadTracker(m cost.Model) interpreter.FunctionTracker {
	return func(args []ref.Val, result ref.Val) *uint64 {
		endAt(m.Fault, args)
		if m.Runtime == nil {
			return nil
		}
		price := m.Runtime(args, result)
		return &price
	}
}

func endAt(fault func(args []ref.Val) error, args []ref.Val) {
	if fault == nil {
		return
	}
	if err := fault(args); err != nil {
		panic(interpreter.EvalCancelledError{Message: "internal error: " + err.Error()})
	}
}

func operandsOf(target *checker.AstNode, args []checker.AstNode, sizes func(checker.AstNode) Sizer) []cost.Operand {
	operands := make([]cost.Operand, 0, len(args)+1)
	add := func(n checker.AstNode) {
		operands = append(operands, newOperand(n.Expr(), n.Path(), n.Type(), (*cost.Range)(n.ComputedSize()), sizes(n)))
	}
	if target != nil {
		add(*target)
	}
	for _, n := range args {
		add(n)
	}
	return operands
}

func callEstimate(e cost.Estimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: checker.CostEstimate(e.Cost), ResultSize: (*checker.SizeEstimate)(e.Result)}
}

// elementSizes asks an estimator of cel-go for the size of the elements of a node. It has
// been asked for that of the node itself.
func elementSizes(n checker.AstNode, sizes checker.CostEstimator) Sizer {
	params := n.Type().Parameters()
	if len(params) == 0 || sizes == nil {
		return nil
	}
	return element{estimator: sizes, typ: params[0]}
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
