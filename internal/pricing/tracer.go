package pricing

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"

	"github.com/kubecel/kubecel/cost"
)

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
func (w *walk) traced(e ast.Expr) cost.Range {
	t := w.trace
	above := t.at
	n := &Trace{ID: e.ID(), Times: cost.Exactly(1)}
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
		n.Own.Min = cost.Unbounded().Max // until the first overload is priced
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
	case len(n.Overloads) == 0 || w.rules.freeOptionals && n.Name == operators.OptSelect:
		n.Own = cost.Range{}
		for _, p := range n.Parts {
			p.Times, p.Why = cost.Range{}, WhyIgnored
		}
	case isLogical(n.Overloads[0]) && len(args) >= 2:
		n.Own = cost.Range{}
		args[1].Times, args[1].Why = cost.Range{Max: 1}, WhySkipped
		for _, p := range args[2:] {
			p.Times, p.Why = cost.Range{}, WhyIgnored
		}
	case n.Overloads[0] == overloads.Conditional && len(args) >= 3:
		n.Own = cost.Range{}
		yes, no := args[1], args[2]
		yes.Times, yes.Why, no.Times, no.Why = cost.Range{}, WhyBranch, cost.Range{}, WhyBranch
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
func (w *walk) own(cost cost.Range) {
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
func (w *walk) iterations(over ast.Expr, count cost.Range) {
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
func (w *walk) computed(e ast.Expr, size cost.Range) {
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
func (w *walk) watched(e ast.Expr, o operand) cost.Operand {
	if w.trace == nil {
		return o
	}
	return &watchedOperand{operand: o, at: w.trace.at, source: w.sourceOf(e)}
}

// number tells operands which ones they are.
func (w *walk) number(operands []cost.Operand) {
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

func (o *watchedOperand) note(size cost.Range, element bool, source Source) {
	a := Assumed{Operand: o.index, Element: element, Size: size, Source: source}
	for _, known := range o.at.Operands {
		if known.Operand == a.Operand && known.Element == a.Element {
			return // a price asks as often as it likes
		}
	}
	o.at.Operands = append(o.at.Operands, a)
}

func (o *watchedOperand) Size() cost.Range {
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

func (o *watchedOperand) Known() (cost.Range, bool) {
	size, ok := o.operand.Known()
	if ok {
		o.note(size, false, o.source)
	} else {
		o.note(cost.Unbounded(), false, Source{Kind: SourceUnknown})
	}
	return size, ok
}

func (o *watchedOperand) standard() (cost.Range, bool) {
	size, ok := o.operand.standard()
	switch {
	case !ok:
		o.note(cost.Unbounded(), false, Source{Kind: SourceUnknown})
	case o.derived == nil && declared(o.sizes, o.path) != nil:
		o.note(size, false, Source{Kind: SourceDeclared, Path: slices.Clone(o.path)})
	default:
		o.note(size, false, o.source)
	}
	return size, ok
}

func (o *watchedOperand) Elem() cost.Operand {
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

func (e *watchedElement) Size() cost.Range {
	size := e.operand.Size()
	source := Source{Kind: SourceUnknown}
	if declared(e.sizes, e.path) != nil {
		source = Source{Kind: SourceDeclared, Path: slices.Clone(e.path)}
	}
	e.of.note(size, true, source)
	return size
}
