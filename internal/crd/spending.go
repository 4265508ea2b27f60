package crd

import (
	"fmt"

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

// eval evaluates an expression of a rule, and tells of it if asked to. It sets err if
// the context has ended.
func (w *walk) eval(r *nodeRule, at *step, program *eval.Program, message bool) (result eval.Result) {
	if w.spent == nil {
		result = w.runner.Eval(w.ctx, program, w, w.limit)
	} else {
		var record *eval.Record
		result, record = program.Record(w.ctx, w, w.limit)
		w.spent(Spending{Rule: r.Rule, Message: message, Path: w.at(at), Cost: result.Cost, Nodes: record.Nodes})
	}
	if result.Kind == eval.KindInterrupted {
		w.interrupt(result.Err)
	}
	return result
}

// interrupt ends the validation because the context has ended.
func (w *walk) interrupt(err error) { w.err = fmt.Errorf("validation was interrupted: %w", err) }
