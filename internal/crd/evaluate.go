package crd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/eval"
)

// outOfBudget is what an API server says when the budget does not suffice.
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// rules evaluates the rules of a node. It is false if validation ends.
func (w *walk) rules(n *node, at *step, object, old any, r ratchet) bool {
	if n.err != nil {
		w.report(Violation{Code: diag.NotCompiled, Path: w.at(at), Value: object, Err: n.err, bad: n.schema.Type,
			Message: fmt.Sprintf("rule compiler initialization error: %v", n.err)})
		return true
	}
	if w.budget.Left() == 0 {
		w.budget.exhaust()
		w.report(Violation{Code: diag.BudgetExhausted, Path: w.at(at), Value: object, bad: n.schema.Type, Message: outOfBudget})
		return false
	}
	w.node, w.object, w.old = n, object, old
	w.self, w.oldSelf = nil, nil
	if isNil(old) {
		w.old = nil
	}
	for i := range n.rules {
		if !w.rule(&n.rules[i], at, r) {
			return false
		}
	}
	return true
}

// isNil tells whether there is no value, or a map or list that is nil.
func isNil(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return value == nil
	case []any:
		return value == nil
	}
	return false
}

// ResolveName returns the value of self or oldSelf. It is part of eval.Vars.
func (w *walk) ResolveName(name string) (any, bool) {
	switch {
	case name == "self":
		if w.self == nil {
			w.self = w.node.schema.WithObjectMeta().Value(w.object)
		}
		return w.self, true
	case name != "oldSelf" || !w.node.oldSelf:
		return nil, false
	case w.old == nil:
		return types.OptionalNone, w.optional
	}
	if w.oldSelf == nil {
		w.oldSelf = w.node.schema.WithObjectMeta().Value(w.old)
	}
	if w.optional {
		return types.OptionalOf(w.oldSelf), true
	}
	return w.oldSelf, true
}

// rule evaluates one rule. It is false if validation ends.
func (w *walk) rule(r *nodeRule, at *step, was ratchet) bool {
	source := r.source
	if r.err != nil {
		w.report(w.failure(diag.NotCompiled, r, at, r.err, fmt.Sprintf("rule compile error: %v", r.err)))
		return true
	}
	optional := source.OptionalOldSelf != nil && *source.OptionalOldSelf
	if r.expr == nil || r.oldSelf && w.old == nil && !optional {
		return true // empty, or about a transition that did not take place
	}
	if err := w.ctx.Err(); err != nil {
		w.err = fmt.Errorf("validation was interrupted: %w", err)
		return false
	}
	w.optional = optional
	result := w.eval(r, at, r.expr.Program, false)
	w.optional = false
	if result.Kind == eval.KindInterrupted {
		w.err = fmt.Errorf("validation was interrupted: %w", result.Err)
		return false
	}
	if !w.budget.Spend(result.Cost) {
		w.report(w.failure(diag.BudgetExhausted, r, at, nil, outOfBudget))
		return false
	}
	switch result.Kind {
	case eval.KindValue:
		if result.Value == types.True {
			return true
		}
		return w.violated(r, at, was)
	case eval.KindNoSuchOverload:
		w.report(w.failure(diag.NoOverload, r, at, result.Err,
			fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", result.Err, source.words())))
		return true
	case eval.KindCostLimit:
		w.budget.exhaust()
		w.report(w.failure(diag.CallLimitExceeded, r, at, result.Err,
			fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", result.Err, source.words())))
		return false
	}
	w.report(w.failure(diag.EvaluationFailed, r, at, result.Err, fmt.Sprintf("%v evaluating rule: %v", result.Err, source.words())))
	return true
}

// failure is a violation by a rule that gave no answer. As in an API server it
// reports the type of the value instead of the value, and always counts.
func (w *walk) failure(code diag.Code, r *nodeRule, at *step, err error, message string) Violation {
	v := Violation{Code: code, Path: w.at(at), Message: message, Value: w.object, Rule: r.source, Err: err, bad: w.node.schema.Type}
	if failed, ok := errors.AsType[*types.Err](err); ok && r.expr != nil {
		v.Line, v.Column = r.expr.Program.Position(r.source.Rule.Rule, failed.NodeID())
	}
	return v
}

func (w *walk) report(v Violation) {
	w.result.Errors = append(w.result.Errors, v)
}

// violated reports a rule that is false. It is false if validation ends.
func (w *walk) violated(r *nodeRule, at *step, was ratchet) bool {
	path := w.at(at)
	if r.fieldPath != "" {
		path = path.Child(r.fieldPath)
	}
	report := func(v Violation) {
		if !r.oldSelf && was.holds() {
			w.result.Warnings = append(w.result.Warnings, v)
		} else {
			w.report(v)
		}
	}
	message := ""
	if r.message != nil {
		m, stop := w.message(r, at)
		if stop != nil {
			stop.Path = path
			report(*stop)
			return false
		}
		if w.err != nil {
			return false
		}
		message = m
	}
	if message == "" {
		message = r.source.defaultMessage()
	}
	v := Violation{Code: diag.Violated, Path: path, Message: message, Value: w.object, Rule: r.source, kind: errorType(r.source.Reason), bad: w.object}
	if t := w.node.schema.Type; t == "object" || t == "array" {
		v.bad = field.OmitValueType{}
	}
	report(v)
	return true
}

// errorType is the type of the error of a violation with a reason. The default
// is that of an invalid value.
func errorType(reason *string) field.ErrorType {
	switch {
	case is(reason, string(ReasonDuplicate)):
		return field.ErrorTypeDuplicate
	case is(reason, string(ReasonForbidden)):
		return field.ErrorTypeForbidden
	case is(reason, string(ReasonRequired)):
		return field.ErrorTypeRequired
	}
	return field.ErrorTypeInvalid
}

// maxMessageSize is the size of the largest message that an expression can give, in
// bytes (k8s.io/apiserver/pkg/apis/cel MaxEvaluatedMessageExpressionSizeBytes).
const maxMessageSize = 5 << 10

// message evaluates the messageExpression of a rule. The message is empty if it
// is unusable; stop is the violation by which validation ends, if it does.
//
// As in an API server, oldSelf is no optional here even if it is one in the rule.
func (w *walk) message(r *nodeRule, at *step) (message string, stop *Violation) {
	result := w.eval(r, at, r.rule.message.Program, true)
	if result.Kind == eval.KindInterrupted {
		w.err = fmt.Errorf("validation was interrupted: %w", result.Err)
		return "", nil
	}
	end := func(code diag.Code, err error, detail string) *Violation {
		w.budget.exhaust()
		return &Violation{Code: code, Message: detail, Value: w.object, Rule: r.source, Err: err, bad: w.node.schema.Type}
	}
	if !w.budget.Spend(result.Cost) {
		return "", end(diag.BudgetExhausted, nil, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run")
	}
	if result.Kind == eval.KindCostLimit {
		return "", end(diag.CallLimitExceeded, result.Err,
			fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.source.MessageExpression))
	}
	text, ok := result.Value.(types.String)
	if result.Kind != eval.KindValue || !ok {
		return "", nil
	}
	message = strings.TrimSpace(string(text))
	if len(message) > maxMessageSize || strings.Contains(message, "\n") {
		return "", nil
	}
	return message, nil
}

// words are what errors call the rule.
func (r *Rule) words() string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.TrimSpace(r.Rule.Rule)
}

// defaultMessage is the message of a violation without a messageExpression.
func (r *Rule) defaultMessage() string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return "failed rule: " + strings.TrimSpace(r.Rule.Rule)
}
