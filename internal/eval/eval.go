// Package eval plans checked expressions and evaluates them, counting the cost
// units that an API server counts.
//
// It gives the results, error texts and costs of the interpreter of cel-go v0.29.2
// as Kubernetes configures it: constants are folded, regular expressions are compiled
// ahead, presence tests are free, and comprehensions look for the end of the context.
// Unknown values, partial and exhaustive evaluation, cel.@block and unchecked
// expressions are not supported.
//
// # From expression to nodes
//
// [Planner.Plan] makes a tree of nodes of the syntax tree of an expression. Identifiers,
// selections and indexes become one node, a path from a variable or a value:
//
//	self.items.all(e, e.n < 3)
//
//	foldNode                  all(), a comprehension
//	├ range   attrNode        variable self, step items
//	├ accu    constNode       true
//	├ cond    callNode        @not_strictly_false
//	│         └ attrNode      variable accu
//	├ step    logicNode       &&
//	│         ├ attrNode      variable accu
//	│         └ callNode      _<_
//	│           ├ attrNode    variable e, step n
//	│           └ constNode   3
//	└ result  attrNode        variable accu
//
// Lists, maps and messages are a listNode, mapNode and structNode; `in` a constant list
// is a memberNode, or() and orValue() are an orElseNode, and a choice is an attribute
// that other paths may begin with.
//
// # From nodes to a value
//
// [Program.Eval] evaluates the tree in a frame, which holds what changes. A [Runner] has
// one frame for all rules of an object. Everything that may take long passes one of three
// places: callNode.invoke enters every implementation of a function, foldState.turn and
// the three loops of macros every iteration (all four ask frame.interrupt), and
// frame.charge and frame.spend count every unit of cost.
//
// Each node has two ways to its value. Eval makes a CEL value in any mode, also with the
// stack of the server's tracker (see the type stack) and for a record of costs. Fast is
// for plain evaluations, which most are. It has the same value at the same cost, as a
// type value: a bool, an int, a string, or a map or list of data with its schema, of
// which no CEL value is made before one is needed. The kind of the value guards each fast
// path, so that data with and without a type take the same:
//
//	self.items.all(e, e.n < 3)
//
//	foldNode.quantify         goes over []any by index, and charges for the condition
//	├ range  variable.walk    self is map[string]any with a schema; items is bound when
//	│                         the expression is planned, see step.property
//	└ body   callNode.two     opLess, of two ints
//	         ├ variable.walk  e is the data of the element
//	         └ constNode      unboxed when it is planned
//
// What a fast path does not know (an error, another kind, a number that overflows), it
// leaves to the general way of the same node, with the operands that it has. The fast
// paths have names, the constants of the type op. A test takes each of them, and compares
// it with cel-go and with the general way, at every limit.
package eval

import (
	"errors"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// Vars resolves the variables of an expression. A variable has one value during
// an evaluation.
type Vars interface {
	// ResolveName returns the value of a variable, a ref.Val or a native Go
	// value, and whether there is one.
	ResolveName(name string) (any, bool)
}

// NativeVars are variables some of which are data with a schema. Their values are the
// same either way.
type NativeVars interface {
	Vars
	// ResolveNative returns the data of a variable and its schema, nil if ResolveName is
	// to be asked.
	ResolveNative(name string) (any, *typesystem.Schema)
}

// Kind classifies the outcome of an evaluation, so that no caller needs to look
// at the text of an error.
type Kind uint8

// The outcomes of an evaluation.
const (
	// KindValue is a value without error.
	KindValue Kind = iota
	// KindError is an error of the expression.
	KindError
	// KindNoSuchOverload is an error of the expression that an API server
	// tells from others: no overload takes the arguments.
	KindNoSuchOverload
	// KindInterrupted is an evaluation whose context ended.
	KindInterrupted
	// KindCostLimit is an evaluation that cost more than its limit.
	KindCostLimit
	// KindInternal is a panic in a function or a value.
	KindInternal
)

// Result is the outcome of one evaluation.
type Result struct {
	// Value is the result; an error value if Err is set, nil if the evaluation
	// was cut short.
	Value ref.Val
	// Cost is what the evaluation cost, in cost units.
	Cost uint64
	// Err says why there is no value. Errors of the expression are of type
	// *types.Err, whose NodeID is the id of the failing node.
	Err error
	// Kind classifies the outcome.
	Kind Kind
}

var (
	// ErrCostLimit is the error of an evaluation that cost more than its limit.
	ErrCostLimit = errors.New("operation cancelled: actual cost limit exceeded")
	// ErrInterrupted is in the tree of the error of an evaluation whose
	// context ended, as is the cause of the context.
	ErrInterrupted error = interruption{}
	// ErrInternal is in the tree of the error of an evaluation in which a
	// function or a value panicked.
	ErrInternal = errors.New("internal error")
)

// interruption is told by its type: errors of cel-go are each other if their texts
// are equal.
type interruption struct{}

func (interruption) Error() string { return "operation interrupted" }

// kindOf classifies an error of the expression. API servers tell a missing overload by
// how the text begins (k8s.io/apiextensions-apiserver v0.37.2,
// pkg/apiserver/schema/cel/validation.go), and so does this function: cel-go makes
// such errors in many places and gives them no type. No other error is told by its
// text, here or elsewhere.
func kindOf(err *types.Err) Kind {
	var interrupted interruption
	switch {
	case errors.As(err, &interrupted):
		return KindInterrupted
	case strings.HasPrefix(err.Error(), "no such overload"):
		return KindNoSuchOverload
	}
	return KindError
}
