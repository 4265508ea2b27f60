package pricing

import (
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/report"
)

// Bounds finds what bounds the data at a path of an expression, nil for what no schema
// bounds. Paths are as in [Sizer].
type Bounds func(path []string) *cost.Bound

// Trace estimates as Estimate does, and says how the estimate comes about: at every node
//
//	Total = Own + the sum of Times × Total over the Parts
//
// for the least as for the most. At the root, Total is what Estimate returns. The nodes
// have no places in the source. Bounds may be nil.
func (t *Table) Trace(tree *ast.AST, sizes Sizer, bounds Bounds) (*report.Node, error) {
	if !tree.IsChecked() {
		return nil, errNotChecked
	}
	return t.trace(tree, sizes, &tracer{bounds: bounds}), nil
}

// TraceSound traces an estimate that no server makes. Paths do not overwrite each other
// as they do in servers, so every size is that of the path which is meant. The doubts
// say what the estimate still leaves out.
func (t *Table) TraceSound(tree *ast.AST, sizes Sizer) (*report.Node, []Doubt, error) {
	if !tree.IsChecked() {
		return nil, nil, errNotChecked
	}
	root := t.trace(tree, sizes, &tracer{sound: true})
	return root, t.doubts(tree, root), nil
}

func (t *Table) trace(tree *ast.AST, sizes Sizer, tr *tracer) *report.Node {
	tr.sources = map[int64]source{}
	w := newWalk(t, tree, sizes)
	w.trace = tr
	w.cost(tree.Expr())
	count(tr.root, 1, tr.root.Total.Max)
	return tr.root
}

// count sets how often each node counts in an estimate, and its share.
func count(n *report.Node, times, estimate uint64) {
	n.Count = times
	if estimate > 0 {
		n.Share = float64(Repeated(n.Total.Max, times)) / float64(estimate)
		n.OwnShare = float64(Repeated(n.Own.Max, times)) / float64(estimate)
	}
	for _, p := range n.Parts {
		count(p, Repeated(times, p.Times.Max), estimate)
	}
}

// The roles of nodes.
const (
	roleOperand   report.Role = "operand"
	roleTarget    report.Role = "target"
	roleArgument  report.Role = "argument"
	roleElement   report.Role = "element"
	roleRange     report.Role = "range"
	roleInit      report.Role = "initial value"
	roleCondition report.Role = "condition"
	roleStep      report.Role = "step"
	roleResult    report.Role = "result"
)

// The reasons why a node is not counted once.
const (
	whyIterations report.Why = "iterations"
	whySkipped    report.Why = "may be skipped"
	whyBranch     report.Why = "one of two branches"
	whyIgnored    report.Why = "not estimated"
)

// source is where a size comes from. For a declared size it has the path that the Sizer
// was asked for.
type source struct {
	kind cost.Source
	path []string
}

// tracer notes what a walk does.
type tracer struct {
	root *report.Node
	// at is the node that is being estimated.
	at      *report.Node
	sources map[int64]source
	bounds  Bounds
	// sound keeps paths apart.
	sound bool
}

// size describes a size of an operand.
func (t *tracer) size(operand int, element bool, size cost.Range, from source) report.Size {
	s := report.Size{Operand: operand, Element: element, Size: size, Source: from.kind}
	if from.kind != cost.SourceDeclared {
		return s
	}
	s.Path = dataPath(from.path)
	if t.bounds == nil {
		return s
	}
	if s.Bound = t.bounds(from.path); s.Bound != nil {
		s.Source = s.Bound.Kind
	}
	return s
}

// dataPath writes a path of an expression as the data has it.
func dataPath(path []string) string {
	var b strings.Builder
	for i, step := range path {
		switch step {
		case PathItems:
			b.WriteString("[*]")
		case PathValues:
			b.WriteString("{*}")
		case PathKeys:
			b.WriteString("{keys}")
		case PathIndices:
			b.WriteString("[index]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}
