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
	t, above := w.trace, w.trace.at
	n := &report.Node{ID: e.ID(), Times: cost.Exactly(1)}
	if above == nil {
		t.root = n
	} else {
		above.Parts = append(above.Parts, n)
	}
	t.at = n
	n.Total = w.price(e)
	t.at = above
	w.weigh(n, e)
	n.Result = w.peek(e)
	return n.Total
}

// note notes what the node is that is being estimated, and returns what it costs by itself.
func (w *walk) note(kind report.Kind, name string, own uint64) cost.Range {
	if w.trace != nil {
		n := w.trace.at
		n.Kind, n.Name, n.Own = kind, name, cost.Exactly(own)
	}
	return cost.Exactly(own)
}

// peek is the size of a node. It does not remember the size, because that could change
// the estimate of what follows.
func (w *walk) peek(e ast.Expr) *report.Size {
	_, known := w.sizes[e.ID()]
	size := w.size(e)
	if size == nil {
		return nil
	}
	result := w.sourceOf(e).size(0, false, *size)
	if !known {
		delete(w.sizes, e.ID())
		delete(w.trace.sources, e.ID())
	}
	return &result
}

// weigh sets the roles of the parts and how often they count.
func (w *walk) weigh(n *report.Node, e ast.Expr) {
	for i, p := range n.Parts {
		p.Role = roles[n.Kind][min(i, len(roles[n.Kind])-1)]
	}
	switch n.Kind {
	case KindCall:
		w.weighCall(n, e)
	case KindComprehension:
		for _, p := range n.Parts[2:4] {
			p.Times, p.Why = n.Operands[0].Size, "iterations"
		}
	}
}

func (w *walk) weighCall(n *report.Node, e ast.Expr) {
	n.Overloads = slices.Clone(w.tree.GetOverloadIDs(e.ID()))
	args := n.Parts
	if e.AsCall().IsMemberFunction() {
		args = args[:len(args)-1]
		n.Parts[len(args)].Role = RoleTarget // it is estimated last
	}
	switch {
	case n.Name == overloads.TypeConvertDyn && len(args) > 0 && !w.rules.before33: // counted once
	case len(n.Overloads) == 0 || w.rules.before29 && n.Name == operators.OptSelect:
		for _, p := range n.Parts {
			p.Times, p.Why = cost.Range{}, "not estimated"
		}
	case isLogical(n.Overloads[0]) && len(args) >= 2:
		args[1].Times, args[1].Why = cost.Range{Max: 1}, "may be skipped"
		for _, p := range args[2:] {
			p.Times, p.Why = cost.Range{}, "not estimated"
		}
	case n.Overloads[0] == overloads.Conditional && len(args) >= 3:
		yes, no := args[1], args[2]
		for _, p := range args[1:3] {
			p.Times, p.Why = cost.Range{}, "one of two branches"
		}
		dearer, cheaper := yes, yes
		if no.Total.Max > yes.Total.Max {
			dearer = no
		}
		if no.Total.Min < yes.Total.Min {
			cheaper = no
		}
		dearer.Times.Max, cheaper.Times.Min = 1, 1
	}
}

// origin notes where the size of a node comes from.
func (w *walk) origin(e ast.Expr, from source) {
	if w.trace != nil {
		w.trace.sources[e.ID()] = from
	}
}

// sourceOf says where the size comes from that w.size returns for a node.
func (w *walk) sourceOf(e ast.Expr) source {
	if _, ok := w.sizes[e.ID()]; ok {
		return w.trace.sources[e.ID()]
	}
	if literalSize(e) != nil {
		return source{kind: cost.SourceLiteral}
	}
	if w.size(e) == nil {
		return source{kind: cost.SourceUnknown}
	}
	if _, ok := w.sizes[e.ID()]; ok { // the question itself has declared it
		return w.trace.sources[e.ID()]
	}
	if w.rules.before33 && declared(w.sizer, w.data(e)) != nil {
		return w.trace.declared(w.data(e))
	}
	if isScalar(w.typeOf(e)) {
		return source{kind: cost.SourceScalar}
	}
	return source{kind: cost.SourceComputed} // a variable that the expression introduces
}
