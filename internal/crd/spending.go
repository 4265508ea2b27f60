package crd

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/report"
)

// Spending is one evaluation of a validation.
type Spending struct {
	Rule *Rule
	// Message tells that it was the messageExpression.
	Message bool
	// Path is the place in the object.
	Path *field.Path
	// Cost is what it cost, and Nodes which node cost what.
	Cost  uint64
	Nodes map[int64]report.NodeCost
}

// eval evaluates an expression of a rule, and tells of it if asked to.
func (w *walk) eval(r *nodeRule, at *step, program *eval.Program, message bool) eval.Result {
	if w.spent == nil {
		return program.Eval(w.ctx, w, w.limit)
	}
	spending := Spending{Rule: r.Rule, Message: message, Path: w.at(at)}
	result, record := program.Record(w.ctx, w, w.limit)
	spending.Cost, spending.Nodes = result.Cost, record.Nodes
	w.spent(spending)
	return result
}
