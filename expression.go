package kubecel

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Expression is a compiled expression, made by [Env.Compile]. It is read-only and
// safe for concurrent use. The zero value is empty: its evaluation is an error.
type Expression struct {
	env      *Env
	source   string
	program  *eval.Program
	output   *cel.Type
	estimate cost.Range
}

// Reference is a variable, or a place in its value, that an expression reads.
type Reference = compile.Reference

// Compile parses, type-checks and estimates an expression, and prepares it for
// evaluation. The error of an expression that does not compile is a *CompileError.
func (e *Env) Compile(expression string) (*Expression, error) {
	if e.isZero() {
		return nil, errZeroEnv()
	}
	compiled, failed := e.scope.Compile(expression)
	if failed != nil {
		return nil, compile.RuleWords.Put(failed)
	}
	return &Expression{
		env: e, source: expression, program: compiled.Program, output: compiled.Type(), estimate: compiled.Estimate,
	}, nil
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

// TypeName returns the type that the expression evaluates to, as texts name it: the type
// of an object is where its schema stands, such as self.spec.listeners[*].
func (x *Expression) TypeName() string {
	if x == nil || x.output == nil {
		return ""
	}
	return x.env.scope.TypeName(x.output)
}

// References returns the variables and the places in their values that the expression
// reads, each once, in the order of their texts. Variables of macros stand for what they
// range over. A place that is only passed on, as by ?:, counts where it is read. The
// expression is compiled again for each call.
func (x *Expression) References() []Reference {
	if x == nil || x.env == nil {
		return nil
	}
	compiled, err := x.env.scope.Compile(x.source)
	if err != nil {
		return nil
	}
	return compiled.References()
}

// Estimate returns the least and the most that one evaluation may cost, in cost
// units. An API server judges an expression by the most.
func (x *Expression) Estimate() cost.Range {
	if x == nil {
		return cost.Range{}
	}
	return x.estimate
}

type evalConfig struct {
	limit       uint64
	budget      *Budget
	jsonNumbers bool
}

// Eval evaluates the expression. Variables are CEL values (ref.Val) or Go values:
// bool, string, []byte, integers, floats, json.Number, time.Time, time.Duration, maps and
// slices of these, nil, and objects of Kubernetes as [RuleSet.Validate] takes them. A func() any
// or func() (any, error) computes a variable when it is first used, once in an evaluation; its
// error is that of the evaluation unless the expression does without the variable, as || may. An
// expression that needs a value that is no data fails. If vars lacks a variable, the evaluation
// fails only if it needs that variable.
//
// If the evaluation gives no value, the error is an *EvalError. If the context was
// done, it unwraps to the error of the context: Eval looks at the context first, and
// then at every 100th iteration of a comprehension. If ctx is nil or the expression
// is empty, the error is an *InputError.
func (x *Expression) Eval(ctx context.Context, vars map[string]any, opts ...EvalOption) (Result, error) {
	switch {
	case ctx == nil:
		return Result{}, errNilContext()
	case x == nil || x.program == nil:
		return Result{}, argumentError("the expression is empty: Env.Compile makes one")
	case ctx.Err() != nil:
		err := fmt.Errorf("%w: %w", eval.ErrInterrupted, context.Cause(ctx))
		return Result{}, x.evalError(diag.Cancelled, eval.Result{Err: interrupted(ctx, err)})
	}
	config := evalConfig{limit: x.env.config.limit}
	each(opts, func(opt EvalOption) { opt.applyEval(&config) })
	if config.budget != nil && config.budget.Remaining() == 0 {
		return Result{}, x.evalError(diag.BudgetExhausted, eval.Result{Err: errOutOfBudget})
	}
	result := x.program.Eval(ctx, &variables{env: x.env, values: vars, jsonNumbers: config.jsonNumbers}, config.limit)
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

// interrupted makes errors.Is(err, ctx.Err()) true, whatever the cause of the
// context is.
func interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// cancelled is the error of a validation or report whose context was done, nil if
// err is nil.
func cancelled(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	err = interrupted(ctx, err)
	return &EvalError{Code: diag.Cancelled, Server: err.Error(), Cause: err}
}

func errNilContext() error { return argumentError("the context is nil") }

var errOutOfBudget = errors.New("the cost budget is used up")

func (x *Expression) evalError(code diag.Code, result eval.Result) *EvalError {
	e := &EvalError{
		Code: code, Expression: x.source, Server: result.Err.Error(), Cost: result.Cost, Cause: result.Err,
	}
	var failed *types.Err
	if errors.As(result.Err, &failed) {
		e.Position = x.program.Position(x.source, failed.NodeID())
	}
	return e
}

// AssignableTo tells whether the result can be assigned to data of a schema: nil if it can.
// [Schema.At] gives the schema of a field. Types are compared by their structure: the fields
// of objects, the elements of lists, the values of maps. Int fits integer, number and what
// may be an integer or a string; what becomes a string as JSON, such as a timestamp, fits a
// string; anything fits unknown data. An optional fits as its value does.
//
// What depends on values counts as assignable: dyn, patterns, enums, bounds, nulls of schemas,
// and which fields are there. The error is an *InputError with diag.NotAssignable: its path is
// the first place that does not fit, its detail names both types.
func (x *Expression) AssignableTo(target *Schema) error {
	switch {
	case x == nil || x.env == nil:
		return argumentError("the expression is empty: Env.Compile makes one")
	case target.isZero():
		return errZeroSchema()
	}
	provider, ok := x.env.scope.Provider().(*typesystem.Provider)
	if !ok {
		provider = typesystem.NewProvider(x.env.scope.Provider(), target.server, "")
	}
	mismatch := provider.Assignable(x.output, target.document, target.path, target.options.Root)
	if mismatch == nil {
		return nil
	}
	return &InputError{Code: diag.NotAssignable, Path: mismatch.Path, Detail: mismatch.Detail}
}
