package eval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// node is a step of a program.
type node interface {
	// eval returns the value, an error value if there is none.
	eval(*frame) ref.Val
	// id is the id under which the value is observed. It is final once the
	// whole expression is planned.
	id() int64
}

// constNode is a constant.
type constNode struct {
	nodeID int64
	slot   int32
	val    ref.Val
}

func (n *constNode) id() int64      { return n.nodeID }
func (n *constNode) link(l *linker) { n.slot = l.slot(n.nodeID) }

func (n *constNode) eval(f *frame) ref.Val {
	f.observe(n.slot, n.val)
	return n.val
}

// logicNode is a conjunction or a disjunction.
type logicNode struct {
	nodeID int64
	slot   int32
	terms  []node
	slots  []int32
	// decisive is the value of a term that decides the result.
	decisive types.Bool
}

func (n *logicNode) id() int64 { return n.nodeID }

func (n *logicNode) link(l *linker) {
	n.slot = l.slot(n.nodeID)
	n.slots = l.slots(n.terms)
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

func (n *logicNode) decide(f *frame) ref.Val {
	var err ref.Val
	var unknown *types.Unknown
	for _, term := range n.terms {
		val := term.eval(f)
		if b, ok := val.(types.Bool); ok {
			if b == n.decisive {
				return b
			}
			continue
		}
		var isUnknown bool
		if unknown, isUnknown = types.MaybeMergeUnknowns(val, unknown); !isUnknown && err == nil {
			err = label(n.nodeID, types.MaybeNoSuchOverloadErr(val))
		}
	}
	switch {
	case unknown != nil:
		return unknown
	case err != nil:
		return err
	}
	return !n.decisive
}

// memberNode tests whether a value is in a constant list of primitive values.
// It costs nothing and leaves the operand on the stack.
type memberNode struct {
	nodeID int64
	slot   int32
	arg    node
	set    map[ref.Val]struct{}
	// strings are the strings of the set.
	strings map[string]struct{}
}

func (n *memberNode) id() int64      { return n.nodeID }
func (n *memberNode) link(l *linker) { n.slot = l.slot(n.nodeID) }

func (n *memberNode) eval(f *frame) ref.Val {
	val := n.arg.eval(f)
	if !failed(val) {
		val = types.Bool(n.contains(val))
	}
	f.observe(n.slot, val)
	return val
}

func (n *memberNode) contains(val ref.Val) (found bool) {
	if str, ok := val.(types.String); ok {
		_, found = n.strings[string(str)]
	} else {
		_, found = n.set[val]
	}
	return found
}

// orElseNode is or() and orValue() of optionals. It costs nothing and leaves its
// operands on the stack.
type orElseNode struct {
	nodeID int64
	slot   int32
	lhs    node
	rhs    node
	// unwrap is true for orValue.
	unwrap bool
}

func (n *orElseNode) id() int64      { return n.nodeID }
func (n *orElseNode) link(l *linker) { n.slot = l.slot(n.nodeID) }

func (n *orElseNode) eval(f *frame) ref.Val {
	val := n.choose(f)
	f.observe(n.slot, val)
	return val
}

func (n *orElseNode) choose(f *frame) ref.Val {
	val := n.lhs.eval(f)
	switch opt := val.(type) {
	case *types.Err, *types.Unknown:
		return val
	case *types.Optional:
		switch {
		case !opt.HasValue():
			return n.rhs.eval(f)
		case n.unwrap:
			return opt.GetValue()
		}
		return val
	}
	return types.NoSuchOverloadErr()
}
