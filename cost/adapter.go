package cost

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Estimator gives the prices of a table to cel-go's own estimate and cost
// tracking, for those who have a cel.Env:
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
	nodes := args
	if target != nil {
		nodes = append([]checker.AstNode{*target}, args...)
	}
	operands := make([]Operand, len(nodes))
	for i, n := range nodes {
		operands[i] = newOperand(n.Expr(), n.Path(), n.Type(), (*Range)(n.ComputedSize()), e.sizes)
	}
	estimate, ok := e.table.estimate(function, overloadID, operands)
	if !ok {
		return nil
	}
	return &checker.CallEstimate{
		CostEstimate: checker.CostEstimate(estimate.Cost),
		ResultSize:   (*checker.SizeEstimate)(estimate.Result),
	}
}

// CallCost prices a call that was evaluated. It is never nil. It panics with an
// interpreter.EvalCancelledError at a fault of the price, which is cel-go's way to
// end an evaluation: the program returns it as an error.
func (e *Estimator) CallCost(function, overloadID string, args []ref.Val, result ref.Val) *uint64 {
	if fault := e.table.Fault(function, overloadID); fault != nil {
		if err := fault(args); err != nil {
			panic(interpreter.EvalCancelledError{Message: "internal error: " + err.Error()})
		}
	}
	price := e.table.Runtime(function, overloadID)(args, result)
	return &price
}
