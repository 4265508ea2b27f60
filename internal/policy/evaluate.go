package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/eval"
)

// Group are expressions of one kind that are evaluated together, with the variables
// that they may compute.
type Group struct {
	kind        Kind
	expressions []*Expression
	variables   map[string]*Expression
}

// Group makes a group of expressions that the compiler has compiled. A nil expression
// stands for none.
func (c *Compiler) Group(kind Kind, expressions []*Expression) *Group {
	return &Group{kind: kind, expressions: expressions, variables: c.computed}
}

// Evaluation is the outcome of an expression. It is zero for an expression that is nil.
type Evaluation struct {
	// Expression is what was evaluated.
	Expression *Expression
	// Value is the result, nil if there is an error.
	Value ref.Val
	// Err says why there is no result. Its text is the server's.
	Err *diag.EvalError
	// Cost is what the evaluation cost, without variables, in cost units.
	Cost uint64
	// VariableCost is what the variables cost that it was the first to compute.
	VariableCost uint64
}

// Outcome is the outcome of a group.
type Outcome struct {
	// Evaluations are those of the expressions, as many as were evaluated.
	Evaluations []Evaluation
	// Variables are the costs of the variables that were computed, by name.
	Variables map[string]uint64
	// Remaining is what is left of the budget, -1 if it was not enough.
	Remaining int64
	// Err says that the budget was not enough; the evaluations do not count then.
	Err *diag.EvalError
}

// Limits bound evaluations, in cost units.
type Limits struct {
	// Call bounds each evaluation.
	Call uint64
	// Budget bounds all evaluations of a group together.
	Budget int64
}

// outOfBudget is the text of a server.
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// Evaluate evaluates the expressions in their order. Each computes the variables that it
// needs, unless one before it has.
func (g *Group) Evaluate(ctx context.Context, in *Inputs, limits Limits) Outcome {
	out := Outcome{Remaining: limits.Budget}
	if len(g.expressions) == 0 {
		return out
	}
	traits := Kinds[g.kind]
	a := &activation{in: in, kind: traits}
	if traits.Variables {
		out.Variables = map[string]uint64{}
		a.variables = &variables{
			ctx: ctx, declared: g.variables, vars: a, limit: limits.Call, values: map[string]ref.Val{}, computed: out.Variables,
		}
	}
	out.Evaluations = make([]Evaluation, len(g.expressions))
	for i, x := range g.expressions {
		if x != nil && !out.spend(&out.Evaluations[i], x, a, ctx, limits.Call) {
			out.Evaluations = out.Evaluations[:i+1]
			return out
		}
	}
	return out
}

// spend evaluates an expression. It returns false if the budget is not enough.
func (o *Outcome) spend(e *Evaluation, x *Expression, a *activation, ctx context.Context, limit uint64) bool {
	e.Expression = x
	if x.Err != nil {
		e.Err = &diag.EvalError{
			Code: diag.NotCompiled, Expression: x.Source, Server: "compilation error: " + x.Err.Server, Cause: x.Err,
		}
		return true
	}
	result := x.program.Eval(ctx, a, limit)
	e.Cost = result.Cost
	if a.variables != nil {
		e.VariableCost = a.variables.settle()
	}
	for _, units := range [...]uint64{e.VariableCost, e.Cost} {
		if asInt(units) > o.Remaining {
			o.Remaining = -1
			o.Err = &diag.EvalError{Code: diag.BudgetExhausted, Expression: x.Source, Server: outOfBudget, Cost: e.Cost, Cause: ErrOutOfBudget}
			return false
		}
		o.Remaining -= asInt(units)
	}
	if result.Err == nil {
		e.Value = result.Value
		return true
	}
	e.Err = &diag.EvalError{
		Code: codes[result.Kind], Expression: x.Source, Cost: result.Cost, Cause: result.Err,
		Server: fmt.Sprintf("expression '%v' resulted in error: %v", x.Source, result.Err),
	}
	var failed *types.Err
	if errors.As(result.Err, &failed) {
		e.Err.Position = x.program.Position(x.Source, failed.NodeID())
	}
	return true
}

// ErrOutOfBudget is the cause of an error whose code is diag.BudgetExhausted.
var ErrOutOfBudget = errors.New("the cost budget is used up")

// codes are the codes of the outcomes without a value.
var codes = map[eval.Kind]diag.Code{
	eval.KindError:          diag.EvaluationFailed,
	eval.KindNoSuchOverload: diag.NoOverload,
	eval.KindInterrupted:    diag.Cancelled,
	eval.KindCostLimit:      diag.CallLimitExceeded,
	eval.KindInternal:       diag.Internal,
}
