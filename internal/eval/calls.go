package eval

import (
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// call is what all calls have in common.
type call struct {
	nodeID   int64
	slot     int32
	function string
	overload string
	args     []node
	slots    []int32
	price    Price
	// repeated is true in the body of a comprehension.
	repeated  bool
	trait     int
	nonStrict bool
}

func (c *call) id() int64   { return c.nodeID }
func (c *call) base() *call { return c }

func (c *call) link(l *linker) {
	c.slot = l.slot(c.nodeID)
	c.slots = l.slots(c.args)
}

// finish charges for a call of which all arguments were evaluated.
func (c *call) finish(f *frame, args []ref.Val, result ref.Val) ref.Val {
	if f.mode == modeTracked {
		return c.track(f, result)
	}
	if c.price == nil {
		f.charge(c.nodeID, 1)
	} else {
		f.charge(c.nodeID, c.price(args, result))
	}
	return result
}

// abandon ends a call of which the last arguments were not evaluated. Such a call
// is free and leaves its first arguments on the stack, where in a loop they may
// be found again.
func (c *call) abandon(f *frame, result ref.Val) ref.Val {
	switch f.mode {
	case modeTracked:
		return c.track(f, result)
	case modePlain:
		if c.repeated {
			panic(restart{})
		}
	}
	return result
}

// track charges by the arguments that are found on the stack.
func (c *call) track(f *frame, result ref.Val) ref.Val {
	base := len(f.args)
	args := f.reserve(len(c.slots))
	units := uint64(0)
	if f.stack.take(f.adapter, c.slots, args) {
		units = 1
		if c.price != nil {
			units = c.price(args, result)
		}
	}
	f.release(base)
	f.stack.push(c.slot, result)
	f.charge(c.nodeID, units)
	return result
}

// reserve returns room for n arguments, until release.
func (f *frame) reserve(n int) []ref.Val {
	base := len(f.args)
	for range n {
		f.args = append(f.args, nil)
	}
	return f.args[base : base+n : base+n]
}

func (f *frame) release(base int) {
	clear(f.args[base:])
	f.args = f.args[:base]
}

// accepts tells whether the implementation takes the first argument.
func (c *call) accepts(arg ref.Val) bool {
	return c.trait == 0 || c.nonStrict && failed(arg) || arg.Type().HasTrait(c.trait)
}

// receive calls the method of a value that implements its functions itself.
func (c *call) receive(receiver ref.Val, args []ref.Val) (ref.Val, bool) {
	if !receiver.Type().HasTrait(traits.ReceiverType) {
		return nil, false
	}
	return label(c.nodeID, receiver.(traits.Receiver).Receive(c.function, c.overload, args)), true
}

// equalNode is == and !=.
type equalNode struct {
	call
	negate bool
}

func (n *equalNode) eval(f *frame) ref.Val {
	lhs := n.args[0].eval(f)
	rhs := n.args[1].eval(f)
	return finish2(&n.call, f, lhs, rhs, n.compare(lhs, rhs))
}

func (n *equalNode) compare(lhs, rhs ref.Val) ref.Val {
	switch {
	case failed(lhs):
		return lhs
	case failed(rhs):
		return rhs
	case n.negate:
		return types.Bool(types.Equal(lhs, rhs) != types.True)
	}
	return types.Equal(lhs, rhs)
}

func finish2(c *call, f *frame, lhs, rhs, result ref.Val) ref.Val {
	if c.price == nil || f.mode == modeTracked {
		return c.finish(f, nil, result)
	}
	f.priced = [2]ref.Val{lhs, rhs}
	f.charge(c.nodeID, c.price(f.priced[:], result))
	return result
}

// nullaryNode calls a function without arguments.
type nullaryNode struct {
	call
	impl functions.FunctionOp
}

func (n *nullaryNode) eval(f *frame) ref.Val {
	return n.finish(f, nil, label(n.nodeID, n.impl()))
}

// unaryNode calls a function of one argument.
type unaryNode struct {
	call
	impl functions.UnaryOp
}

func (n *unaryNode) eval(f *frame) ref.Val {
	arg := n.args[0].eval(f)
	result := n.apply(arg)
	if n.price == nil || f.mode == modeTracked {
		return n.finish(f, nil, result)
	}
	f.priced[0] = arg
	f.charge(n.nodeID, n.price(f.priced[:1:1], result))
	return result
}

func (n *unaryNode) apply(arg ref.Val) ref.Val {
	if !n.nonStrict && failed(arg) {
		return arg
	}
	if n.impl != nil && n.accepts(arg) {
		return label(n.nodeID, n.impl(arg))
	}
	if val, ok := n.receive(arg, []ref.Val{}); ok {
		return val
	}
	return types.NewErrWithNodeID(n.nodeID, "no such overload: %s", n.function)
}

// binaryNode calls a function of two arguments.
type binaryNode struct {
	call
	impl functions.BinaryOp
}

func (n *binaryNode) eval(f *frame) ref.Val {
	lhs := n.args[0].eval(f)
	rhs := n.args[1].eval(f)
	return finish2(&n.call, f, lhs, rhs, n.apply(lhs, rhs))
}

func (n *binaryNode) apply(lhs, rhs ref.Val) ref.Val {
	if !n.nonStrict {
		if failed(lhs) {
			return lhs
		}
		if failed(rhs) {
			return rhs
		}
	}
	if n.impl != nil && n.accepts(lhs) {
		return label(n.nodeID, n.impl(lhs, rhs))
	}
	if val, ok := n.receive(lhs, []ref.Val{rhs}); ok {
		return val
	}
	return types.NewErrWithNodeID(n.nodeID, "no such overload: %s", n.function)
}

// variadicNode calls a function that takes its arguments as a slice.
type variadicNode struct {
	call
	impl functions.FunctionOp
	// borrows is true if the function does not keep the slice.
	borrows bool
}

func (n *variadicNode) eval(f *frame) ref.Val {
	base := len(f.args)
	for _, arg := range n.args {
		val := arg.eval(f)
		f.args = append(f.args, val)
		if !n.nonStrict && failed(val) {
			return n.stop(f, base, val)
		}
	}
	args := f.args[base:len(f.args):len(f.args)]
	given := args
	if !n.borrows {
		given = append([]ref.Val(nil), args...)
	}
	result := n.finish(f, args, n.apply(given))
	f.release(base)
	return result
}

// stop ends a call of which an argument failed. The last argument may be the one
// that failed, and then all were evaluated.
func (n *variadicNode) stop(f *frame, base int, val ref.Val) ref.Val {
	args := f.args[base:len(f.args):len(f.args)]
	if len(args) == len(n.args) {
		val = n.finish(f, args, val)
	} else {
		val = n.abandon(f, val)
	}
	f.release(base)
	return val
}

func (n *variadicNode) apply(args []ref.Val) ref.Val {
	if n.impl != nil && n.accepts(args[0]) {
		return label(n.nodeID, n.impl(args...))
	}
	if val, ok := n.receive(args[0], args[1:]); ok {
		return val
	}
	return types.NewErrWithNodeID(n.nodeID, "no such overload: %s %d", n.function, n.nodeID)
}
