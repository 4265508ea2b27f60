package eval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// foldNode is a comprehension.
type foldNode struct {
	identity
	// index is the index of the state in frame.folds.
	index     int
	iterRange node
	accu      node
	cond      node
	step      node
	result    node
	// pairs is true for a comprehension over keys and values.
	pairs bool
	// eager is true if the accumulator gets its first value before it is needed.
	eager bool
	// endless is true if the condition is the constant true, which is not evaluated.
	endless   bool
	rangeSlot int32
}

func (n *foldNode) link(l linker) {
	n.identity.link(l)
	n.rangeSlot = l.slot(n.iterRange.id())
}

func (n *foldNode) eval(f *frame) ref.Val {
	val := n.run(f)
	f.folds[n.index] = foldState{}
	if f.mode == modeTracked {
		f.stack.drop(n.rangeSlot)
		f.stack.push(n.slot, val)
	}
	return val
}

func (n *foldNode) run(f *frame) ref.Val {
	iterRange := n.iterRange.eval(f)
	if failed(iterRange) {
		return iterRange
	}
	s := &f.folds[n.index]
	*s = foldState{node: n, frame: f, depth: f.depth}
	if n.eager {
		s.accumulated()
	}
	if n.pairs {
		switch r := iterRange.(type) {
		case traits.Mapper:
			types.ToFoldableMap(r).Fold(s)
		case traits.Lister:
			types.ToFoldableList(r).Fold(s)
		default:
			return types.NewErrWithNodeID(n.nodeID, "unsupported comprehension range type: %T", iterRange)
		}
		return s.finish()
	}
	if !iterRange.Type().HasTrait(traits.IterableType) {
		return types.ValOrErr(iterRange, "got '%T', expected iterable type", iterRange)
	}
	for it := iterRange.(traits.Iterable).Iterator(); it.HasNext() == types.True; {
		s.iter[0] = it.Next()
		if !s.turn(f) {
			break
		}
	}
	return s.finish()
}

// foldState is the state of a running comprehension.
type foldState struct {
	node  *foldNode
	frame *frame
	accu  ref.Val
	// iter are the iteration variables. One that is nil is still to be made of raw.
	iter  [2]ref.Val
	raw   [2]any
	depth int32
	// ready is true once the accumulator has a value. The first is computed when it
	// is needed.
	ready       bool
	mutable     bool
	interrupted bool
}

// FoldEntry is turn for a key and a value, or an index and an element.
func (s *foldState) FoldEntry(key, val any) bool {
	s.raw, s.iter = [2]any{key, val}, [2]ref.Val{}
	return s.turn(s.frame)
}

// turn is where every iteration is entered. It tells whether to go on.
func (s *foldState) turn(f *frame) bool {
	if !s.node.endless || f.mode == modeTracked {
		if cond, ok := s.node.cond.eval(f).(types.Bool); ok && !bool(cond) {
			return false
		}
	}
	if f.record != nil && f.mode != modeMuted {
		f.record.turn(s.node.nodeID)
	}
	s.accu = s.node.step.eval(f)
	s.ready = true
	if f.interrupt() {
		s.interrupted = true
		return false
	}
	return true
}

func (s *foldState) finish() ref.Val {
	if s.interrupted {
		return types.WrapErr(ErrInterrupted)
	}
	val := s.node.result.eval(s.frame)
	if s.mutable {
		switch v := val.(type) {
		case traits.MutableLister:
			return v.ToImmutableList()
		case traits.MutableMapper:
			return v.ToImmutableMap()
		}
	}
	return val
}

// accumulated returns the value of the accumulator.
func (s *foldState) accumulated() ref.Val {
	if s.ready {
		return s.accu
	}
	s.ready = true
	f := s.frame
	val := s.node.accu.eval(f)
	if l, ok := val.(traits.Lister); ok && l.Size() == types.IntZero {
		val = types.NewMutableList(f.prog.adapter)
		s.mutable = true
	}
	if m, ok := val.(traits.Mapper); ok && m.Size() == types.IntZero {
		val = types.NewMutableMap(f.prog.adapter, map[ref.Val]ref.Val{})
		s.mutable = true
	}
	s.accu = val
	return val
}

// local names a variable of a comprehension.
type local struct {
	name string
	fold int
	part part
}

type part int8

const (
	accuPart part = iota - 1
	iterPart
	iter2Part
)

// load returns the value, and false if a muted part hides the variable.
func (l *local) load(f *frame) (ref.Val, bool) {
	s := &f.folds[l.fold]
	switch {
	case s.depth != f.depth:
		return nil, false
	case l.part == accuPart:
		return s.accumulated(), true
	}
	val := s.iter[l.part]
	if val == nil {
		val = f.adapt(s.raw[l.part])
		s.iter[l.part] = val
	}
	return val, true
}
