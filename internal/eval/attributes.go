package eval

import (
	"fmt"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// attribute is a value and a path into it.
type attribute interface {
	// id is the id of the last step of the path.
	id() int64
	// add adds a step while the expression is planned.
	add(*step)
	// prepare is called once all steps are there.
	prepare()
	// resolve returns the native or CEL value at the end of the path.
	resolve(*frame) (any, error)
	// fast is resolve in a plain evaluation.
	fast(*frame) (value, error)
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
		// The tracker loses sight of what happens along the path, and so do the
		// local variables.
		cost, limit, before := f.cost, f.limit, f.mode
		f.limit, f.mode = Unlimited, modeMuted
		f.depth++
		defer func() {
			f.cost, f.limit, f.mode = cost, limit, before
			f.depth--
		}()
	}
	if v.local != nil {
		if val, ok := v.local.load(f); ok {
			return v.follow(f, val)
		}
	}
	in := &f.inputs[v.input]
	if !in.known {
		in.val, in.present = f.vars.ResolveName(v.name)
		in.known = true
	}
	if err, failed := in.val.(*types.Err); failed {
		return nil, err
	}
	if in.present {
		return v.follow(f, in.val)
	}
	// The name may be that of a type.
	if typ, ok := f.prog.provider.FindIdent(v.name); ok && len(v.steps) == 0 {
		return typ, nil
	}
	return nil, fmt.Errorf("no such attribute(s): %s", v.name)
}

// input is a variable that was looked up.
type input struct {
	val            any
	known, present bool
	// value is val unboxed, once it was needed so.
	value   value
	unboxed bool
}

// derived is a path into the value of an expression.
type derived struct {
	path
	operand node
}

func (d *derived) resolve(f *frame) (any, error) {
	val := d.operand.eval(f)
	if types.IsUnknown(val) {
		return val, nil
	}
	return d.follow(f, val)
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

func (c *conditional) add(s *step) {
	c.yes.add(s)
	c.no.add(s)
}

func (c *conditional) link(l linker) {
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

func (c *conditional) prepare() {
	c.yes.prepare()
	c.no.prepare()
}

// attrNode evaluates an attribute.
type attrNode struct {
	identity
	attr attribute
	// startID is the id of what the path begins with.
	startID int64
	// test is true for has().
	test bool
	// local is the variable of a comprehension that the attribute is, if it is
	// nothing else.
	local *local
	// choice is the attribute if it is a choice.
	choice *conditional
}

func (n *attrNode) id() int64 { return n.attr.id() }

func (n *attrNode) link(l linker) {
	n.nodeID = n.attr.id()
	n.attr.prepare()
	n.startID = n.nodeID
	n.identity.link(l)
	switch a := n.attr.(type) {
	case *variable:
		n.startID = a.startID
		if len(a.steps) == 0 {
			n.local = a.local
		}
	case *conditional:
		n.choice = a
	}
}

func (n *attrNode) eval(f *frame) ref.Val {
	if n.local != nil && f.mode == modePlain {
		val, ok := n.local.load(f)
		if _, optional := val.(*types.Optional); ok && !optional {
			f.charge(n.startID, common.SelectAndIdentCost)
			return label(n.nodeID, val)
		}
	}
	val := n.value(f)
	if f.mode == modeTracked {
		if n.choice != nil {
			for _, slot := range n.choice.slots {
				f.stack.drop(slot)
			}
		} else {
			f.stack.drop(n.slot)
		}
		f.stack.push(n.slot, val)
	}
	switch {
	case n.test && n.choice != nil:
		// What a presence test costs is taken off, even if nothing was charged.
		f.refund(n.startID, common.SelectAndIdentCost)
	case !n.test && n.choice == nil:
		f.charge(n.startID, common.SelectAndIdentCost)
	}
	return val
}

func (n *attrNode) value(f *frame) ref.Val {
	obj, err := n.attr.resolve(f)
	if err != nil {
		return n.errorOf(err)
	}
	val := f.adapt(obj)
	if opt, ok := val.(*types.Optional); ok && n.test {
		return types.Bool(opt.HasValue())
	}
	return val
}

// errorOf is the value of an attribute that cannot be resolved.
func (n *attrNode) errorOf(err error) ref.Val {
	if e, ok := err.(*types.Err); ok {
		return label(n.nodeID, e)
	}
	return types.NewErrWithNodeID(n.nodeID, "%w", err)
}
