package device

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// Options say for whom a selector is compiled. The zero value means the scheduler of the newest
// release: it evaluates whatever servers have accepted.
type Options struct {
	// Release is the release of the server, at least 1.31. The zero value means the
	// newest.
	Release release.Release
	// Written compiles the selector as the server does when it is written to it: without what
	// the release before does not know.
	Written bool
	// ConsumableCapacity is the feature gate DRAConsumableCapacity: with Written, selectors
	// see allowMultipleAllocations only if it is on. Kubernetes 1.34 has introduced it.
	ConsumableCapacity bool
	// ListTypeAttributes is the feature gate DRAListTypeAttributes: with Written,
	// attributes may be lists, and includes is there, only if it is on. Kubernetes 1.36 has introduced it.
	ListTypeAttributes bool
	// CostLimit bounds an evaluation, in cost units. The zero value means that of the scheduler, 1,000,000.
	CostLimit uint64
}

// Releases that brought something.
var (
	first       = release.Minor(31)
	sharedSince = release.Minor(34)
	listsSince  = release.Minor(36)
)

// environment finds what selectors of the options are compiled in.
func (o Options) environment() (policy.DeviceEnvironment, error) {
	r := o.Release
	if r.IsZero() {
		r = release.Newest()
	}
	if err := r.Check(); err != nil {
		return policy.DeviceEnvironment{}, &diag.InputError{Code: diag.ReleaseUnknown, Detail: err.Error(), Cause: err}
	}
	if r.Before(first) {
		return policy.DeviceEnvironment{}, &diag.InputError{
			Code: diag.OptionInvalid, Detail: fmt.Sprintf("selectors of devices need Kubernetes %v, not %v", first, r),
		}
	}
	e := policy.DeviceEnvironment{Server: server.StoredIn(r)}
	e.Shared, e.Lists = !r.Before(sharedSince), !r.Before(listsSince)
	if o.Written {
		e.Server = server.WrittenTo(r)
		version := e.Server.Version
		e.Shared = o.ConsumableCapacity && !version.Before(sharedSince)
		e.Lists = o.ListTypeAttributes && !version.Before(listsSince)
	}
	return e, nil
}

// Selector is a compiled selector of devices. It is read-only and safe for concurrent use. The
// zero value is empty: to match with it is an error.
type Selector struct {
	source   string
	program  *eval.Program
	estimate cost.Range
	limit    uint64
}

// Compile compiles a selector. If it does not compile, or cannot be true or false, the error is a
// *CompileError (package diag) in the words of a server. It is an *InputError for options that cannot be had. A server
// refuses selectors of more than 10 KiB, and those whose estimate is over 1,000,000 cost units, which is for the
// caller to look at.
func Compile(expression string, o Options) (*Selector, error) {
	environment, err := o.environment()
	if err != nil {
		return nil, err
	}
	scope, err := policy.DeviceScope(environment)
	if err != nil {
		return nil, err
	}
	compiled, failed := scope.Compile(expression)
	if compiled != nil {
		// A result of the wrong type counts before a program that cannot be planned.
		if t := compiled.Type(); !t.IsExactType(types.BoolType) && !t.IsExactType(environment.Unknown()) {
			text := fmt.Sprintf("must evaluate to %v or the unknown type, not %v", types.BoolType, t)
			return nil, &diag.CompileError{
				Expression: expression, Stage: diag.StageCheck, Server: text,
				Issues: []diag.Issue{{Code: diag.ResultType, Position: diag.Position{Line: 1, Column: 1}, Message: text}},
			}
		}
	}
	if failed != nil {
		return nil, compile.RuleWords.Put(failed)
	}
	limit := o.CostLimit
	if limit == 0 {
		limit = cost.PerCallLimit
	}
	return &Selector{source: expression, program: compiled.Program, estimate: compiled.Estimate, limit: limit}, nil
}

// String returns the source of the selector.
func (s *Selector) String() string {
	if s == nil {
		return ""
	}
	return s.source
}

// Estimate returns the least and the most that one evaluation may cost, in cost units.
func (s *Selector) Estimate() cost.Range {
	if s == nil {
		return cost.Range{}
	}
	return s.estimate
}

// Result is the outcome of a selector for a device.
type Result struct {
	// Matches tells whether the selector selects the device.
	Matches bool `json:"matches"`
	// Cost is what the evaluation cost, in cost units.
	Cost uint64 `json:"cost"`
}

// Match evaluates the selector for a device. If that gives no truth value, the error is an *EvalError (package diag); the result
// has the cost nevertheless. It is an *InputError for a device with an attribute that is not valid, a nil context and an empty selector.
func (s *Selector) Match(ctx context.Context, d Device) (Result, error) {
	if ctx == nil || s == nil || s.program == nil {
		return Result{}, &diag.InputError{Code: diag.ArgumentInvalid, Detail: "a selector made by Compile and a context are needed"}
	}
	value, err := d.value()
	if err != nil {
		return Result{}, err
	}
	evaluated := s.program.Eval(ctx, variable{value}, s.limit)
	result := Result{Cost: evaluated.Cost}
	if evaluated.Err != nil {
		return result, s.failed(codes[evaluated.Kind], evaluated)
	}
	native, err := evaluated.Value.ConvertToNative(reflect.TypeFor[bool]())
	if err != nil {
		evaluated.Err = fmt.Errorf("CEL result of type %s could not be converted to bool: %w", evaluated.Value.Type().TypeName(), err)
		return result, s.failed(diag.ResultType, evaluated)
	}
	result.Matches, _ = native.(bool)
	return result, nil
}

// codes are the codes of the outcomes without a value.
var codes = map[eval.Kind]diag.Code{
	eval.KindError:          diag.EvaluationFailed,
	eval.KindNoSuchOverload: diag.NoOverload,
	eval.KindInterrupted:    diag.Cancelled,
	eval.KindCostLimit:      diag.CallLimitExceeded,
	eval.KindInternal:       diag.Internal,
}

func (s *Selector) failed(code diag.Code, r eval.Result) *diag.EvalError {
	e := &diag.EvalError{Code: code, Expression: s.source, Server: r.Err.Error(), Cost: r.Cost, Cause: r.Err}
	if failed := (*types.Err)(nil); errors.As(r.Err, &failed) {
		e.Position = s.program.Position(s.source, failed.NodeID())
	}
	return e
}

// variable resolves the variable device.
type variable struct{ device any }

// ResolveName returns the value of a variable.
func (v variable) ResolveName(name string) (any, bool) { return v.device, name == policy.DeviceName }
