package eval

import (
	"cmp"
	"reflect"

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
func quicken(n *callNode) planned {
	if n.function == operators.NotStrictlyFalse && n.unary != nil {
		return &notFalseNode{*n}
	}
	if n.binary == nil {
		return n
	}
	if holds := orderOf(n.function); holds != nil {
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

// orderOf returns the condition that a comparison puts on the order of its arguments
// (-1, 0 or 1), and nil for any other function.
func orderOf(function string) func(order int) bool {
	switch function {
	case operators.Less:
		return func(order int) bool { return order < 0 }
	case operators.LessEquals:
		return func(order int) bool { return order <= 0 }
	case operators.Greater:
		return func(order int) bool { return order > 0 }
	case operators.GreaterEquals:
		return func(order int) bool { return order >= 0 }
	}
	return nil
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

// notFalseNode is the condition of all() and exists(). A bool it returns as it is.
type notFalseNode struct{ callNode }

func (n *notFalseNode) eval(f *frame) ref.Val {
	arg := n.args[0].eval(f)
	if _, ok := arg.(types.Bool); ok && f.mode == modePlain && n.price == nil {
		f.charge(n.nodeID, 1)
		return arg
	}
	f.args = append(f.args, arg)
	return n.leave(f, 1)
}

// appendNode adds one element to the list that a comprehension builds, without
// making a list of the element.
type appendNode struct {
	callNode
	list *listNode
}

func (n *appendNode) eval(f *frame) ref.Val {
	lhs := n.args[0].eval(f)
	if _, growing := lhs.(traits.MutableLister); !growing || f.mode == modeTracked {
		return n.apply(f, lhs, n.list.eval(f))
	}
	elem := n.list.args[0].eval(f)
	f.charge(n.list.nodeID, common.ListCreateBaseCost)
	if failed(elem) {
		return n.apply(f, lhs, elem)
	}
	f.single = single{elem, f.adapter}
	val := n.apply(f, lhs, &f.single)
	f.single = single{}
	return val
}

// single is a list of one element that lasts for one call. The call asks only for its
// element; a price may ask for anything.
type single struct {
	elem    ref.Val
	adapter types.Adapter
}

func (s *single) list() traits.Lister {
	return types.NewRefValList(s.adapter, []ref.Val{s.elem})
}

func (s *single) Get(index ref.Val) ref.Val {
	if index == types.IntZero {
		return s.elem
	}
	return s.list().Get(index)
}

func (s *single) Size() ref.Val                               { return types.IntOne }
func (s *single) Type() ref.Type                              { return types.ListType }
func (s *single) Add(other ref.Val) ref.Val                   { return s.list().Add(other) }
func (s *single) Contains(val ref.Val) ref.Val                { return s.list().Contains(val) }
func (s *single) Iterator() traits.Iterator                   { return s.list().Iterator() }
func (s *single) Equal(other ref.Val) ref.Val                 { return s.list().Equal(other) }
func (s *single) Value() any                                  { return s.list().Value() }
func (s *single) ConvertToType(t ref.Type) ref.Val            { return s.list().ConvertToType(t) }
func (s *single) ConvertToNative(t reflect.Type) (any, error) { return s.list().ConvertToNative(t) }
