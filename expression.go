package kubecel

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/internal/eval"
)

// Expression is a compiled expression. It is read-only and safe for concurrent
// use. The zero value is empty: its evaluation is an error.
type Expression struct {
	env      *Env
	source   string
	program  *eval.Program
	output   *cel.Type
	estimate cost.Range
}

// Compile parses and type-checks an expression and prepares it for evaluation.
// The error of an expression that does not compile is a *CompileError.
func (e *Env) Compile(expression string) (*Expression, error) {
	if e.isZero() {
		return nil, errZeroEnv
	}
	checked, err := e.scope.Compile(expression)
	if err != nil {
		return nil, compileError(expression, "compilation failed: "+err.Error(), err)
	}
	program, err := e.scope.Plan(checked)
	if err != nil {
		return nil, &CompileError{
			Expression: expression,
			Issues:     []diag.Issue{{Code: diag.PlanFailed, Message: err.Error()}},
			Server:     "program instantiation failed: " + err.Error(),
		}
	}
	estimate, err := e.scope.Estimate(checked)
	if err != nil {
		return nil, fmt.Errorf("cost estimation failed: %w", err)
	}
	return &Expression{
		env: e, source: expression, program: program,
		output: checked.GetType(checked.Expr().ID()), estimate: estimate,
	}, nil
}

// compileError says why an expression does not compile, with what a server says.
func compileError(expression, server string, err error) *CompileError {
	e := &CompileError{Expression: expression, Server: server}
	if f, ok := errors.AsType[*environment.Failure](err); ok {
		e.Issues = f.Issues
		return e
	}
	code := diag.TypeMismatch // of a rule that is not bool, of a message that is no string
	if stage, ok := errors.AsType[*crd.CompileError](err); ok && stage.Stage != crd.StageCheck {
		code = diag.PlanFailed
	} else if expression == "" {
		code = diag.NoType
	}
	e.Issues = []diag.Issue{{Code: code, Message: err.Error()}}
	return e
}

// String returns the source of the expression.
func (x *Expression) String() string {
	if x == nil {
		return ""
	}
	return x.source
}

// OutputType returns the type that the expression evaluates to.
func (x *Expression) OutputType() *cel.Type {
	if x == nil {
		return nil
	}
	return x.output
}

// Estimate returns what one evaluation may cost, in cost units: the number by
// which an API server of Kubernetes 1.37 judges the expression.
func (x *Expression) Estimate() cost.Range {
	if x == nil {
		return cost.Range{}
	}
	return x.estimate
}

// Result is the outcome of an evaluation.
type Result struct {
	// Value is the value, as CEL has it.
	Value ref.Val
	// Cost is what the evaluation cost, in cost units.
	Cost uint64
}

// Bool returns the value of a boolean result, and false for any other.
func (r Result) Bool() bool { return r.Value == types.True }

type evalConfig struct {
	limit  uint64
	budget *Budget
}

// EvalOption configures one evaluation.
type EvalOption func(*evalConfig)

// WithCostLimit bounds the cost of this evaluation in cost units, instead of
// the limit of the environment.
func WithCostLimit(units uint64) EvalOption {
	return func(c *evalConfig) { c.limit = units }
}

// WithBudget charges the evaluation to a budget. An evaluation that the budget
// does not cover fails with diag.BudgetExhausted, and so do all that follow. As in
// an API server, only CostLimit and WithCostLimit cut an evaluation short: what it
// cost is compared with the budget afterwards.
func WithBudget(budget *Budget) EvalOption {
	return func(c *evalConfig) { c.budget = budget }
}

// Eval evaluates the expression. Variables are CEL values (ref.Val) or Go
// values: bool, string, []byte, integers, floats, time.Time, time.Duration, maps
// and slices of these, nil. A variable that the environment declares and vars
// lacks fails only if the evaluation needs it.
//
// If the evaluation gives no value the error is an *EvalError, which unwraps to
// the error of a done context; without a context it is ErrNilContext.
// Cancellation is looked at before the evaluation and every 100 iterations of a
// comprehension.
func (x *Expression) Eval(ctx context.Context, vars map[string]any, opts ...EvalOption) (Result, error) {
	switch {
	case ctx == nil:
		return Result{}, ErrNilContext
	case x == nil || x.program == nil:
		return Result{}, errors.New("the expression is empty: Env.Compile makes one")
	case ctx.Err() != nil:
		err := fmt.Errorf("%w: %w", eval.ErrInterrupted, context.Cause(ctx))
		return Result{}, x.evalError(diag.Cancelled, eval.Result{Err: interrupted(ctx, err)})
	}
	config := evalConfig{limit: x.env.config.limit}
	for _, opt := range opts {
		if opt != nil {
			opt(&config)
		}
	}
	if config.budget != nil && config.budget.Remaining() == 0 {
		return Result{}, x.evalError(diag.BudgetExhausted, eval.Result{Err: errOutOfBudget})
	}
	result := x.program.Eval(ctx, variables{env: x.env, values: vars}, config.limit)
	covered := config.budget == nil || config.budget.inner.Spend(result.Cost)
	if result.Kind == eval.KindInterrupted {
		result.Err = interrupted(ctx, result.Err)
	} else if !covered {
		return Result{Cost: result.Cost}, x.evalError(diag.BudgetExhausted, eval.Result{Err: errOutOfBudget, Cost: result.Cost})
	}
	if result.Err != nil {
		return Result{Cost: result.Cost}, x.evalError(evalCodes[result.Kind], result)
	}
	return Result{Value: result.Value, Cost: result.Cost}, nil
}

// evalCodes are the codes of the outcomes without a value.
var evalCodes = map[eval.Kind]diag.Code{
	eval.KindError:          diag.EvaluationFailed,
	eval.KindNoSuchOverload: diag.NoOverload,
	eval.KindInterrupted:    diag.Cancelled,
	eval.KindCostLimit:      diag.CallLimitExceeded,
	eval.KindInternal:       diag.Internal,
}

// interrupted is an error by which callers know the context's own, whatever its
// cause was said to be.
func interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

var errOutOfBudget = errors.New("the cost budget is used up")

func (x *Expression) evalError(code diag.Code, result eval.Result) *EvalError {
	e := &EvalError{
		Code: code, Expression: x.source, Server: result.Err.Error(), Cost: result.Cost, Cause: result.Err,
	}
	var failed *types.Err
	if errors.As(result.Err, &failed) {
		e.Position.Line, e.Position.Column = x.program.Position(x.source, failed.NodeID())
	}
	return e
}

// variables resolves the names of an evaluation; unstructured data is seen
// through the schema of its variable.
type variables struct {
	env    *Env
	values map[string]any
}

func (v variables) ResolveName(name string) (any, bool) {
	value, ok := v.values[name]
	if !ok {
		return nil, false
	}
	if _, isVal := value.(ref.Val); !isVal {
		for _, declared := range v.env.config.variables {
			if declared.name == name && declared.schema != nil {
				return declared.schema.Value(value), true
			}
		}
	}
	return value, true
}
