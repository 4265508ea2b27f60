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
func Evaluated(x *report.Expression, result eval.Result, nodes map[int64]report.NodeCost) {
	x.Actual = &report.Evaluation{Cost: result.Cost}
	if result.Err != nil {
		x.Actual.Error = result.Err.Error()
	} else if result.Value != nil {
		x.Actual.Result = fmt.Sprint(result.Value.Value())
	}
	attach(x.Root, nodes)
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

// Ledger collects what the expressions of a validation spend, by their paths.
type Ledger map[string]*entry

type entry struct {
	report.Spending
	nodes map[int64]report.NodeCost
}

// Add enters one evaluation of the expression at a path.
func (l Ledger) Add(path string, s crd.Spending) {
	e := l[path]
	if e == nil {
		e = &entry{report.Spending{Path: path}, map[int64]report.NodeCost{}}
		l[path] = e
	}
	e.Evaluations++
	e.Cost += s.Cost
	if s.Cost > e.Dearest || e.Evaluations == 1 {
		e.Dearest = s.Cost
		if s.Path != nil {
			e.At = s.Path.String()
		}
	}
	for id, n := range s.Nodes {
		sum := e.nodes[id]
		sum.Units += n.Units
		sum.Iterations += n.Iterations
		e.nodes[id] = sum
	}
}

// Close adds all entries to a report, the costliest first, and to its expressions.
func (l Ledger) Close(r *report.CRD) {
	v := &report.Validation{Spending: make([]report.Spending, 0, len(l))}
	for _, e := range l {
		v.Spending = append(v.Spending, e.Spending)
	}
	slices.SortFunc(v.Spending, func(a, b report.Spending) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), strings.Compare(a.Path, b.Path))
	})
	for i := range r.Expressions {
		x := &r.Expressions[i]
		if e := l[x.Path]; e != nil {
			x.Actual = &report.Evaluation{Cost: e.Cost, Evaluations: e.Evaluations}
			attach(x.Root, e.nodes)
		}
	}
	r.Validation = v
}
