package eval

import (
	"cmp"
	"reflect"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// orderOf returns what a comparison says of the order of its arguments, nil for
// any other function.
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

// orderNode compares. Ints and strings it compares by itself.
type orderNode struct {
	binaryNode
	holds func(order int) bool
}

func (n *orderNode) eval(f *frame) ref.Val {
	lhs := n.args[0].eval(f)
	rhs := n.args[1].eval(f)
	return finish2(&n.call, f, lhs, rhs, n.apply(lhs, rhs))
}

func (n *orderNode) apply(lhs, rhs ref.Val) ref.Val {
	switch l := lhs.(type) {
	case types.Int:
		if r, ok := rhs.(types.Int); ok {
			return types.Bool(n.holds(cmp.Compare(l, r)))
		}
	case types.String:
		if r, ok := rhs.(types.String); ok {
			return types.Bool(n.holds(cmp.Compare(l, r)))
		}
	}
	if (isNaN(lhs) || isNaN(rhs)) && !failed(rhs) {
		// An error in API servers; cel-go says false since v0.30.
		if l, ok := lhs.(traits.Comparer); ok {
			if order := l.Compare(rhs); failed(order) {
				return label(n.nodeID, order)
			}
		}
	}
	return n.binaryNode.apply(lhs, rhs)
}

func isNaN(v ref.Val) bool {
	d, ok := v.(types.Double)
	return ok && d != d
}

// notFalseNode is the condition of all() and exists(). A bool it returns as it is.
type notFalseNode struct{ unaryNode }

func (n *notFalseNode) eval(f *frame) ref.Val {
	if f.mode != modePlain || n.price != nil {
		return n.unaryNode.eval(f)
	}
	arg := n.args[0].eval(f)
	f.charge(n.nodeID, 1)
	if _, ok := arg.(types.Bool); ok {
		return arg
	}
	return n.apply(arg)
}

// appendNode adds one element to the list that a comprehension builds, without
// making a list of the element.
type appendNode struct {
	binaryNode
	list *listNode
}

func (n *appendNode) eval(f *frame) ref.Val {
	lhs := n.args[0].eval(f)
	if _, ok := lhs.(traits.MutableLister); !ok || f.mode == modeTracked {
		rhs := n.list.eval(f)
		return finish2(&n.call, f, lhs, rhs, n.apply(lhs, rhs))
	}
	elem := n.list.vals[0].eval(f)
	f.charge(n.list.nodeID, common.ListCreateBaseCost)
	if failed(elem) {
		return finish2(&n.call, f, lhs, elem, elem)
	}
	f.single = single{elem, f.adapter}
	val := finish2(&n.call, f, lhs, &f.single, n.apply(lhs, &f.single))
	f.single = single{}
	return val
}

// single is a list of one element, which lasts for one call. Only a price may ask
// it for more than its element.
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

// quicken replaces a call by a node that does the same in less time.
func quicken(n node) node {
	switch n := n.(type) {
	case *binaryNode:
		if holds := orderOf(n.function); holds != nil && n.impl != nil {
			return &orderNode{*n, holds}
		}
		if list, ok := n.args[1].(*listNode); ok && n.overload == overloads.AddList && len(list.vals) == 1 && list.optional == nil {
			return &appendNode{*n, list}
		}
	case *unaryNode:
		if n.function == operators.NotStrictlyFalse && n.impl != nil {
			return &notFalseNode{*n}
		}
	}
	return n
}
