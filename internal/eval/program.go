package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Program is a planned expression. It is read-only and safe for concurrent use.
type Program struct {
	root     node
	adapter  types.Adapter
	provider types.Provider
	frames   *sync.Pool
	slots    int
	folds    int
	// positions tell where the nodes are in the source, for errors.
	positions positions
	inputs    int
	// tracked is true if only the stack tells the cost.
	tracked bool
	// odd is true if values are made by an adapter of which fast knows nothing.
	odd bool
	// watch is told of each fast path that gives an answer, in tests.
	watch func(op)
	// external evaluates the expression in place of the nodes, see [External].
	external func(context.Context, Vars, uint64) (ref.Val, uint64, error)
}

// External returns a program that something else evaluates. It returns the value, the
// cost, and why there is no value: a *types.Err, [ErrCostLimit], [ErrInterrupted] or,
// for what must not happen, another error.
func External(checked *celast.AST, eval func(ctx context.Context, vars Vars, limit uint64) (ref.Val, uint64, error)) *Program {
	return &Program{positions: positionsOf(checked), external: eval}
}

func (p *Program) evalExternally(ctx context.Context, vars Vars, limit uint64) Result {
	val, cost, err := p.external(ctx, vars, limit)
	res := Result{Value: val, Cost: cost, Err: err}
	var failed *types.Err
	switch {
	case err == nil:
	case errors.Is(err, ErrCostLimit):
		res.Kind = KindCostLimit
	case errors.Is(err, ErrInterrupted):
		res.Kind, res.Err = KindInterrupted, fmt.Errorf("%w: %w", err, context.Cause(ctx))
	case errors.As(err, &failed):
		res.Kind = kindOf(failed)
	default:
		res.Kind = KindInternal
	}
	return res
}

// Eval evaluates the program. It ends where the cost exceeds the limit, in cost
// units. As an API server does, it looks at the context once in a hundred iterations:
// without comprehensions, no evaluation is interrupted.
func (p *Program) Eval(ctx context.Context, vars Vars, limit uint64) Result {
	return p.eval(ctx, vars, limit, nil)
}

func (p *Program) eval(ctx context.Context, vars Vars, limit uint64, record *Record) (res Result) {
	if p.external != nil {
		return p.evalExternally(ctx, vars, limit)
	}
	f := p.frames.Get().(*frame)
	res = f.eval(ctx, p, vars, limit, record)
	p.frames.Put(f)
	return res
}

// A Runner evaluates programs one after the other in one frame. It is not safe for
// concurrent use. The zero value is ready.
type Runner struct {
	frame *frame
	from  *sync.Pool
}

// Eval is [Program.Eval].
func (r *Runner) Eval(ctx context.Context, p *Program, vars Vars, limit uint64) Result {
	if p.external != nil {
		return p.evalExternally(ctx, vars, limit)
	}
	if r.frame == nil {
		r.frame, r.from = p.frames.Get().(*frame), p.frames
	}
	return r.frame.eval(ctx, p, vars, limit, nil)
}

// Close gives the frame back.
func (r *Runner) Close() {
	if r.frame != nil {
		r.from.Put(r.frame)
		*r = Runner{}
	}
}

func (f *frame) eval(ctx context.Context, p *Program, vars Vars, limit uint64, record *Record) (res Result) {
	f.prog, f.vars, f.done, f.limit = p, vars, ctx.Done(), limit
	f.natives, _ = vars.(NativeVars)
	var again bool
	for tracked := p.tracked; ; tracked = true {
		if record != nil {
			record.begin(f, limit)
		}
		res, again = f.run(tracked)
		f.reset()
		if !again {
			break
		}
	}
	f.prog, f.vars, f.natives, f.done, f.record = nil, nil, nil, nil, nil
	if res.Kind == KindInterrupted {
		res.Err = fmt.Errorf("%w: %w", res.Err, context.Cause(ctx))
	}
	return res
}

// Unlimited is a limit that no evaluation exceeds.
const Unlimited = ^uint64(0)

// run evaluates once. It asks for another, tracked run if the plain one cannot tell
// the cost.
func (f *frame) run(tracked bool) (res Result, again bool) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case restart:
			again = true
		case cutShort:
			res = Result{Cost: f.cost, Err: ErrCostLimit, Kind: KindCostLimit}
		default:
			res = Result{Cost: f.cost, Err: internalError(r), Kind: KindInternal}
		}
	}()
	p := f.prog
	f.folds = sized(f.folds, p.folds)
	f.inputs = sized(f.inputs, p.inputs)
	if tracked {
		f.mode = modeTracked
		f.stack.top = sized(f.stack.top, p.slots)
	}
	val := f.operand(p.root)
	res = Result{Value: val, Cost: f.cost}
	if err, ok := val.(*types.Err); ok {
		res.Err, res.Kind = err, kindOf(err)
	}
	return res, false
}

func (f *frame) reset() {
	f.cost, f.mode, f.depth = 0, modePlain, 0
	f.interrupted, f.iterations = false, 0
	f.elem[0] = nil
	clear(f.folds)
	clear(f.inputs)
	if cap(f.args) > maxKept {
		f.args = nil
	}
	clear(f.args[:cap(f.args)])
	f.args = f.args[:0]
	if len(f.stack.top) > 0 {
		f.stack.reset()
	}
}

// sized returns a slice of n zero values. It uses the memory of s, which holds only
// zero values, if there is room.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func internalError(cause any) error { return fmt.Errorf("%w: %v", ErrInternal, cause) }
