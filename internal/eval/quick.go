package eval

import (
	"cmp"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// quicken replaces a call by one that takes less time, or whose errors are the same at
// every run.
func quicken(n *callNode) node {
	if n.binary == nil {
		return n
	}
	if holds, ok := orders[n.function]; ok {
		n.quick = ordered(holds)
	}
	switch n.overload {
	case insertEntriesID:
		n.binary = insertEntries
	case overloads.AddList:
		if list, ok := n.args[1].(*listNode); ok && len(list.args) == 1 && list.optional == nil {
			return &appendNode{*n, list}
		}
	}
	return n
}

// orders are the conditions that comparisons put on the order of their arguments
// (-1, 0 or 1).
var orders = map[string]func(order int) bool{
	operators.Less:          func(order int) bool { return order < 0 },
	operators.LessEquals:    func(order int) bool { return order <= 0 },
	operators.Greater:       func(order int) bool { return order > 0 },
	operators.GreaterEquals: func(order int) bool { return order >= 0 },
}

// ordered compares ints and strings, by a condition on their order. NaN is an error, as
// in API servers; cel-go says false since v0.30.
func ordered(holds func(order int) bool) functions.BinaryOp {
	return func(lhs, rhs ref.Val) ref.Val {
		switch l := lhs.(type) {
		case types.Int:
			if r, ok := rhs.(types.Int); ok {
				return types.Bool(holds(cmp.Compare(l, r)))
			}
		case types.String:
			if r, ok := rhs.(types.String); ok {
				return types.Bool(holds(cmp.Compare(l, r)))
			}
		}
		if l, ok := lhs.(traits.Comparer); ok && (isNaN(lhs) || isNaN(rhs)) && !failed(rhs) {
			if order := l.Compare(rhs); failed(order) {
				return order
			}
		}
		return nil
	}
}

func isNaN(v ref.Val) bool {
	d, ok := v.(types.Double)
	return ok && d != d
}

// appendNode adds one element to the list that a comprehension builds, without
// making a list of the element.
type appendNode struct {
	callNode
	list *listNode
}

// fast is eval: loops of macros that build lists have a way of their own.
func (n *appendNode) fast(f *frame) value { return f.unbox(n.eval(f)) }

func (n *appendNode) eval(f *frame) ref.Val {
	lhs := f.operand(n.args[0])
	var rhs ref.Val
	if _, growing := lhs.(traits.MutableLister); !growing || f.mode == modeTracked {
		rhs = n.list.eval(f)
	} else {
		rhs = f.operand(n.list.args[0])
		f.charge(n.list.nodeID, common.ListCreateBaseCost)
		if !failed(rhs) {
			if f.single == nil {
				f.single = types.NewRefValList(f.prog.adapter, f.elem[:])
			}
			f.elem[0], rhs = rhs, f.single
		}
	}
	f.args = append(f.args, lhs, rhs)
	return n.leave(f)
}
