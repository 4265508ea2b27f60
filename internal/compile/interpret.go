package compile

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/eval"
)

// Interpreted tells whether cel-go's interpreter evaluates the expressions of the
// environment, because of options that only it knows how to honour.
func (e *Env) Interpreted() bool { return e.foreign }

// program plans an expression.
func (s *Scope) program(checked *celast.AST) (*eval.Program, error) {
	if !s.env.foreign {
		return s.env.planner.Plan(checked, s.provider)
	}
	env, err := s.cel()
	if err != nil {
		return nil, err
	}
	planned, err := env.PlanProgram(checked)
	if err != nil {
		return nil, err
	}
	i := &interpreted{env: env, adapter: s.env.adapter(), checked: checked, planned: planned}
	return eval.External(checked, i.eval), nil
}

// interpreted is an expression that cel-go evaluates.
type interpreted struct {
	env     *cel.Env
	adapter types.Adapter
	checked *celast.AST
	planned cel.Program
	// last is the program that was last planned with another limit.
	last atomic.Pointer[limited]
}

type limited struct {
	cel.Program
	limit uint64
}

// with returns the program with a limit. A program has its limit from its plan.
func (i *interpreted) with(limit uint64) (cel.Program, error) {
	if limit == cost.PerCallLimit {
		return i.planned, nil // the limit of the environment, or what options make of it
	}
	if last := i.last.Load(); last != nil && last.limit == limit {
		return last, nil
	}
	program, err := i.env.PlanProgram(i.checked, cel.CostLimit(limit))
	if err != nil {
		return nil, err
	}
	i.last.Store(&limited{program, limit})
	return program, nil
}

func (i *interpreted) eval(ctx context.Context, vars eval.Vars, limit uint64) (ref.Val, uint64, error) {
	program, err := i.with(limit)
	if err != nil {
		return nil, 0, err
	}
	val, details, err := program.ContextEval(ctx, activation{vars, i.adapter})
	units := uint64(0)
	if spent := details.ActualCost(); spent != nil {
		units = *spent
	}
	var cancelled interpreter.EvalCancelledError
	switch {
	case errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded:
		err = eval.ErrCostLimit
	case errors.As(err, &cancelled), errors.Is(err, interpreter.InterruptError{}):
		err = eval.ErrInterrupted
	}
	return val, units, err
}

// activation shows variables to cel-go.
type activation struct {
	eval.Vars
	adapter types.Adapter
}

// ResolveName is part of interpreter.Activation.
func (a activation) ResolveName(name string) (any, bool) {
	value, ok := a.Vars.ResolveName(name)
	if _, isVal := value.(ref.Val); ok && !isVal {
		if val := a.adapter.NativeToValue(value); !types.IsError(val) {
			return val, true
		}
	}
	return value, ok
}

func (activation) Parent() interpreter.Activation { return nil }
