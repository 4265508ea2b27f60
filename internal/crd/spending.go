package crd

import (
	"context"

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

// recorder is a Program that can say which node costs what.
type recorder interface {
	Record(ctx context.Context, vars eval.Vars, limit uint64) (eval.Result, *eval.Record)
}

// eval evaluates an expression of a rule, and tells of it if asked to.
func (w *walk) eval(r *nodeRule, at *step, program Program, message bool) eval.Result {
	if w.spent == nil {
		return program.Eval(w.ctx, w, w.limit)
	}
	spending := Spending{Rule: r.source, Message: message, Path: w.at(at)}
	var result eval.Result
	if p, ok := program.(recorder); ok {
		var record *eval.Record
		result, record = p.Record(w.ctx, w, w.limit)
		spending.Nodes = record.Nodes
	} else {
		result = program.Eval(w.ctx, w, w.limit)
	}
	spending.Cost = result.Cost
	w.spent(spending)
	return result
}
