package pricing

import (
	"math"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/report"
)

// Doubt says why an evaluation may cost more than its estimate at a node.
type Doubt struct {
	Node   *report.Node
	Reason string
	// Extra is what the node may cost more each time, math.MaxUint64 if that has no bound.
	Extra uint64
}

// The doubts about the structure of an expression. Those about functions stand with
// their prices, see [cost.Model].
const (
	doubtDynamic   = "a dynamic value has no size to estimate with, and its functions are charged by name"
	doubtSelection = "a selection from a dynamic or optional value is not estimated"
	doubtPath      = "a path into a value that is no variable costs one more than estimated"
)

// doubts returns what an estimate may leave out at the nodes of a traced expression,
// parents first.
func (t *Table) doubts(tree *ast.AST, root *report.Node) (doubts []Doubt) {
	root.Each(func(n *report.Node) {
		if len(n.Parts) > 0 && (n.Kind == KindSelect || n.Kind == KindPresence || isIndex(n)) {
			of := n.Parts[0]
			if startsPath(of) {
				doubts = append(doubts, Doubt{n, doubtPath, 1})
			}
			if n.Kind != KindCall && !selectable(tree.GetType(of.ID)) {
				doubts = append(doubts, Doubt{n, doubtSelection, 1})
			}
		}
		if n.Kind == KindCall {
			for _, reason := range t.doubtsOfCall(tree, n) {
				doubts = append(doubts, Doubt{n, reason, math.MaxUint64})
			}
		}
	})
	return doubts
}

// doubtsOfCall are the doubts of the overloads that a call may turn out as.
func (t *Table) doubtsOfCall(tree *ast.AST, n *report.Node) (reasons []string) {
	var operands []*types.Type
	for _, p := range n.Parts {
		at := len(operands)
		if p.Role == RoleTarget { // the last part, and the first operand
			at = 0
		}
		operands = slices.Insert(operands, at, tree.GetType(p.ID))
	}
	for _, id := range n.Overloads {
		doubt := t.overloads[id].Doubt
		if t.overloads[id].Estimate == nil {
			doubt = t.functions[n.Name].Doubt
		}
		if doubt == nil {
			continue
		}
		if reason := doubt(operands); reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 && !tolerant(n.Name) && slices.ContainsFunc(operands, func(o *types.Type) bool { return dynamic(o, 8) }) {
		reasons = []string{doubtDynamic}
	}
	return reasons
}

// isIndex tells whether a node selects from a value by an operator.
func isIndex(n *report.Node) bool {
	return n.Kind == KindCall && (n.Name == operators.Index || n.Name == operators.OptIndex || n.Name == operators.OptSelect)
}

// startsPath tells whether a path begins at a node that is not a variable.
func startsPath(n *report.Node) bool {
	return n.Kind != KindIdent && n.Kind != KindSelect && !isIndex(n)
}

// selectable tells whether a selection from a value of a type is estimated.
func selectable(t *types.Type) bool {
	kind := t.Kind()
	return kind == types.MapKind || kind == types.StructKind || kind == types.TypeParamKind
}

// tolerant tells whether a standard function costs no more with dynamic values than
// estimated.
func tolerant(function string) bool {
	switch function {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse, operators.Conditional,
		operators.Index, operators.OptIndex, operators.OptSelect, "dyn", "type":
		return true
	}
	return false
}

// dynamic tells whether only evaluation knows the type of a value, or of what it holds.
func dynamic(t *types.Type, depth int) bool {
	switch t.Kind() {
	case types.DynKind, types.AnyKind, types.TypeParamKind, types.ErrorKind:
		return true
	}
	return depth == 0 || slices.ContainsFunc(t.Parameters(), func(p *types.Type) bool { return dynamic(p, depth-1) })
}
