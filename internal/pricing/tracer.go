package pricing

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/report"
)

// traced estimates a node and notes it below the one that is being estimated.
func (w *walk) traced(e ast.Expr) cost.Range {
	t := w.trace
	above := t.at
	n := &report.Node{ID: e.ID(), Times: cost.Exactly(1)}
	describe(n, e)
	if n.Kind == report.KindBinding && w.rules.onlyElements {
		n.Kind = report.KindComprehension
	}
	if above == nil {
		t.root = n
	} else {
		above.Parts = append(above.Parts, n)
	}
	t.at = n
	if n.Kind == report.KindCall {
		n.Overloads = slices.Clone(w.tree.GetOverloadIDs(e.ID()))
		n.Own.Min = cost.Unbounded().Max // until the first overload is priced
	}
	n.Total = w.price(e)
	t.at = above
	w.weigh(n, e)
	n.Result = w.peek(e)
	return n.Total
}

// peek is the size of a node. It does not remember the size, because that could change
// the estimate of what follows.
func (w *walk) peek(e ast.Expr) *report.Size {
	_, known := w.sizes[e.ID()]
	size := w.size(e)
	if size == nil {
		return nil
	}
	result := w.trace.size(0, false, *size, w.sourceOf(e))
	if !known {
		delete(w.sizes, e.ID())
		delete(w.trace.sources, e.ID())
	}
	return &result
}

// describe says what a node is.
func describe(n *report.Node, e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		n.Kind, n.Name = report.KindIdent, e.AsIdent()
	case ast.LiteralKind:
		n.Kind = report.KindLiteral
	case ast.SelectKind:
		n.Kind, n.Name = report.KindSelect, e.AsSelect().FieldName()
		if e.AsSelect().IsTestOnly() {
			n.Kind = report.KindPresence
		}
	case ast.CallKind:
		n.Kind, n.Name = report.KindCall, e.AsCall().FunctionName()
	case ast.ListKind:
		n.Kind = report.KindList
	case ast.MapKind:
		n.Kind = report.KindMap
	case ast.StructKind:
		n.Kind, n.Name = report.KindMessage, e.AsStruct().TypeName()
	case ast.ComprehensionKind:
		n.Kind = report.KindComprehension
		if isBinding(e.AsComprehension()) {
			n.Kind = report.KindBinding
		}
	}
}

// weigh sets the roles of the parts and how often they count.
func (w *walk) weigh(n *report.Node, e ast.Expr) {
	switch n.Kind {
	case report.KindCall:
		w.weighCall(n, e)
	case report.KindComprehension:
		roles := [...]report.Role{roleRange, roleInit, roleCondition, roleStep, roleResult}
		for i, p := range n.Parts {
			p.Role = roles[i]
			if p.Role == roleCondition || p.Role == roleStep {
				p.Times, p.Why = n.Operands[0].Size, whyIterations
			}
		}
	case report.KindBinding:
		roles := [...]report.Role{roleRange, roleInit, roleResult}
		for i, p := range n.Parts {
			p.Role = roles[i]
		}
	case report.KindList, report.KindMap, report.KindMessage:
		for _, p := range n.Parts {
			p.Role = roleElement
		}
	default:
		for _, p := range n.Parts {
			p.Role = roleOperand
		}
	}
}

func (w *walk) weighCall(n *report.Node, e ast.Expr) {
	call := e.AsCall()
	args := n.Parts
	for _, p := range args {
		p.Role = roleArgument
	}
	if len(call.Args()) < len(args) {
		args[len(args)-1].Role = roleTarget // it is estimated last
		args = args[:len(args)-1]
	}
	switch {
	case n.Name == overloads.TypeConvertDyn && len(args) > 0 && !w.rules.dynHidesSize: // counted once
	case len(n.Overloads) == 0 || w.rules.freeOptionals && n.Name == operators.OptSelect:
		n.Own = cost.Range{}
		for _, p := range n.Parts {
			p.Times, p.Why = cost.Range{}, whyIgnored
		}
	case isLogical(n.Overloads[0]) && len(args) >= 2:
		n.Own = cost.Range{}
		args[1].Times, args[1].Why = cost.Range{Max: 1}, whySkipped
		for _, p := range args[2:] {
			p.Times, p.Why = cost.Range{}, whyIgnored
		}
	case n.Overloads[0] == overloads.Conditional && len(args) >= 3:
		n.Own = cost.Range{}
		yes, no := args[1], args[2]
		yes.Times, yes.Why, no.Times, no.Why = cost.Range{}, whyBranch, cost.Range{}, whyBranch
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

// own notes what the node costs by itself. For several overloads it is their union.
func (w *walk) own(cost cost.Range) {
	if w.trace == nil {
		return
	}
	n := w.trace.at
	if n.Kind == report.KindCall && len(n.Overloads) > 0 && (n.Name != overloads.TypeConvertDyn || w.rules.dynHidesSize) {
		cost = n.Own.Union(cost)
	}
	n.Own = cost
}

// iterations notes how often the body of a comprehension runs.
func (w *walk) iterations(over ast.Expr, count cost.Range) {
	if w.trace != nil {
		w.trace.at.Operands = []report.Size{w.trace.size(-1, false, count, w.sourceOf(over))}
	}
}

// origin notes where the size of a node comes from.
func (w *walk) origin(e ast.Expr, from source) {
	if w.trace != nil {
		from.path = slices.Clone(from.path)
		w.trace.sources[e.ID()] = from
	}
}

// computed notes that the size of a node was computed, unless that size is known already.
func (w *walk) computed(e ast.Expr, size cost.Range) {
	if w.trace == nil {
		return
	}
	if known, ok := w.sizes[e.ID()]; !ok || known != size {
		w.origin(e, source{kind: cost.SourceComputed})
	}
}

// inherit notes that the size of a node is that of another.
func (w *walk) inherit(to, from ast.Expr) {
	if w.trace != nil {
		w.origin(to, w.sourceOf(from))
	}
}

// sourceOf says where the size comes from that w.size returns for a node.
func (w *walk) sourceOf(e ast.Expr) source {
	if _, ok := w.sizes[e.ID()]; ok {
		return w.trace.sources[e.ID()]
	}
	if _, ok := literalSize(e); ok {
		return source{kind: cost.SourceLiteral}
	}
	if w.size(e) == nil {
		return source{kind: cost.SourceUnknown}
	}
	if _, ok := w.sizes[e.ID()]; ok { // the question itself has declared it
		return w.trace.sources[e.ID()]
	}
	if w.rules.forgetful && declared(w.sizer, w.data(e)) != nil {
		return source{kind: cost.SourceDeclared, path: slices.Clone(w.data(e))}
	}
	if isScalar(w.typeOf(e)) {
		return source{kind: cost.SourceScalar}
	}
	return source{kind: cost.SourceComputed} // a variable that the expression introduces
}
