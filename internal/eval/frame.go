package eval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// mode says how an evaluation arrives at its cost.
type mode uint8

const (
	// modePlain charges each call by the arguments it got.
	modePlain mode = iota
	// modeTracked keeps the stack of observed values.
	modeTracked
	// modeMuted charges nothing: constants, and paths of hidden variables.
	modeMuted
)

// frame is the state of one evaluation.
type frame struct {
	prog *Program
	vars Vars
	// natives are the variables if some of them are data with a schema.
	natives NativeVars
	done    <-chan struct{}
	cost    uint64
	limit   uint64
	mode    mode
	// depth is the number of muted parts in progress. Each hides the local
	// variables that are bound outside of it.
	depth       int32
	interrupted bool
	iterations  uint64
	folds       []foldState
	inputs      []input
	// args holds the arguments of the calls in progress. A call releases its own.
	args  []ref.Val
	stack stack
	// record is nil unless it was asked for.
	record *Record
	// single is the list of elem, by which comprehensions add an element to a list. No
	// call keeps it.
	single traits.Lister
	elem   [1]ref.Val
}

// charge adds to the cost of a node and cuts the evaluation short beyond the limit.
// Every unit of every evaluation passes here.
func (f *frame) charge(id int64, units uint64) {
	f.cost += units
	if f.cost > f.limit {
		f.over(id, units)
	}
}

// cutShort is the panic that ends an evaluation beyond its limit. restart ends a plain
// one that may count otherwise than a tracked one.
type (
	cutShort struct{}
	restart  struct{}
)

// observe keeps the value of a node that costs nothing.
func (f *frame) observe(slot int32, val any) {
	if f.mode == modeTracked {
		f.stack.push(slot, val)
	}
}

// adapt returns a value as a CEL value. An adapter returns a CEL value as it is, but
// for pointers to values of basic types.
func (f *frame) adapt(val any) ref.Val {
	switch v := val.(type) {
	case *types.String, *types.Int, *types.Uint, *types.Double, *types.Bool, *types.Bytes:
	case ref.Val:
		return v
	}
	return f.prog.adapter.NativeToValue(val)
}

// operand evaluates a node whose CEL value is needed.
func (f *frame) operand(n node) ref.Val {
	if f.mode == modePlain && f.record == nil && !f.prog.odd {
		return f.box(n.fast(f))
	}
	return n.eval(f)
}

// interrupt counts an iteration and tells whether the context has ended. It looks at the
// context once in [InterruptFrequency] iterations.
func (f *frame) interrupt() bool {
	if f.done == nil || f.mode == modeMuted {
		return false
	}
	if f.interrupted {
		return true
	}
	f.iterations++
	if f.iterations%InterruptFrequency == 0 {
		select {
		case <-f.done:
			f.interrupted = true
		default:
		}
	}
	return f.interrupted
}

// InterruptFrequency is the number of iterations between two looks at the
// context (k8s.io/apiserver/pkg/apis/cel CheckFrequency).
const InterruptFrequency = 100

// label gives a position to an error without one. It returns a new error, since
// functions may share theirs, and any other value as it is.
func label(id int64, val ref.Val) ref.Val {
	if err, ok := val.(*types.Err); ok && err.NodeID() == 0 {
		return types.NewErrWithNodeID(id, "%w", err.Unwrap())
	}
	return val
}

// failed tells whether a value ends the evaluation of a strict call.
func failed(val ref.Val) bool {
	switch val.(type) {
	case *types.Err, *types.Unknown:
		return true
	}
	return false
}
