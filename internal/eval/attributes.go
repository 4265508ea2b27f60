package eval

import (
	"fmt"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// attribute is a value and a path into it.
type attribute interface {
	// id is the id of the last step of the path. Steps are added while
	// planning.
	id() int64
	add(qualifier)
	// resolve returns the native or CEL value at the end of the path.
	resolve(*frame) (any, error)
	// value is resolve for a CEL value. An error gets the position.
	value(f *frame, id int64) ref.Val
}

func (f *frame) value(id int64, obj any, err error) ref.Val {
	if err != nil {
		return labelErr(id, err)
	}
	return f.adapt(obj)
}

// path is the steps of an attribute.
type path struct {
	startID int64
	steps   []step
}

// step is a qualifier. Most are constants, which are called without detour.
type step struct {
	qualifier
	constant   *constQualifier
	isOptional bool
}

func (s *step) qualify(f *frame, obj any) (any, error) {
	if s.constant != nil {
		return s.constant.qualify(f, obj)
	}
	return s.qualifier.qualify(f, obj)
}

func (p *path) id() int64 {
	if n := len(p.steps); n > 0 {
		return p.steps[n-1].id()
	}
	return p.startID
}

func (p *path) add(q qualifier) {
	constant, _ := q.(*constQualifier)
	p.steps = append(p.steps, step{q, constant, q.optional()})
}

// follow goes along the path. If the object or a step is optional, so is the
// result.
func (p *path) follow(f *frame, obj any) (any, error) {
	if len(p.steps) == 0 {
		return obj, nil
	}
	optional := false
	if opt, ok := obj.(*types.Optional); ok {
		if !opt.HasValue() {
			return opt, nil
		}
		optional, obj = true, opt.GetValue()
	}
	for i := range p.steps {
		s := &p.steps[i]
		var err error
		if optional = optional || s.isOptional; !optional {
			if obj, err = s.qualify(f, obj); err != nil {
				return nil, err
			}
			continue
		}
		var present bool
		if obj, present, err = s.find(f, obj); err != nil {
			return nil, err
		}
		if !present {
			return types.OptionalNone, nil
		}
	}
	if !optional {
		return obj, nil
	}
	val := f.adapt(obj)
	if types.IsUnknown(val) {
		return val, nil
	}
	return types.OptionalOf(val), nil
}

// variable is a path into a variable.
type variable struct {
	path
	name string
	// input is the index of the variable of that name in the frame.
	input int
	// local says which value of which comprehension the name stands for, if it
	// is bound by one.
	local *local
	// global is true if the name is that of a variable that a local one hides.
	global bool
}

func (v *variable) resolve(f *frame) (any, error) {
	if v.global {
		return v.resolveGlobal(f)
	}
	obj, found := v.load(f)
	return v.from(f, obj, found)
}

// resolveGlobal resolves a name that a local variable hides. The tracker loses
// sight of what happens along its path, and so do the local variables.
func (v *variable) resolveGlobal(f *frame) (any, error) {
	defer f.mute()()
	obj, found := f.input(v)
	return v.from(f, obj, found)
}

func (v *variable) from(f *frame, obj any, found bool) (any, error) {
	if !found {
		return v.missing(f)
	}
	if err, ok := obj.(*types.Err); ok {
		return nil, err
	}
	return v.follow(f, obj)
}

func (v *variable) value(f *frame, id int64) ref.Val {
	obj, err := v.resolve(f)
	return f.value(id, obj, err)
}

func (v *variable) load(f *frame) (any, bool) {
	if v.local != nil {
		if val, ok := v.local.load(f); ok {
			return val, true
		}
	}
	return f.input(v)
}

// input is a variable that was looked up.
type input struct {
	val            any
	known, present bool
}

// input returns the value of a variable from outside the expression.
func (f *frame) input(v *variable) (any, bool) {
	in := &f.inputs[v.input]
	if !in.known {
		in.val, in.present = f.vars.ResolveName(v.name)
		in.known = true
	}
	return in.val, in.present
}

// missing resolves a name that no variable has: it may be that of a type.
func (v *variable) missing(f *frame) (any, error) {
	if typ, ok := f.prog.provider.FindIdent(v.name); ok && len(v.steps) == 0 {
		return typ, nil
	}
	return nil, fmt.Errorf("no such attribute(s): %s", v.name)
}

// derived is a path into the value of an expression.
type derived struct {
	path
	operand node
}

func (d *derived) resolve(f *frame) (any, error) {
	val := d.operand.eval(f)
	switch v := val.(type) {
	case *types.Err:
		return nil, v
	case *types.Unknown:
		return v, nil
	}
	return d.follow(f, val)
}

func (d *derived) value(f *frame, id int64) ref.Val {
	if len(d.steps) == 0 {
		return label(id, d.operand.eval(f))
	}
	obj, err := d.resolve(f)
	return f.value(id, obj, err)
}

// conditional is the choice between two attributes. Steps are added to both.
type conditional struct {
	nodeID    int64
	condition node
	yes, no   attribute
	// slots are those of no, yes and the condition.
	slots [3]int32
}

func (c *conditional) id() int64 {
	if id := c.yes.id(); id == c.no.id() {
		return id
	}
	return c.nodeID
}

func (c *conditional) add(q qualifier) {
	c.yes.add(q)
	c.no.add(q)
}

func (c *conditional) link(l *linker) {
	c.slots = [3]int32{l.slot(c.no.id()), l.slot(c.yes.id()), l.slot(c.condition.id())}
}

func (c *conditional) resolve(f *frame) (any, error) {
	switch val := c.condition.eval(f); val {
	case types.True:
		return c.yes.resolve(f)
	case types.False:
		return c.no.resolve(f)
	default:
		if types.IsUnknown(val) {
			return val, nil
		}
		return nil, types.MaybeNoSuchOverloadErr(val).(*types.Err)
	}
}

func (c *conditional) value(f *frame, id int64) ref.Val {
	switch val := c.condition.eval(f); val {
	case types.True:
		return c.yes.value(f, id)
	case types.False:
		return c.no.value(f, id)
	default:
		return label(id, types.MaybeNoSuchOverloadErr(val))
	}
}

// attrNode evaluates an attribute.
type attrNode struct {
	attr   attribute
	nodeID int64
	// startID is the id of what the path begins with.
	startID int64
	slot    int32
	// test is true for has().
	test bool
	// local is the variable of a comprehension that the attribute is, if it is
	// nothing else.
	local *local
}

func (n *attrNode) id() int64 { return n.attr.id() }

func (n *attrNode) link(l *linker) {
	n.nodeID = n.id()
	n.slot = l.slot(n.nodeID)
	n.startID = n.nodeID
	if v, ok := n.attr.(*variable); ok {
		n.startID = v.startID
		if len(v.steps) == 0 {
			n.local = v.local
		}
	}
}

func (n *attrNode) eval(f *frame) ref.Val {
	if n.local != nil && f.mode == modePlain {
		if val, ok := n.local.load(f); ok {
			f.charge(n.startID, common.SelectAndIdentCost)
			return label(n.nodeID, val)
		}
	}
	val := n.value(f)
	choice, isChoice := n.attr.(*conditional)
	if f.mode == modeTracked {
		if isChoice {
			for _, slot := range choice.slots {
				f.stack.drop(slot)
			}
		} else {
			f.stack.drop(n.slot)
		}
		f.stack.push(n.slot, val)
	}
	switch {
	case n.test && isChoice:
		// What a presence test costs is taken off, even if nothing was charged.
		f.refund(n.startID, common.SelectAndIdentCost)
	case !n.test && !isChoice:
		f.charge(n.startID, common.SelectAndIdentCost)
	}
	return val
}

func (n *attrNode) value(f *frame) ref.Val {
	val := n.attr.value(f, n.nodeID)
	if opt, ok := val.(*types.Optional); ok && n.test {
		return types.Bool(opt.HasValue())
	}
	return val
}
