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
	// form tells what is known of the loop.
	form
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
	iterRange := f.operand(n.iterRange)
	if failed(iterRange) {
		return iterRange
	}
	return n.iterate(f, n.begin(f), iterRange)
}

// begin makes the state of a loop.
func (n *foldNode) begin(f *frame) *foldState {
	s := &f.folds[n.index]
	*s = foldState{node: n, frame: f, depth: f.depth}
	if n.eager {
		s.accumulated()
	}
	return s
}

// iterate is a loop over a CEL value.
func (n *foldNode) iterate(f *frame, s *foldState, iterRange ref.Val) ref.Val {
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
		s.set(0, it.Next())
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
	// accu may be a boxed scalar.
	accu value
	// iter are the iteration variables, and made their CEL values, once they were needed.
	// One that is boxed may be native.
	iter  [2]value
	made  [2]ref.Val
	depth int32
	// ready is true once the accumulator has a value. The first is computed when it
	// is needed.
	ready       bool
	mutable     bool
	interrupted bool
}

// FoldEntry is turn for a key and a value, or an index and an element.
func (s *foldState) FoldEntry(key, val any) bool {
	s.set(0, key)
	s.set(1, val)
	return s.turn(s.frame)
}

// set gives an iteration variable a CEL value or a native one.
func (s *foldState) set(i int, val any) { s.iter[i], s.made[i] = value{data: val}, nil }

// turn is where every iteration is entered. It tells whether to go on.
func (s *foldState) turn(f *frame) bool {
	if !s.node.endless || f.mode == modeTracked {
		if cond, ok := f.operand(s.node.cond).(types.Bool); ok && !bool(cond) {
			return false
		}
	}
	if f.record != nil && f.mode != modeMuted {
		f.record.turn(s.node.nodeID)
	}
	s.accu = boxedOf(f.operand(s.node.step))
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
	val := s.frame.operand(s.node.result)
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
	f := s.frame
	if s.ready {
		return f.box(s.accu)
	}
	s.ready = true
	val := f.operand(s.node.accu)
	if l, ok := val.(traits.Lister); ok && l.Size() == types.IntZero {
		val = types.NewMutableList(f.prog.adapter)
		s.mutable = true
	}
	if m, ok := val.(traits.Mapper); ok && m.Size() == types.IntZero {
		val = types.NewMutableMap(f.prog.adapter, map[ref.Val]ref.Val{})
		s.mutable = true
	}
	s.accu = boxedOf(val)
	return val
}

// local names a variable of a comprehension.
type local struct {
	name string
	fold int
	part part
	// uses is how often the variable is named.
	uses int
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
	val := s.made[l.part]
	if val == nil {
		val = f.box(s.iter[l.part])
		s.made[l.part] = val
	}
	return val, true
}

// value is load without a CEL value where none is needed.
func (l *local) value(f *frame) (value, bool) {
	s := &f.folds[l.fold]
	switch {
	case s.depth != f.depth:
		return value{}, false
	case l.part != accuPart:
		if s.iter[l.part].isBoxed() && s.iter[l.part].values() == nil {
			s.iter[l.part] = f.unbox(s.iter[l.part].data)
		}
		return s.iter[l.part], true
	case !s.ready:
		s.accumulated()
	}
	if s.accu.isBoxed() && s.accu.values() == nil {
		return f.unbox(s.accu.data), true
	}
	return s.accu, true
}
