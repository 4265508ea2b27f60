package pricing

import (
	"github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/cost"
)

// Trace is one node of an expression in an estimate: what it costs by itself, and
// what is below it. At every node
//
//	Total = Own + the sum of Times × Total over the Parts
//
// for the least as for the most, in saturating arithmetic. At the root, Total is
// what [Table.Estimate] returns.
type Trace struct {
	// ID is the id of the node in the expression. A macro may use a node twice.
	ID int64
	// Kind is the kind of the node.
	Kind Kind
	// Name is the function of a call, the field of a selection, the name of an
	// identifier or of the type of a message.
	Name string
	// Overloads are the overload ids that a call may turn out as.
	Overloads []string
	// Role is what the node is to the one above.
	Role Role
	// Why says why the node above does not count it simply once, and is empty if it does.
	Why Why
	// Times is how often the node above counts the node: the number of iterations
	// for the body of a comprehension, zero where it is not counted.
	Times cost.Range
	// Own is the cost of the node without its parts, Total with them.
	Own, Total cost.Range
	// Operands are the sizes that the price of a call was computed from, and the
	// number of iterations of a comprehension.
	Operands []Assumed
	// Result is the size of the node's value, nil if nothing is known of it.
	Result *Assumed
	// Parts are the nodes below in the order in which they were estimated.
	Parts []*Trace
}

// Kind is the kind of a node.
type Kind string

// The kinds of nodes.
const (
	// KindIdent is a variable.
	KindIdent Kind = "identifier"
	// KindLiteral is a literal.
	KindLiteral Kind = "literal"
	// KindSelect is a field selection.
	KindSelect Kind = "selection"
	// KindPresence is has().
	KindPresence Kind = "presence test"
	// KindCall is a call of a function or operator.
	KindCall Kind = "call"
	// KindList is a list literal.
	KindList Kind = "list"
	// KindMap is a map literal.
	KindMap Kind = "map"
	// KindMessage is a message literal.
	KindMessage Kind = "message"
	// KindComprehension is a loop, which is what macros such as all() become.
	KindComprehension Kind = "comprehension"
	// KindBinding is cel.bind() and what else names a value.
	KindBinding Kind = "binding"
)

// Role is what a node is to the node above.
type Role string

// The roles of nodes.
const (
	// RoleOperand is what is selected from.
	RoleOperand Role = "operand"
	// RoleTarget is the receiver of a member function.
	RoleTarget Role = "target"
	// RoleArgument is an argument.
	RoleArgument Role = "argument"
	// RoleElement is what a literal holds.
	RoleElement Role = "element"
	// RoleRange is what a comprehension loops over.
	RoleRange Role = "range"
	// RoleInit is the first value of a comprehension's accumulator.
	RoleInit Role = "initial value"
	// RoleCondition is what a comprehension looks at before each iteration.
	RoleCondition Role = "condition"
	// RoleStep is the body of a comprehension.
	RoleStep Role = "step"
	// RoleResult is what becomes of the accumulator.
	RoleResult Role = "result"
)

// Why says why a node is counted otherwise than once.
type Why string

// The reasons.
const (
	// WhyIterations is the body of a comprehension.
	WhyIterations Why = "iterations"
	// WhySkipped is the right side of && or ||, which may be left out: it counts
	// for the most and not for the least.
	WhySkipped Why = "may be skipped"
	// WhyBranch is a branch of ?:, of which the dearer counts for the most and the
	// cheaper for the least.
	WhyBranch Why = "one of two branches"
	// WhyIgnored is what an estimate leaves out: it is that of a call without an
	// overload.
	WhyIgnored Why = "not estimated"
)

// Assumed is a size that an estimate rests on.
type Assumed struct {
	// Operand is the index of the argument, 0 the target of a member function; -1
	// for the range of a comprehension.
	Operand int
	// Element is true for the elements of the operand.
	Element bool
	// Size is the size in the unit of CEL's size().
	Size cost.Range
	// Source is where the size comes from.
	Source Source
}

// Source is where a size comes from.
type Source struct {
	// Kind is the kind of the source.
	Kind SourceKind
	// Path is the path that the Sizer was asked for, only if it declares the size.
	// Because the reference lets paths overwrite each other (see Sizer), it is not
	// always that of the operand.
	Path []string
}

// SourceKind is the kind of a Source.
type SourceKind string

// The kinds of sources.
const (
	// SourceLiteral is a literal.
	SourceLiteral SourceKind = "literal"
	// SourceDeclared is what the Sizer says of a path.
	SourceDeclared SourceKind = "declared"
	// SourceScalar is a type all of whose values have the size one.
	SourceScalar SourceKind = "scalar"
	// SourceComputed is what follows from the sizes of operands.
	SourceComputed SourceKind = "computed"
	// SourceUnknown is a size of which nothing is known.
	SourceUnknown SourceKind = "unknown"
)

// Trace estimates as Estimate does, and says how the estimate comes about.
func (t *Table) Trace(tree *ast.AST, sizes Sizer) (*Trace, error) {
	if !tree.IsChecked() {
		return nil, errNotChecked
	}
	return t.trace(tree, sizes, false), nil
}

// TraceSound is Trace without what makes estimates of the reference too low for a
// reason of their own: every size is that of the path which is meant, where the
// reference lets paths overwrite each other. What it returns is no server's number.
func (t *Table) TraceSound(tree *ast.AST, sizes Sizer) (*Trace, error) {
	if !tree.IsChecked() {
		return nil, errNotChecked
	}
	return t.trace(tree, sizes, true), nil
}

func (t *Table) trace(tree *ast.AST, sizes Sizer, sound bool) *Trace {
	w := newWalk(t, tree, sizes)
	w.trace = &tracer{sources: map[int64]Source{}, sound: sound}
	w.cost(tree.Expr())
	return w.trace.root
}

// Each calls f for the node and all below it, parents first, with the number of
// times that one evaluation of the root counts them at most.
func (t *Trace) Each(f func(node *Trace, times uint64)) { t.each(1, f) }

func (t *Trace) each(times uint64, f func(*Trace, uint64)) {
	f(t, times)
	for _, p := range t.Parts {
		p.each(Repeated(times, p.Times.Max), f)
	}
}
