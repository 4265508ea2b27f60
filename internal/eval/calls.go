package eval

import (
	"regexp"
	"slices"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// callNode calls a function. Its implementation is one of unary, binary and
// variadic, or none if only the values themselves implement the function.
type callNode struct {
	parent
	function string
	overload string
	unary    functions.UnaryOp
	binary   functions.BinaryOp
	variadic functions.FunctionOp
	// quick answers what it knows of two arguments. Nil leaves them to the
	// implementation.
	quick functions.BinaryOp
	price Price
	// sized is the price by the sizes of the first two arguments, nil if it depends on more.
	sized func(x, y uint64) uint64
	// op is how the call is computed without CEL values.
	op op
	// regex is the constant regular expression of matches.
	regex *regexp.Regexp
	// trait is what the implementation asks of the first argument.
	trait     int
	nonStrict bool
	// stops is true if the arguments after one that failed are not evaluated.
	stops bool
	// borrows is true if the variadic implementation does not keep its arguments.
	borrows bool
	// repeated is true in the body of a comprehension.
	repeated bool
}

func (n *callNode) eval(f *frame) ref.Val {
	base := len(f.args)
	for _, arg := range n.args {
		val := f.operand(arg)
		f.args = append(f.args, val)
		if n.stops && len(f.args)-base < len(n.args) && failed(val) {
			f.release(base)
			return n.abandon(f, val)
		}
	}
	return n.leave(f)
}

// leave calls the function with the last arguments, and releases them.
func (n *callNode) leave(f *frame) ref.Val {
	base := len(f.args) - len(n.args)
	args := f.args[base:len(f.args):len(f.args)]
	result := n.finish(f, args, n.invoke(args))
	f.release(base)
	return result
}

// invoke is where every implementation of a function is entered.
func (n *callNode) invoke(args []ref.Val) ref.Val {
	if n.quick != nil {
		if val := n.quick(args[0], args[1]); val != nil {
			return label(n.nodeID, val)
		}
	}
	if !n.nonStrict {
		for _, arg := range args {
			if failed(arg) {
				return arg
			}
		}
	}
	if n.trait == 0 || n.nonStrict && failed(args[0]) || args[0].Type().HasTrait(n.trait) {
		switch {
		case n.binary != nil:
			return label(n.nodeID, n.binary(args[0], args[1]))
		case n.unary != nil:
			return label(n.nodeID, n.unary(args[0]))
		case n.borrows:
			return label(n.nodeID, n.variadic(args...))
		case n.variadic != nil:
			return label(n.nodeID, n.variadic(slices.Clone(args)...))
		}
	}
	if args[0].Type().HasTrait(traits.ReceiverType) {
		val := args[0].(traits.Receiver).Receive(n.function, n.overload, slices.Clone(args[1:]))
		return label(n.nodeID, val)
	}
	if n.variadic != nil || len(args) > 2 {
		return types.NewErrWithNodeID(n.nodeID, "no such overload: %s %d", n.function, n.nodeID)
	}
	return types.NewErrWithNodeID(n.nodeID, "no such overload: %s", n.function)
}

// finish charges for a call of which all arguments were evaluated.
func (n *callNode) finish(f *frame, args []ref.Val, result ref.Val) ref.Val {
	if f.mode == modeTracked {
		return n.track(f, result)
	}
	f.charge(n.nodeID, n.price(args, result))
	return result
}

// abandon ends a call of which the last arguments were not evaluated. Such a call
// is free. It leaves its first arguments on the stack, where in a loop they may
// be found again.
func (n *callNode) abandon(f *frame, result ref.Val) ref.Val {
	if f.mode == modeTracked {
		return n.track(f, result)
	}
	if f.mode == modePlain && n.repeated {
		panic(restart{})
	}
	return result
}

// track charges by the arguments that are found on the stack.
func (n *callNode) track(f *frame, result ref.Val) ref.Val {
	units := uint64(0)
	base := len(f.args)
	args, found := f.take(n.slots)
	if found {
		units = n.price(args, result)
	}
	f.release(base)
	f.stack.push(n.slot, result)
	f.charge(n.nodeID, units)
	return result
}

// take returns the values that the slots have on the stack, until release, and
// whether all of them do.
func (f *frame) take(slots []int32) ([]ref.Val, bool) {
	base := len(f.args)
	f.args = append(f.args, make([]ref.Val, len(slots))...)
	args := f.args[base:len(f.args):len(f.args)]
	return args, f.stack.take(f.prog.adapter, slots, args)
}

// release drops the arguments above base. Their memory is cleared at the end of the
// evaluation.
func (f *frame) release(base int) { f.args = f.args[:base] }
