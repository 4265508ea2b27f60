package report

import (
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
)

// Span is a part of an expression. Lines and columns count from 1, offsets from 0;
// columns and offsets are in code points.
type Span struct {
	// Start is the offset of the first code point.
	Start int `json:"start"`
	// End is the offset behind the last code point.
	End int `json:"end"`
	// Position is the line and the column of the first code point.
	diag.Position
}

// Node is one node of an expression. For the least as for the most, Total is Own
// and the sum of Times × Total over the parts, in saturating arithmetic.
type Node struct {
	// ID is the id of the node in the expression. A macro may use a node twice.
	ID int64 `json:"id"`
	// Kind is the kind of the node.
	Kind Kind `json:"kind"`
	// Name is the function of a call, the field of a selection, the name of an
	// identifier or of the type of a message.
	Name string `json:"name,omitempty"`
	// Overloads are the overload ids that a call may turn out as.
	Overloads []string `json:"overloads,omitempty"`
	// Role says what the node is for the one above.
	Role Role `json:"role,omitempty"`
	// Why says why the node above does not count this one exactly once. It is empty if
	// it does.
	Why Why `json:"why,omitempty"`
	// At is the place in the source. A node that a macro adds has the place of the
	// macro.
	At Span `json:"at"`
	// Text is the source at that place, cut off after 200 code points.
	Text string `json:"text"`
	// Times is how often the node above counts this one: the number of iterations for
	// the body of a comprehension, zero where it is not counted.
	Times cost.Range `json:"times"`
	// Count is how often one evaluation of the expression counts the node at most.
	Count uint64 `json:"count"`
	// Own is what the node costs without its parts.
	Own cost.Range `json:"own"`
	// Total is what the node costs with its parts.
	Total cost.Range `json:"total"`
	// Share is the share of Count × Total.Max in the estimate of the expression.
	Share float64 `json:"share"`
	// Operands are the sizes from which a call is priced, and the number of iterations
	// of a comprehension.
	Operands []Size `json:"operands,omitempty"`
	// Result is the size of the value. It is nil if nothing is known.
	Result *Size `json:"result,omitempty"`
	// Actual is what the node cost in all evaluations. It is nil if there were none.
	Actual *NodeCost `json:"actual,omitempty"`
	// Parts are the nodes below, in the order in which they are estimated.
	Parts []*Node `json:"parts,omitempty"`
}

// Each calls f for the node and all below it, parents first.
func (n *Node) Each(f func(*Node)) {
	if n == nil {
		return
	}
	f(n)
	for _, p := range n.Parts {
		p.Each(f)
	}
}

// Kind is the kind of a node:
//   - "identifier": a variable
//   - "literal"
//   - "selection": of a field
//   - "presence test": has()
//   - "call": of a function or operator
//   - "list", "map", "message": a literal of these
//   - "comprehension": a loop, which is what macros such as all() become
//   - "binding": cel.bind() and what else names a value
type Kind string

// Role is what a node is to the one above:
//   - "operand": what is selected from
//   - "target": the receiver of a member function
//   - "argument": an argument
//   - "element": what a list, map or message literal holds
//   - "range": what a comprehension loops over
//   - "initial value": the first value of its accumulator
//   - "condition": what it looks at before each iteration
//   - "step": its body
//   - "result": what becomes of the accumulator
type Role string

// Why is the reason why a node is not counted once:
//   - "iterations": the body of a comprehension
//   - "may be skipped": the right side of && or ||, which counts only for the most
//   - "one of two branches": a branch of ?:, of which the dearer counts for the most
//     and the cheaper for the least
//   - "not estimated": what estimates leave out
type Why string

// Size is a size that an estimate assumes.
type Size struct {
	// Operand is the index of the operand, 0 the target of a member function, and -1
	// for the range of a comprehension.
	Operand int `json:"operand"`
	// Element is true for the elements of the operand.
	Element bool `json:"element,omitempty"`
	// Size is the size in the unit of CEL's size().
	Size cost.Range `json:"size"`
	// Source says where the size comes from. It is the kind of Bound if there is one.
	Source cost.Source `json:"source"`
	// Bound is the bound in the schema. It is nil if there is none. API servers let paths
	// overwrite each other, so it can be that of another path than the operand's.
	Bound *cost.Bound `json:"bound,omitempty"`
}

// NodeCost is what one node cost in evaluations.
type NodeCost struct {
	// Units are the cost units of the node itself. In the one case in which an API
	// server takes a unit off, they wrap around.
	Units uint64 `json:"units"`
	// Iterations is how often the body of a comprehension ran.
	Iterations uint64 `json:"iterations,omitempty"`
}
