package crd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// outOfBudget is what an API server says when the budget does not suffice.
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// rules evaluates the rules of a node. It is false if validation ends.
func (w *walk) rules(n *node, at *step, object, old any, r ratchet) bool {
	w.node, w.object, w.old = n, object, old
	if n.err != nil {
		w.fail(diag.NotCompiled, nil, at, checkError(diag.NoType, "", n.err.Error()), fmt.Sprintf("rule compiler initialization error: %v", n.err))
		return true
	}
	if w.budget.Left() == 0 {
		w.budget.exhaust()
		w.fail(diag.BudgetExhausted, nil, at, nil, outOfBudget)
		return false
	}
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

// isNil tells whether a value is nil, or a map or list that is.
func isNil(value any) bool {
	v := reflect.ValueOf(value)
	return value == nil || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.IsNil()
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

// ResolveNative returns self and oldSelf as data. It is part of eval.NativeVars.
func (w *walk) ResolveNative(name string) (any, *typesystem.Schema) {
	switch {
	case name == "self":
		return w.object, w.node.schema.WithObjectMeta()
	case name == "oldSelf" && w.node.oldSelf && w.old != nil && !w.optional:
		return w.old, w.node.schema.WithObjectMeta()
	}
	return nil, nil
}

// rule evaluates one rule. It is false if validation ends.
func (w *walk) rule(r *nodeRule, at *step, was ratchet) bool {
	if r.Err != nil {
		w.fail(diag.NotCompiled, r.Rule, at, r.Err, "rule compile error: "+r.Err.Server)
		return true
	}
	optional := is(r.OptionalOldSelf, true)
	if r.program == nil || r.OldSelf && w.old == nil && !optional {
		return true // empty, or about a transition that did not take place
	}
	if w.ctx.Err() != nil {
		w.interrupt(context.Cause(w.ctx))
		return false
	}
	w.optional = optional
	result := w.eval(r, at, r.program, false)
	w.optional = false
	if w.err != nil {
		return false
	}
	if !w.budget.Spend(result.Cost) {
		w.fail(diag.BudgetExhausted, r.Rule, at, nil, outOfBudget)
		return false
	}
	code, message := diag.EvaluationFailed, "%v evaluating rule: %v"
	switch result.Kind {
	case eval.KindValue:
		return result.Value == types.True || w.violated(r, at, was)
	case eval.KindNoSuchOverload:
		code, message = diag.NoOverload, "'%v': call arguments did not match a supported operator, function or macro signature for rule: %v"
	case eval.KindCostLimit:
		w.budget.exhaust()
		code, message = diag.CallLimitExceeded, "'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v"
	}
	w.fail(code, r.Rule, at, r.evalError(code, result), fmt.Sprintf(message, result.Err, r.words()))
	return result.Kind != eval.KindCostLimit
}

// evalError is the error of an evaluation that gave no value.
func (r *nodeRule) evalError(code diag.Code, result eval.Result) *diag.EvalError {
	e := &diag.EvalError{Code: code, Expression: r.Expr, Server: result.Err.Error(), Cause: result.Err}
	if failed := (*types.Err)(nil); errors.As(result.Err, &failed) {
		e.Position = r.program.Position(e.Expression, failed.NodeID())
	}
	return e
}

// fail reports a rule that gave no answer, or if r is nil the rules of a place. As in an API server
// it names the type of the value instead of the value, and always counts.
func (w *walk) fail(code diag.Code, r *Rule, at *step, err error, message string) {
	path := w.spot(at, "")
	w.result.Violations = append(w.result.Violations,
		w.violation(code, path, message, r, err, field.Invalid(nil, w.node.schema.Type, message)))
}

// violated reports a rule that is false. It is false if validation ends.
func (w *walk) violated(r *nodeRule, at *step, was ratchet) bool {
	path := w.spot(at, r.FieldPath)
	found := &w.result.Violations
	if !r.OldSelf && was.holds() {
		found = &w.result.Warnings
	}
	message := ""
	if r.message != nil {
		var ok bool
		if message, ok = w.message(r, at, path, found); !ok {
			return false
		}
	}
	if message == "" {
		message = r.words()
		if r.Message == "" {
			message = "failed rule: " + message
		}
	}
	bad := w.object
	if t := w.node.schema.Type; t == "object" || t == "array" {
		bad = field.OmitValueType{}
	}
	*found = append(*found, w.violation(diag.Violated, path, message, r.Rule, nil, reportedViolation(r.Reason, bad, message)))
	return true
}

// maxMessageSize is the size of the largest message that an expression can give, in
// bytes (k8s.io/apiserver/pkg/apis/cel MaxEvaluatedMessageExpressionSizeBytes).
const maxMessageSize = 5 << 10

// message evaluates the messageExpression of a rule. The message is empty if it is
// unusable. It is false if validation ends, which adds a violation to found.
//
// As in an API server, oldSelf is no optional here even if it is one in the rule.
func (w *walk) message(r *nodeRule, at *step, path spot, found *[]diag.Violation) (message string, ok bool) {
	result := w.eval(r, at, r.message, true)
	if w.err != nil {
		return "", false
	}
	end := func(code diag.Code, err error, detail string) (string, bool) {
		w.budget.exhaust()
		*found = append(*found, w.violation(code, path, detail, r.Rule, err, field.Invalid(nil, w.node.schema.Type, detail)))
		return "", false
	}
	if !w.budget.Spend(result.Cost) {
		return end(diag.BudgetExhausted, nil, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run")
	}
	if result.Kind == eval.KindCostLimit {
		err := &diag.EvalError{Code: diag.CallLimitExceeded, Expression: r.MessageExpression, Server: result.Err.Error(), Cause: result.Err}
		return end(diag.CallLimitExceeded, err,
			fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression))
	}
	text, ok := result.Value.(types.String)
	message = strings.TrimSpace(string(text))
	if result.Kind != eval.KindValue || !ok || len(message) > maxMessageSize || strings.Contains(message, "\n") {
		return "", true
	}
	return message, true
}

// words are what errors call the rule.
func (r *Rule) words() string { return strings.TrimSpace(cmp.Or(r.Message, r.Expr)) }
