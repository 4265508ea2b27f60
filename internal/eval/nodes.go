package eval

import (
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// node is a part of a program that has a value.
type node interface {
	linked
	// eval returns the value, an error value if there is none.
	eval(*frame) ref.Val
	// fast is eval in a plain evaluation: the same value at the same cost, without a CEL
	// value where none is needed.
	fast(*frame) value
	// id is the id by which the stack keeps the value. It is final once the
	// whole expression is planned.
	id() int64
}

// linked is what knows ids. It is linked once all ids are final.
type linked interface {
	link(linker)
}

// identity is the id of a node or step, and the slot of the stack that it has.
type identity struct {
	nodeID int64
	slot   int32
}

func (i *identity) id() int64     { return i.nodeID }
func (i *identity) link(l linker) { i.slot = l.slot(i.nodeID) }

// parent is a node whose operands are found on the stack.
type parent struct {
	identity
	args  []node
	slots []int32
}

func newParent(id int64, args []node) parent { return parent{identity{nodeID: id}, args, nil} }

func (p *parent) link(l linker) {
	p.identity.link(l)
	p.slots = make([]int32, len(p.args))
	for i, arg := range p.args {
		p.slots[i] = l.slot(arg.id())
	}
}

// constNode is a constant.
type constNode struct {
	identity
	val ref.Val
	// value is val unboxed.
	value value
}

func (n *constNode) fast(*frame) value { return n.value }

func (n *constNode) eval(f *frame) ref.Val {
	f.observe(n.slot, n.val)
	return n.val
}

// logicNode is a conjunction or a disjunction. It costs nothing.
type logicNode struct {
	parent
	// decisive is the value of a term that decides the result.
	decisive types.Bool
}

func (n *logicNode) eval(f *frame) ref.Val {
	val := n.decide(f)
	if f.mode == modeTracked {
		for _, slot := range n.slots {
			f.stack.drop(slot)
		}
		f.stack.push(n.slot, val)
	}
	return val
}

func (n *logicNode) fast(f *frame) value {
	var err ref.Val
	for _, term := range n.args {
		val := term.fast(f)
		switch {
		case val.is(bool(n.decisive)):
			return val
		case err == nil && !val.isBool():
			err = label(n.nodeID, types.MaybeNoSuchOverloadErr(f.box(val)))
		}
	}
	if err != nil {
		return boxedOf(err)
	}
	return boolOf(!bool(n.decisive))
}

func (n *logicNode) decide(f *frame) ref.Val {
	var err ref.Val
	for _, term := range n.args {
		val := term.eval(f)
		b, ok := val.(types.Bool)
		switch {
		case ok && b == n.decisive:
			return b
		case !ok && err == nil:
			err = label(n.nodeID, types.MaybeNoSuchOverloadErr(val))
		}
	}
	if err != nil {
		return err
	}
	return !n.decisive
}

// memberNode tests whether a value is in a constant list of primitive values.
// It costs nothing and leaves the operand on the stack.
type memberNode struct {
	identity
	arg node
	set map[ref.Val]struct{}
	// strings are the strings of the set.
	strings map[string]struct{}
	// few are the strings if they are not more than a search is worth.
	few []string
}

// fewStrings is the number of strings up to which comparisons are faster than a look-up.
const fewStrings = 8

func (n *memberNode) fast(f *frame) value {
	val := n.arg.fast(f)
	if val.isString() {
		f.took(pathMember)
		if n.few != nil {
			return boolOf(slices.Contains(n.few, val.text()))
		}
		_, found := n.strings[val.text()]
		return boolOf(found)
	}
	if val.failed() {
		return val
	}
	_, found := n.set[f.box(val)]
	return boolOf(found)
}

func (n *memberNode) eval(f *frame) ref.Val {
	val := n.arg.eval(f)
	if !failed(val) {
		var found bool
		if str, ok := val.(types.String); ok {
			_, found = n.strings[string(str)]
		} else {
			_, found = n.set[val]
		}
		val = types.Bool(found)
	}
	f.observe(n.slot, val)
	return val
}

// orElseNode is or() and orValue() of optionals. It costs nothing and leaves its
// operands on the stack.
type orElseNode struct {
	identity
	lhs, rhs node
	// unwrap is true for orValue.
	unwrap bool
}

func (n *orElseNode) eval(f *frame) ref.Val {
	val := n.choose(f)
	f.observe(n.slot, val)
	return val
}

func (n *orElseNode) fast(f *frame) value {
	val := n.lhs.fast(f)
	if val.failed() {
		return val
	}
	opt, ok := val.data.(*types.Optional)
	switch {
	case !ok:
		return boxedOf(types.NoSuchOverloadErr())
	case !opt.HasValue():
		return n.rhs.fast(f)
	case n.unwrap:
		return f.unbox(opt.GetValue())
	}
	return val
}

func (n *orElseNode) choose(f *frame) ref.Val {
	val := n.lhs.eval(f)
	if failed(val) {
		return val
	}
	opt, ok := val.(*types.Optional)
	switch {
	case !ok:
		return types.NoSuchOverloadErr()
	case !opt.HasValue():
		return n.rhs.eval(f)
	case n.unwrap:
		return opt.GetValue()
	}
	return val
}
