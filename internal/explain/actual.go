package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/report"
)

// Evaluated adds to a report what one evaluation cost.
func Evaluated(x *report.Expression, result eval.Result, nodes map[int64]eval.NodeCost) {
	x.Actual = &report.Evaluation{Cost: result.Cost}
	if result.Err != nil {
		x.Actual.Error = result.Err.Error()
	} else if result.Value != nil {
		x.Actual.Result = fmt.Sprint(result.Value.Value())
	}
	costs := map[int64]report.NodeCost{}
	addNodes(costs, nodes)
	attach(x.Root, costs)
}

func addNodes(to map[int64]report.NodeCost, nodes map[int64]eval.NodeCost) {
	for id, n := range nodes {
		sum := to[id]
		sum.Units += n.Units
		sum.Charges += n.Charges
		sum.Iterations += n.Iterations
		to[id] = sum
	}
}

// attach gives each node its costs. Of nodes with the same id, which a macro can
// make, the first gets those of all.
func attach(root *report.Node, costs map[int64]report.NodeCost) {
	given := map[int64]bool{}
	root.Each(func(n *report.Node) {
		n.Actual = &report.NodeCost{}
		if c, ok := costs[n.ID]; ok && !given[n.ID] {
			given[n.ID] = true
			*n.Actual = c
		}
	})
}

// Ledger collects what the expressions of a validation spend.
type Ledger struct {
	byPath map[string]*report.Spending
}

// NewLedger returns a ledger without entries.
func NewLedger() *Ledger { return &Ledger{byPath: map[string]*report.Spending{}} }

// Add enters one evaluation of the expression at a path.
func (l *Ledger) Add(path string, s crd.Spending) {
	e := l.byPath[path]
	if e == nil {
		e = &report.Spending{Path: path, Nodes: map[int64]report.NodeCost{}}
		l.byPath[path] = e
	}
	e.Evaluations++
	e.Cost += s.Cost
	if s.Cost > e.Dearest || e.Evaluations == 1 {
		e.Dearest = s.Cost
		if s.Path != nil {
			e.At = s.Path.String()
		}
	}
	addNodes(e.Nodes, s.Nodes)
}

// Close returns all entries, the costliest first, and adds them to the expressions
// of a report.
func (l *Ledger) Close(r *report.Schema) *report.Validation {
	v := &report.Validation{Spending: make([]report.Spending, 0, len(l.byPath))}
	for _, e := range l.byPath {
		v.Spending = append(v.Spending, *e)
	}
	slices.SortFunc(v.Spending, func(a, b report.Spending) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), strings.Compare(a.Path, b.Path))
	})
	for i := range r.Expressions {
		x := &r.Expressions[i]
		if e := l.byPath[x.Path]; e != nil {
			x.Actual = &report.Evaluation{Cost: e.Cost, Evaluations: e.Evaluations}
			attach(x.Root, e.Nodes)
		}
	}
	return v
}
