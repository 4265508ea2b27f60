package pricing

import (
	"math"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/report"
)

// Prices of what is not a call, in cost units.
const (
	accessPrice  = 1
	listPrice    = 10
	mapPrice     = 30
	messagePrice = 40
)

// Estimate returns the least and the most that a checked expression can cost, in cost
// units, for the release whose [Standard] prices the table holds. By the most an API
// server decides whether it accepts the expression. Without a Sizer all data is
// unbounded.
func (t *Table) Estimate(tree *ast.AST, sizes Sizer) cost.Range {
	return newWalk(t, tree, sizes).cost(tree.Expr())
}

func newWalk(t *Table, tree *ast.AST, sizes Sizer) *walk {
	return &walk{
		table:   t,
		rules:   t.rules,
		sizer:   sizes,
		tree:    tree,
		paths:   map[int64]path{},
		sizes:   map[int64]cost.Range{},
		entries: map[int64]entry{},
		vars:    scopes{},
	}
}

// walk estimates one expression. It remembers sizes and paths by the id of the node
// that first asked for them. What it remembers depends on the order of the walk, and
// the numbers of a server depend on what it remembers.
type walk struct {
	table   *Table
	rules   rules
	sizer   Sizer
	tree    *ast.AST
	paths   map[int64]path
	sizes   map[int64]cost.Range
	entries map[int64]entry
	vars    scopes
	// trace is nil unless it was asked for.
	trace *tracer
}

// cost estimates a node and all below it.
func (w *walk) cost(e ast.Expr) cost.Range {
	if w.trace != nil {
		return w.traced(e)
	}
	return w.price(e)
}

func (w *walk) price(e ast.Expr) cost.Range {
	switch e.Kind() {
	case ast.IdentKind:
		return w.ident(e)
	case ast.SelectKind:
		return w.selection(e)
	case ast.CallKind:
		return w.call(e)
	case ast.ListKind:
		return w.list(e)
	case ast.MapKind:
		return w.mapping(e)
	case ast.StructKind:
		return w.message(e)
	case ast.ComprehensionKind:
		if isBinding(e.AsComprehension()) && !w.rules.before33 {
			return w.binding(e)
		}
		return w.comprehension(e)
	}
	return w.note(KindLiteral, "", 0)
}

func (w *walk) ident(e ast.Expr) cost.Range {
	name := e.AsIdent()
	switch v := w.vars.top(name); {
	case v == nil:
		w.paths[e.ID()] = path{name}
	case v.over != nil:
		w.element(e, v.over)
	default:
		w.paths[e.ID()] = v.path
	}
	return w.note(KindIdent, name, accessPrice)
}

func (w *walk) selection(e ast.Expr) cost.Range {
	sel := e.AsSelect()
	total := w.cost(sel.Operand())
	kind, priced := KindSelect, selectable(w.typeOf(sel.Operand()))
	if sel.IsTestOnly() {
		kind, priced = KindPresence, w.rules.before29 || w.table.presence
	} else { // has() names no data
		w.paths[e.ID()] = w.child(w.path(sel.Operand()), sel.FieldName())
	}
	if !priced {
		return total.Add(w.note(kind, sel.FieldName(), 0))
	}
	return total.Add(w.note(kind, sel.FieldName(), accessPrice))
}

func (w *walk) list(e ast.Expr) cost.Range {
	total := w.note(KindList, "", listPrice)
	items := nothing(e.AsList().Size())
	for _, item := range e.AsList().Elements() {
		total = total.Add(w.cost(item))
		items = items.Union(w.sizeOrUnbounded(item))
	}
	w.setEntry(e, &entry{kind: types.ListKind, key: cost.Exactly(1), val: items})
	return total
}

func (w *walk) mapping(e ast.Expr) cost.Range {
	total := w.note(KindMap, "", mapPrice)
	keys := nothing(e.AsMap().Size())
	vals := keys
	for _, ent := range e.AsMap().Entries() {
		key, val := ent.AsMapEntry().Key(), ent.AsMapEntry().Value()
		total = total.Add(w.cost(key)).Add(w.cost(val))
		keys = keys.Union(w.sizeOrUnbounded(key))
		vals = vals.Union(w.sizeOrUnbounded(val))
	}
	w.setEntry(e, &entry{kind: types.MapKind, key: keys, val: vals})
	return total
}

// nothing is the range that the union of n sizes begins with: the empty range, or
// zero if n is zero.
func nothing(n int) cost.Range {
	if n == 0 {
		return cost.Range{}
	}
	return cost.Range{Min: math.MaxUint64}
}

func (w *walk) message(e ast.Expr) cost.Range {
	total := w.note(KindMessage, e.AsStruct().TypeName(), messagePrice)
	for _, field := range e.AsStruct().Fields() {
		total = total.Add(w.cost(field.AsStructField().Value()))
	}
	return total
}

func (w *walk) comprehension(e ast.Expr) cost.Range {
	comp := e.AsComprehension()
	over, init := comp.IterRange(), comp.AccuInit()
	total := w.note(KindComprehension, "", 0).Add(w.cost(over)).Add(w.cost(init))

	w.bind(comp.AccuVar(), init)
	switch {
	case w.rules.before33:
		w.vars.push(comp.IterVar(), local{over: over})
	case comp.HasIterVar2():
		w.iterate(comp.IterVar(), over, true)
		w.iterate(comp.IterVar2(), over, false)
	default:
		// The single variable of a list takes its values, that of a map its keys.
		w.iterate(comp.IterVar(), over, w.containerKind(over) != types.ListKind)
	}
	perItem := w.cost(comp.LoopCondition())
	perItem = w.cost(comp.LoopStep()).Add(perItem)
	w.vars.pop(comp.IterVar())
	if comp.HasIterVar2() && !w.rules.before33 {
		w.vars.pop(comp.IterVar2())
	}
	total = total.Add(w.cost(comp.Result()))
	w.unbind(comp.AccuVar())

	// This comes last because the loop may have changed the path of its range, see path.
	count := w.sizeOrUnbounded(over)
	total = total.Add(count.Mul(perItem))
	if w.trace != nil {
		w.trace.at.Operands = []report.Size{w.sourceOf(over).size(-1, false, count)}
	}

	switch kind := init.Kind(); {
	case w.rules.before30:
	case w.rules.before33:
		w.setSize(e, &count)
	case kind == ast.LiteralKind:
		w.setSize(e, w.size(init))
	case kind == ast.ListKind, kind == ast.MapKind:
		w.setSize(e, &count)
		w.setEntry(e, w.entry(comp.LoopStep()))
	}
	return total
}

// isBinding recognizes cel.bind() and other macros that name a value. They become a
// loop over nothing whose accumulator is the name.
func isBinding(comp ast.ComprehensionExpr) bool {
	over, cond := comp.IterRange(), comp.LoopCondition()
	return over.Kind() == ast.ListKind && over.AsList().Size() == 0 &&
		cond.Kind() == ast.LiteralKind && cond.AsLiteral() == types.False &&
		comp.AccuVar() != parser.AccumulatorName
}

func (w *walk) binding(e ast.Expr) cost.Range {
	comp := e.AsComprehension()
	total := w.note(KindBinding, "", 0).Add(w.cost(comp.IterRange())).Add(w.cost(comp.AccuInit()))
	w.bind(comp.AccuVar(), comp.AccuInit())
	total = total.Add(w.cost(comp.Result()))
	w.unbind(comp.AccuVar())
	w.copySizes(e, comp.Result())
	return total
}

func (w *walk) typeOf(e ast.Expr) *types.Type { return w.tree.GetType(e.ID()) }
