package pricing

import (
	"math"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/cost"
)

// indexSegments are the segments of a path that overloads add.
var indexSegments = map[string]string{overloads.IndexList: PathItems, overloads.IndexMap: PathValues}

func (w *walk) call(e ast.Expr) cost.Range {
	call := e.AsCall()
	args := call.Args()
	if call.FunctionName() == overloads.TypeConvertDyn && len(args) > 0 && !w.rules.before33 {
		// dyn() hides the type, not the size.
		total := w.note(KindCall, overloads.TypeConvertDyn, 1).Add(w.cost(args[0]))
		w.copySizes(e, args[0])
		return total
	}

	w.note(KindCall, call.FunctionName(), 0)
	ids := w.tree.GetOverloadIDs(e.ID())
	first := 0
	if call.IsMemberFunction() {
		first = 1
	}
	operands := make([]cost.Operand, first+len(args))
	costs := make([]cost.Range, len(args))
	for i, arg := range args {
		costs[i] = w.cost(arg)
		operands[first+i] = w.operand(arg, first+i)
	}
	if len(ids) == 0 || w.rules.before29 && call.FunctionName() == operators.OptSelect {
		return cost.Range{}
	}
	var target cost.Range
	if first == 1 {
		target = w.cost(call.Target())
		operands[0] = w.operand(call.Target(), 0)
	}

	// A call with a dynamically typed operand may turn out as any of several
	// overloads.
	own, total := cost.Range{Min: math.MaxUint64}, cost.Range{Min: math.MaxUint64}
	var result *cost.Range
	for _, id := range ids {
		est, itself := w.overload(e, id, operands, costs)
		own, total = own.Union(itself), total.Union(est.Cost)
		if result == nil {
			result = est.Result
		} else if est.Result != nil {
			either := result.Union(*est.Result)
			result = &either
		}
		if segment, ok := indexSegments[id]; ok && len(args) > 0 {
			result = w.indexed(e, args[0], segment, result)
		}
		if result == nil && !w.rules.before33 {
			result = w.size(e)
		}
	}
	w.setSize(e, result)
	if w.trace != nil {
		w.trace.at.Own = own
	}
	return target.Add(total)
}

// indexed notes the path of an element that is selected by an index, and returns its
// size. Known is the size by the price.
func (w *walk) indexed(e, of ast.Expr, segment string, known *cost.Range) *cost.Range {
	if !w.rules.before33 {
		known = nil
	}
	if ent := w.entry(of); ent != nil {
		known = &ent.val
	}
	w.paths[e.ID()] = w.child(w.path(of), segment)
	return known
}

// overload prices a call as one of its overloads. Costs are those of the arguments. The
// price includes them, but not the target. Own does not include them.
func (w *walk) overload(e ast.Expr, id string, operands []cost.Operand, costs []cost.Range) (est cost.Estimate, own cost.Range) {
	call := e.AsCall()
	args := call.Args()
	switch {
	case isLogical(id) && len(args) >= 2:
		// The right side may be left out.
		return cost.Estimate{Cost: cost.Range{Min: costs[0].Min, Max: costs[0].Add(costs[1]).Max}}, own
	case id == overloads.Conditional && len(args) >= 3:
		size := derivedSize(operands, 1).Union(derivedSize(operands, 2))
		w.setEntry(e, w.entry(args[1]).union(w.entry(args[2])))
		return cost.Estimate{Cost: costs[0].Add(costs[1].Union(costs[2])), Result: &size}, own
	case isConcatenation(id) && len(args) == 2:
		w.setEntry(e, w.entry(args[0]).union(w.entry(args[1])))
	}
	est = w.table.estimate(call.FunctionName(), id, operands)
	own = est.Cost
	for _, c := range costs {
		est.Cost = est.Cost.Add(c)
	}
	return est, own
}

func isLogical(overloadID string) bool {
	return overloadID == overloads.LogicalAnd || overloadID == overloads.LogicalOr
}

// isConcatenation tells whether the result of a call has the elements of both operands.
func isConcatenation(overloadID string) bool {
	return overloadID == overloads.AddString || overloadID == overloads.AddBytes || overloadID == overloads.AddList
}

// operand is what a price may know of the operand at an index.
func (w *walk) operand(e ast.Expr, index int) cost.Operand {
	o := operand{path: w.data(e), typ: w.typeOf(e), literal: e.AsLiteral(), sizes: w.sizer}
	if o.late = w.rules.before33; o.late {
		o.derived = w.computedSize(e)
	} else {
		o.derived = w.size(e)
	}
	if w.trace != nil {
		o.watch = &watch{trace: w.trace, at: w.trace.at, index: index, from: w.sourceOf(e)}
	}
	return o
}

// data is the path of a node, nil for the accumulator of a comprehension.
func (w *walk) data(e ast.Expr) path {
	p := w.path(e)
	if len(p) > 0 && (p[0] == parser.AccumulatorName || p[0] == parser.HiddenAccumulatorName) {
		return nil
	}
	return p
}
