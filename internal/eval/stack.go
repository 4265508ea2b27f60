package eval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// stack is what cel-go's cost tracker knows of the values of an evaluation. The
// tracker finds the arguments of a call by searching down from the top for
// their ids, and drops all that it passes. What it finds may stem from an earlier
// iteration, and then a call is priced by the wrong arguments or not at all.
// Ids are slots here, and each slot knows its topmost entry, so that a search
// costs no more than what it drops.
//
// Most evaluations do without a stack. If all ids of an expression differ and no
// call in the body of a comprehension fails before its last argument, then the
// tracker finds for each call just the arguments that the call got:
//
// Only an entry that outlives an iteration can be found where it should not. Take
// one, that of a node A, and a node P between the body and A that searches for
// its children: a call, a conjunction, a choice or a comprehension. P dropped the
// first child that it evaluated and all entries above it, so A is in that first
// child, or its entry would be gone. (The operands of set membership, or() and
// paths are not searched for; those of a construction are, but at a fixed price.)
// The same holds in the next iteration: when A finds its old entry and drops what
// is above, no node waits for an earlier child. Nor is there an old entry of a
// child that was not evaluated this time (a later term, the other branch): it is
// not the first.
//
// Where a call in a loop does fail early, the evaluation starts again and keeps
// the stack.
type stack struct {
	entries []entry
	// top is one more than the index of the topmost entry of each slot.
	top []int32
	// high is the number of entries that may hold values.
	high int
}

type entry struct {
	// val is a CEL value, a native value that is not adapted yet, an error, or
	// nil where the tracker has no value.
	val  any
	slot int32
	// below is the top of the slot below this entry.
	below int32
}

func (s *stack) push(slot int32, val any) {
	s.entries = append(s.entries, entry{val: val, slot: slot, below: s.top[slot]})
	s.top[slot] = int32(len(s.entries))
}

// drop removes the topmost entry of a slot and all above it.
func (s *stack) drop(slot int32) {
	if at := s.top[slot]; at > 0 {
		s.truncate(int(at) - 1)
	}
}

func (s *stack) truncate(n int) {
	s.high = max(s.high, len(s.entries))
	for i := len(s.entries) - 1; i >= n; i-- {
		s.top[s.entries[i].slot] = s.entries[i].below
	}
	s.entries = s.entries[:n]
}

// take drops the arguments of a call, the last first, into args. It stops at the
// first that is not there.
func (s *stack) take(adapter types.Adapter, slots []int32, args []ref.Val) bool {
	for i := len(slots) - 1; i >= 0; i-- {
		at := int(s.top[slots[i]])
		if at == 0 {
			return false
		}
		e := s.entries[at-1]
		s.truncate(at - 1)
		args[i] = e.value(adapter)
	}
	return true
}

func (e entry) value(adapter types.Adapter) ref.Val {
	switch v := e.val.(type) {
	case nil:
		return nil
	case ref.Val:
		return v
	case error:
		return types.WrapErr(v)
	}
	return adapter.NativeToValue(e.val)
}

// maxKept is the number of entries up to which the memory is kept for the next
// evaluation.
const maxKept = 4096

func (s *stack) reset() {
	s.truncate(0)
	if cap(s.entries) > maxKept {
		s.entries = nil
	}
	clear(s.entries[:min(s.high, cap(s.entries))])
	s.high, s.top = 0, s.top[:0]
}
