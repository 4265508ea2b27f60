package eval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// stack is the stack of values of cel-go's cost tracker. To price a call, the tracker
// searches down from the top for the ids of the arguments, and drops all entries that
// it passes. It may find an entry of an earlier iteration: then it prices the call by
// the wrong arguments, or not at all. Here an id is a slot, and each slot knows its
// topmost entry, so that a search costs no more than it drops.
//
// Most evaluations need no stack. If all ids of an expression differ, and no call in
// the body of a comprehension fails before its last argument, then the tracker finds
// exactly the arguments that the call got. The proof:
//
// Only an entry that outlives an iteration can be found wrongly. Let A be the node of
// such an entry, and P a node between the body and A that searches for its children: a
// call, a conjunction, a choice or a comprehension. P dropped the entry of the first
// child that it evaluated, and all entries above. A's entry survived, so A is in that
// first child. (Membership, or() and paths do not search for their operands.
// Constructions do, but at a fixed price.) In the next iteration A again is in the
// first child. When A finds its old entry and drops all above, no node waits for an
// earlier child. A child that is not evaluated this time, such as a later term or the
// other branch, has no old entry either: it is not the first.
//
// Where a call in a loop does fail early, the evaluation starts again with the stack.
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
		switch v := e.val.(type) {
		case nil:
		case ref.Val:
			args[i] = v
		case error:
			args[i] = types.WrapErr(v)
		default:
			args[i] = adapter.NativeToValue(v)
		}
	}
	return true
}

// maxKept is the number of entries or arguments up to which a frame keeps their memory
// for the next evaluation.
const maxKept = 4096

func (s *stack) reset() {
	s.truncate(0)
	if cap(s.entries) > maxKept {
		s.entries = nil
	}
	clear(s.entries[:min(s.high, cap(s.entries))])
	s.high, s.top = 0, s.top[:0]
}
