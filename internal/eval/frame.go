package eval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// mode says how an evaluation arrives at its cost.
type mode uint8

const (
	// modePlain charges each call by the arguments it got.
	modePlain mode = iota
	// modeTracked keeps the stack of observed values.
	modeTracked
	// modeMuted charges nothing that lasts.
	modeMuted
)

// frame is the state of one evaluation.
type frame struct {
	prog    *Program
	adapter types.Adapter
	vars    Vars
	done    <-chan struct{}
	cost    uint64
	limit   uint64
	mode    mode
	// depth counts the qualifications in progress that hide the local
	// variables bound outside of them.
	depth       int32
	interrupted bool
	iterations  uint64
	folds       []foldState
	inputs      []input
	// args is a stack of arguments. Its slices are valid until the call returns.
	args  []ref.Val
	stack stack
	// record is nil unless it was asked for.
	record *Record
	// single is the list by which comprehensions add an element to another.
	single single
}

// charge adds to the cost of a node and cuts the evaluation short beyond the limit.
// Every unit of every evaluation passes here.
func (f *frame) charge(id int64, units uint64) {
	f.cost += units
	if f.cost > f.limit {
		f.over(id, units)
	}
}

// cutShort unwinds an evaluation that exceeds its limit, restart one whose plain
// count may differ from the tracked one.
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

// adapt returns a value as a CEL value. Adapters return CEL values as they are.
func (f *frame) adapt(val any) ref.Val {
	if v, ok := val.(ref.Val); ok {
		switch v := val.(type) {
		case *types.String, *types.Int, *types.Uint, *types.Double, *types.Bool, *types.Bytes:
			return f.adapter.NativeToValue(v)
		}
		return v
	}
	return f.adapter.NativeToValue(val)
}

// interrupt tells whether to stop, looking at the context once in a hundred
// iterations. Once interrupted, always interrupted.
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

// mute starts a part of the evaluation that sees no local variables from outside
// and costs nothing. The function that it returns ends it.
func (f *frame) mute() func() {
	cost, limit, before := f.cost, f.limit, f.mode
	f.limit, f.mode = Unlimited, modeMuted
	f.depth++
	return func() {
		f.cost, f.limit, f.mode = cost, limit, before
		f.depth--
	}
}

// label returns val, if it is an error without a position at the position of
// the node. Errors may be shared, so they are not written to.
func label(id int64, val ref.Val) ref.Val {
	if err, ok := val.(*types.Err); ok && err.NodeID() == 0 {
		return types.NewErrWithNodeID(id, "%w", err.Unwrap())
	}
	return val
}

// labelErr is label for a Go error.
func labelErr(id int64, err error) ref.Val {
	if e, ok := err.(*types.Err); ok {
		return label(id, e)
	}
	return types.NewErrWithNodeID(id, "%w", err)
}

// failed tells whether a value ends the evaluation of a strict call.
func failed(val ref.Val) bool {
	switch val.(type) {
	case *types.Err, *types.Unknown:
		return true
	}
	return false
}
