package cost

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
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
	// Role is what the node is to the one above, Why says why the one above does
	// not count it simply once.
	Role Role
	Why  Why
	// Times is how often the node above counts the node: the number of iterations
	// for the body of a comprehension, zero where it is not counted.
	Times Range
	// Own is the cost of the node without its parts, Total with them.
	Own, Total Range
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
	KindIdent         Kind = "identifier"
	KindLiteral       Kind = "literal"
	KindSelect        Kind = "selection"
	KindPresence      Kind = "presence test"
	KindCall          Kind = "call"
	KindList          Kind = "list"
	KindMap           Kind = "map"
	KindMessage       Kind = "message"
	KindComprehension Kind = "comprehension"
	KindBinding       Kind = "binding"
)

// Role is what a node is to the node above.
type Role string

// The roles of nodes.
const (
	RoleOperand   Role = "operand"
	RoleTarget    Role = "target"
	RoleArgument  Role = "argument"
	RoleElement   Role = "element"
	RoleRange     Role = "range"
	RoleInit      Role = "initial value"
	RoleCondition Role = "condition"
	RoleStep      Role = "step"
	RoleResult    Role = "result"
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
	Size Range
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
		p.each(mul(times, p.Times.Max), f)
	}
}

// tracer notes what a walk does.
type tracer struct {
	root *Trace
	// at is the node that is being estimated.
	at      *Trace
	sources map[int64]Source
	// sound keeps paths apart.
	sound bool
}

// traced estimates a node and notes it below the one that is being estimated.
func (w *walk) traced(e ast.Expr) Range {
	t := w.trace
	above := t.at
	n := &Trace{ID: e.ID(), Times: Exactly(1)}
	n.describe(e)
	if n.Kind == KindBinding && w.rules.onlyElements {
		n.Kind = KindComprehension
	}
	if above == nil {
		t.root = n
	} else {
		above.Parts = append(above.Parts, n)
	}
	t.at = n
	if n.Kind == KindCall {
		n.Overloads = slices.Clone(w.tree.GetOverloadIDs(e.ID()))
		n.Own.Min = Unbounded().Max // until the first overload is priced
	}
	n.Total = w.price(e)
	t.at = above
	w.weigh(n, e)
	n.Result = w.peek(e)
	return n.Total
}

// peek is the size of a node without it being remembered: to ask for it earlier
// than an estimate does could change the estimate.
func (w *walk) peek(e ast.Expr) *Assumed {
	_, known := w.sizes[e.ID()]
	size := w.size(e)
	if size == nil {
		return nil
	}
	result := &Assumed{Size: *size, Source: w.sourceOf(e)}
	if !known {
		delete(w.sizes, e.ID())
		delete(w.trace.sources, e.ID())
	}
	return result
}

func (n *Trace) describe(e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		n.Kind, n.Name = KindIdent, e.AsIdent()
	case ast.LiteralKind:
		n.Kind = KindLiteral
	case ast.SelectKind:
		n.Kind, n.Name = KindSelect, e.AsSelect().FieldName()
		if e.AsSelect().IsTestOnly() {
			n.Kind = KindPresence
		}
	case ast.CallKind:
		n.Kind, n.Name = KindCall, e.AsCall().FunctionName()
	case ast.ListKind:
		n.Kind = KindList
	case ast.MapKind:
		n.Kind = KindMap
	case ast.StructKind:
		n.Kind, n.Name = KindMessage, e.AsStruct().TypeName()
	case ast.ComprehensionKind:
		n.Kind = KindComprehension
		if isBinding(e.AsComprehension()) {
			n.Kind = KindBinding
		}
	}
}

// weigh says how often the parts count, once all is known.
func (w *walk) weigh(n *Trace, e ast.Expr) {
	switch n.Kind {
	case KindCall:
		w.weighCall(n, e)
	case KindComprehension:
		roles := [...]Role{RoleRange, RoleInit, RoleCondition, RoleStep, RoleResult}
		for i, p := range n.Parts {
			p.Role = roles[i]
			if p.Role == RoleCondition || p.Role == RoleStep {
				p.Times, p.Why = n.Operands[0].Size, WhyIterations
			}
		}
	case KindBinding:
		roles := [...]Role{RoleRange, RoleInit, RoleResult}
		for i, p := range n.Parts {
			p.Role = roles[i]
		}
	case KindList, KindMap, KindMessage:
		for _, p := range n.Parts {
			p.Role = RoleElement
		}
	default:
		for _, p := range n.Parts {
			p.Role = RoleOperand
		}
	}
}

func (w *walk) weighCall(n *Trace, e ast.Expr) {
	call := e.AsCall()
	args := n.Parts
	for _, p := range args {
		p.Role = RoleArgument
	}
	if len(call.Args()) < len(args) {
		args[len(args)-1].Role = RoleTarget // it is estimated last
		args = args[:len(args)-1]
	}
	switch {
	case n.Name == overloads.TypeConvertDyn && len(args) > 0 && !w.rules.dynHidesSize: // counted once
	case len(n.Overloads) == 0:
		n.Own = Range{}
		for _, p := range n.Parts {
			p.Times, p.Why = Range{}, WhyIgnored
		}
	case isLogical(n.Overloads[0]) && len(args) >= 2:
		n.Own = Range{}
		args[1].Times, args[1].Why = Range{Max: 1}, WhySkipped
		for _, p := range args[2:] {
			p.Times, p.Why = Range{}, WhyIgnored
		}
	case n.Overloads[0] == overloads.Conditional && len(args) >= 3:
		n.Own = Range{}
		yes, no := args[1], args[2]
		yes.Times, yes.Why, no.Times, no.Why = Range{}, WhyBranch, Range{}, WhyBranch
		if yes.Total.Max >= no.Total.Max {
			yes.Times.Max = 1
		} else {
			no.Times.Max = 1
		}
		if yes.Total.Min <= no.Total.Min {
			yes.Times.Min = 1
		} else {
			no.Times.Min = 1
		}
	}
}

// own notes what the node costs by itself. Of several overloads it may be any.
func (w *walk) own(cost Range) {
	if w.trace == nil {
		return
	}
	n := w.trace.at
	if n.Kind == KindCall && len(n.Overloads) > 0 && (n.Name != overloads.TypeConvertDyn || w.rules.dynHidesSize) {
		cost = n.Own.Union(cost)
	}
	n.Own = cost
}

// iterations notes how often the body of a comprehension runs.
func (w *walk) iterations(over ast.Expr, count Range) {
	if w.trace != nil {
		w.trace.at.Operands = []Assumed{{Operand: -1, Size: count, Source: w.sourceOf(over)}}
	}
}

// origin notes where the size of a node comes from.
func (w *walk) origin(e ast.Expr, source Source) {
	if w.trace != nil {
		source.Path = slices.Clone(source.Path)
		w.trace.sources[e.ID()] = source
	}
}

// computed notes that the size of a node was computed, unless it is the one that
// is known already.
func (w *walk) computed(e ast.Expr, size Range) {
	if w.trace == nil {
		return
	}
	if known, ok := w.sizes[e.ID()]; !ok || known != size {
		w.origin(e, Source{Kind: SourceComputed})
	}
}

// inherit notes that the size of a node is that of another.
func (w *walk) inherit(to, from ast.Expr) {
	if w.trace != nil {
		w.origin(to, w.sourceOf(from))
	}
}

// sourceOf says where the size of a node comes from that w.size returns.
func (w *walk) sourceOf(e ast.Expr) Source {
	if _, ok := w.sizes[e.ID()]; ok {
		return w.trace.sources[e.ID()]
	}
	if _, ok := literalSize(e); ok {
		return Source{Kind: SourceLiteral}
	}
	if w.size(e) == nil {
		return Source{Kind: SourceUnknown}
	}
	if _, ok := w.sizes[e.ID()]; ok { // the question itself has declared it
		return w.trace.sources[e.ID()]
	}
	if w.rules.forgetful && declared(w.sizer, w.data(e)) != nil {
		return Source{Kind: SourceDeclared, Path: slices.Clone(w.data(e))}
	}
	if isScalar(w.typeOf(e)) {
		return Source{Kind: SourceScalar}
	}
	return Source{Kind: SourceComputed} // a variable that the expression introduces
}

// watched makes an operand note the sizes that its price asks for.
func (w *walk) watched(e ast.Expr, o operand) Operand {
	if w.trace == nil {
		return o
	}
	return &watchedOperand{operand: o, at: w.trace.at, source: w.sourceOf(e)}
}

// number tells operands which ones they are.
func (w *walk) number(operands []Operand) {
	for i, o := range operands {
		if o, ok := o.(*watchedOperand); ok {
			o.index = i
		}
	}
}

type watchedOperand struct {
	operand
	at     *Trace
	index  int
	source Source
}

func (o *watchedOperand) note(size Range, element bool, source Source) {
	a := Assumed{Operand: o.index, Element: element, Size: size, Source: source}
	for _, known := range o.at.Operands {
		if known.Operand == a.Operand && known.Element == a.Element {
			return // a price asks as often as it likes
		}
	}
	o.at.Operands = append(o.at.Operands, a)
}

func (o *watchedOperand) Size() Range {
	size := o.operand.Size()
	source := o.source
	if o.derived == nil {
		if source = (Source{Kind: SourceUnknown}); declared(o.sizes, o.path) != nil {
			source = Source{Kind: SourceDeclared, Path: slices.Clone(o.path)}
		}
	}
	o.note(size, false, source)
	return size
}

func (o *watchedOperand) Known() (Range, bool) {
	size, ok := o.operand.Known()
	if ok {
		o.note(size, false, o.source)
	} else {
		o.note(Unbounded(), false, Source{Kind: SourceUnknown})
	}
	return size, ok
}

func (o *watchedOperand) standard() (Range, bool) {
	size, ok := o.operand.standard()
	switch {
	case !ok:
		o.note(Unbounded(), false, Source{Kind: SourceUnknown})
	case o.derived == nil && declared(o.sizes, o.path) != nil:
		o.note(size, false, Source{Kind: SourceDeclared, Path: slices.Clone(o.path)})
	default:
		o.note(size, false, o.source)
	}
	return size, ok
}

func (o *watchedOperand) Elem() Operand {
	elem, ok := o.operand.Elem().(operand)
	if !ok {
		return nil
	}
	return &watchedElement{operand: elem, of: o}
}

type watchedElement struct {
	operand
	of *watchedOperand
}

func (e *watchedElement) Size() Range {
	size := e.operand.Size()
	source := Source{Kind: SourceUnknown}
	if declared(e.sizes, e.path) != nil {
		source = Source{Kind: SourceDeclared, Path: slices.Clone(e.path)}
	}
	e.of.note(size, true, source)
	return size
}
