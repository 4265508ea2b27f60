package pricing

import (
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
func (t *Table) Trace(tree *ast.AST, sizes Sizer, bounds Bounds) *report.Node {
	return t.trace(tree, sizes, &tracer{bounds: bounds})
}

// TraceSound traces an estimate that no server makes. Paths do not overwrite each other
// as they do in servers, so every size is that of the path which is meant. The doubts
// say what the estimate still leaves out.
func (t *Table) TraceSound(tree *ast.AST, sizes Sizer) (*report.Node, []Doubt) {
	root := t.trace(tree, sizes, &tracer{sound: true})
	return root, t.doubts(tree, root)
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
	}
	for _, p := range n.Parts {
		count(p, Repeated(times, p.Times.Max), estimate)
	}
}

// The kinds of nodes.
const (
	KindIdent         report.Kind = "identifier"
	KindLiteral       report.Kind = "literal"
	KindSelect        report.Kind = "selection"
	KindPresence      report.Kind = "presence test"
	KindCall          report.Kind = "call"
	KindList          report.Kind = "list"
	KindMap           report.Kind = "map"
	KindMessage       report.Kind = "message"
	KindComprehension report.Kind = "comprehension"
	KindBinding       report.Kind = "binding"
)

// The roles of the operands of a call: the receiver of a member function, and others.
const (
	RoleTarget   report.Role = "target"
	RoleArgument report.Role = "argument"
)

// roles are those of the parts of a node. The last is also that of all that follow.
var roles = map[report.Kind][]report.Role{
	KindSelect: {"operand"}, KindPresence: {"operand"},
	KindCall: {RoleArgument},
	KindList: {"element"}, KindMap: {"element"}, KindMessage: {"element"},
	KindComprehension: {"range", "initial value", "condition", "step", "result"},
	KindBinding:       {"range", "initial value", "result"},
}

// source is where a size comes from. The bound is nil if there is none.
type source struct {
	kind  cost.Source
	bound *cost.Bound
}

// size describes a size of an operand.
func (s source) size(operand int, element bool, size cost.Range) report.Size {
	return report.Size{Operand: operand, Element: element, Size: size, Source: s.kind, Bound: s.bound}
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

// declared is the source of the size of data at a path.
func (t *tracer) declared(path []string) source {
	if t != nil && t.bounds != nil {
		if b := t.bounds(path); b != nil {
			return source{b.Kind, b}
		}
	}
	return source{kind: cost.SourceDeclared}
}
