package eval

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// A form is what is known of a loop: that it is one of a macro, in which nothing but the
// macro itself knows the accumulator. Such a loop needs no CEL value for it.
type form struct {
	// macro is loopAll to loopCollect, opNone for any other loop.
	macro op
	// body is the condition of all(), exists(), exists_one() and filter(), and of map() if
	// it has one, nil otherwise.
	body node
	// elem is the element that map() and filter() add.
	elem node
	// listID is the node of the list of that element, and addID the sum of it.
	listID, addID int64
	// sum is the price of adding one.
	sum func(x, y uint64) uint64
}

// formOf recognizes a macro by its nodes. Accu is the accumulator in the body of the
// loop, and last that of the result.
func formOf(n *foldNode, accu, last *local) form {
	switch step := n.step.(type) {
	case *logicNode:
		if len(step.args) != 2 || !isVariable(step.args[0], accu) || !isVariable(n.result, last) || accu.uses != 2 {
			break
		}
		if cond := continues(n.cond, bool(step.decisive)); cond == nil || !isVariable(cond, accu) {
			break
		}
		first, ok := n.accu.(*constNode)
		switch {
		case !ok:
		case first.val == types.True && step.decisive == types.False:
			return form{macro: loopAll, body: step.args[1]}
		case first.val == types.False && step.decisive == types.True:
			return form{macro: loopExists, body: step.args[1]}
		}
	case *attrNode:
		choice, ok := step.attr.(*conditional)
		if !ok || !n.endless {
			break
		}
		yes, isDerived := choice.yes.(*derived)
		no, isVar := choice.no.(*variable)
		if !isDerived || !isVar || len(yes.steps) > 0 || len(no.steps) > 0 || no.local != accu || no.global {
			break
		}
		if f := collects(n, yes.operand, accu, last, 2); f.macro != opNone {
			f.body = choice.condition
			return f
		}
		return counts(n, choice.condition, yes.operand, accu)
	default:
		if n.endless {
			return collects(n, n.step, accu, last, 1)
		}
	}
	return form{}
}

// isVariable tells whether a node is a variable of a loop and nothing else.
func isVariable(n node, of *local) bool {
	a, ok := n.(*attrNode)
	if !ok {
		return false
	}
	v, ok := a.attr.(*variable)
	return ok && v.local == of && !v.global && len(v.steps) == 0
}

// continues is what the condition of a macro asks, nil if it is no such condition or
// costs anything but one unit for each node.
func continues(cond node, negated bool) node {
	names := []string{operators.NotStrictlyFalse}
	if negated {
		names = append(names, operators.LogicalNot)
	}
	for _, name := range names {
		c, ok := cond.(*callNode)
		if !ok || c.function != name || len(c.args) != 1 || c.sized == nil || c.sized(1, 1) != 1 {
			return nil
		}
		cond = c.args[0]
	}
	return cond
}

// collects recognizes a step that adds an element to the list of the accumulator.
func collects(n *foldNode, step node, accu, last *local, uses int) form {
	add, ok := step.(*appendNode)
	first, isConst := n.accu.(*constNode)
	if !ok || !isConst || accu.uses != uses || last.uses != 1 || add.sized == nil || !isVariable(add.args[0], accu) || !isVariable(n.result, last) {
		return form{}
	}
	if list, ok := first.val.(traits.Lister); !ok || list.Size() != types.IntZero {
		return form{}
	}
	return form{macro: loopCollect, elem: add.list.args[0], listID: add.list.nodeID, addID: add.nodeID, sum: add.sized}
}

// counts recognizes exists_one().
func counts(n *foldNode, body, step node, accu *local) form {
	add, ok := step.(*callNode)
	first, isConst := n.accu.(*constNode)
	if !ok || !isConst || first.val != types.IntZero || accu.uses != 2 || add.function != operators.Add || add.sized == nil || !isVariable(add.args[0], accu) {
		return form{}
	}
	if one, ok := add.args[1].(*constNode); !ok || one.val != types.IntOne {
		return form{}
	}
	return form{macro: loopExistsOne, body: body, addID: add.nodeID, sum: add.sized}
}

func (n *foldNode) fast(f *frame) value {
	over := n.iterRange.fast(f)
	if over.failed() {
		return over
	}
	s := n.begin(f)
	val, ok := n.loop(f, s, over)
	if !ok {
		val = f.unbox(n.iterate(f, s, f.box(over)))
	}
	f.folds[n.index] = foldState{}
	return val
}

// A span is what a loop goes over.
type span struct {
	list   []any
	values []value
	keys   []string
	fields map[string]any
	// of is the schema of the elements.
	of   *typesystem.Schema
	size int
}

// loop goes over data by index, and over the sorted keys of a map. It is false for what
// only iterate knows.
func (n *foldNode) loop(f *frame, s *foldState, over value) (value, bool) {
	var sp span
	switch over.kind() {
	case kindList:
		sp = span{list: over.list(), of: over.of.Items}
		sp.size = len(sp.list)
		f.took(loopList)
	case kindMap:
		if !over.of.HasKeys() {
			return value{}, false
		}
		sp.fields, sp.of = over.object(), over.of.AdditionalProperties
		sp.keys = slices.Sorted(maps.Keys(sp.fields)) // values may point to them
		sp.size = len(sp.keys)
		f.took(loopMap)
	default:
		list := over.values()
		if list == nil {
			return value{}, false
		}
		f.took(loopValues)
		sp.values, sp.size = list.elems, len(list.elems)
	}
	return n.over(f, s, &sp), true
}

// at sets the iteration variables.
func (sp *span) at(f *frame, s *foldState, i int) {
	last := 0
	if s.node.pairs {
		last = 1
		s.iter[0], s.made[0] = intOf(int64(i)), nil
		if sp.fields != nil {
			s.iter[0] = keyOf(&sp.keys[i])
		}
	}
	s.made[last] = nil
	switch {
	case sp.list != nil:
		s.iter[last] = f.native(sp.of, sp.list[i])
	case sp.values != nil:
		s.iter[last] = sp.values[i]
	case last == 0:
		s.iter[0] = keyOf(&sp.keys[i])
	default:
		s.iter[1] = f.native(sp.of, sp.fields[sp.keys[i]])
	}
}

// over goes over a span.
func (n *foldNode) over(f *frame, s *foldState, sp *span) value {
	i := 0
	if n.macro != opNone {
		f.took(n.macro)
	}
	switch n.macro {
	case loopAll, loopExists:
		i = n.quantify(f, s, sp)
	case loopExistsOne:
		i = n.count(f, s, sp)
	case loopCollect:
		i = n.collect(f, s, sp)
	}
	for ; i < sp.size; i++ {
		sp.at(f, s, i)
		if !s.turn(f) {
			break
		}
	}
	if s.mutable || s.interrupted {
		return f.unbox(s.finish())
	}
	return n.result.fast(f)
}

// quantify goes on as long as all() and exists() are undecided. It returns from where on
// turn is to go on: after a body that has no answer.
func (n *foldNode) quantify(f *frame, s *foldState, sp *span) (next int) {
	decisive := n.macro == loopExists
	// The condition has one node more in exists().
	units := uint64(2)
	if decisive {
		units = 3
	}
	s.accu, s.ready = boolOf(!decisive), true
	for i := range sp.size {
		sp.at(f, s, i)
		f.spend(units + 1)
		val := n.body.fast(f)
		if !val.isBool() {
			s.accu = boxedOf(label(n.step.id(), types.MaybeNoSuchOverloadErr(f.box(val))))
			return n.goOn(f, s, sp, i)
		}
		if f.interrupt() {
			s.interrupted = true
			return sp.size
		}
		if (val.num == 1) == decisive {
			if i+1 < sp.size {
				f.spend(units)
			}
			s.accu = val
			return sp.size
		}
	}
	return sp.size
}

// goOn ends an iteration, and returns the next.
func (n *foldNode) goOn(f *frame, s *foldState, sp *span, i int) (next int) {
	if f.interrupt() {
		s.interrupted = true
		return sp.size
	}
	return i + 1
}

// count counts for exists_one().
func (n *foldNode) count(f *frame, s *foldState, sp *span) (next int) {
	s.accu, s.ready = intOf(0), true
	for i := range sp.size {
		sp.at(f, s, i)
		val := n.body.fast(f)
		switch {
		case !val.isBool():
			s.accu = boxedOf(n.undecided(f, val))
			return n.goOn(f, s, sp, i)
		case val.num == 1:
			f.spend(common.SelectAndIdentCost)
			f.charge(n.addID, n.sum(1, 1))
			s.accu.num++
		}
		if f.interrupt() {
			s.interrupted = true
			return sp.size
		}
	}
	return sp.size
}

// collect makes the list of map() and filter().
func (n *foldNode) collect(f *frame, s *foldState, sp *span) (next int) {
	list := &values{elems: make([]value, 0, sp.size)}
	s.accu, s.ready = value{data: list}, true
	for i := range sp.size {
		sp.at(f, s, i)
		if n.body != nil {
			keep := n.body.fast(f)
			if !keep.isBool() {
				s.accu = boxedOf(n.undecided(f, keep))
				return n.goOn(f, s, sp, i)
			}
			if keep.num == 0 {
				if f.interrupt() {
					s.interrupted = true
					return sp.size
				}
				continue
			}
		}
		f.spend(common.SelectAndIdentCost)
		elem := n.elem.fast(f)
		f.charge(n.listID, common.ListCreateBaseCost)
		f.charge(n.addID, n.sum(uint64(len(list.elems)), 1))
		if elem.failed() {
			s.accu = elem
			return n.goOn(f, s, sp, i)
		}
		list.elems = append(list.elems, elem)
		if f.interrupt() {
			s.interrupted = true
			return sp.size
		}
	}
	return sp.size
}

// undecided is the error of a choice by what is no bool.
func (n *foldNode) undecided(f *frame, cond value) ref.Val {
	val := f.box(cond)
	if types.IsUnknown(val) {
		return val
	}
	return n.step.(*attrNode).errorOf(types.MaybeNoSuchOverloadErr(val).(*types.Err))
}
