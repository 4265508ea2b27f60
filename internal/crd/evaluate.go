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
	w.node, w.object, w.old = n, object, old
	if n.err != nil {
		w.fail(diag.NotCompiled, nil, at, undeclared("", n.err), fmt.Sprintf("rule compiler initialization error: %v", n.err))
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
	if r.Err != nil {
		w.fail(diag.NotCompiled, r, at, r.Err, "rule compile error: "+r.Err.Server)
		return true
	}
	optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
	if r.program == nil || r.OldSelf && w.old == nil && !optional {
		return true // empty, or about a transition that did not take place
	}
	if err := w.ctx.Err(); err != nil {
		w.err = fmt.Errorf("validation was interrupted: %w", err)
		return false
	}
	w.optional = optional
	result := w.eval(r, at, r.program, false)
	w.optional = false
	if result.Kind == eval.KindInterrupted {
		w.err = fmt.Errorf("validation was interrupted: %w", result.Err)
		return false
	}
	if !w.budget.Spend(result.Cost) {
		w.fail(diag.BudgetExhausted, r, at, nil, outOfBudget)
		return false
	}
	switch result.Kind {
	case eval.KindValue:
		if result.Value == types.True {
			return true
		}
		return w.violated(r, at, was)
	case eval.KindNoSuchOverload:
		w.fail(diag.NoOverload, r, at, r.evalError(diag.NoOverload, result),
			fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", result.Err, r.words()))
		return true
	case eval.KindCostLimit:
		w.budget.exhaust()
		w.fail(diag.CallLimitExceeded, r, at, r.evalError(diag.CallLimitExceeded, result),
			fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", result.Err, r.words()))
		return false
	}
	w.fail(diag.EvaluationFailed, r, at, r.evalError(diag.EvaluationFailed, result), fmt.Sprintf("%v evaluating rule: %v", result.Err, r.words()))
	return true
}

// evalError is the error of an evaluation that gave no value.
func (r *nodeRule) evalError(code diag.Code, result eval.Result) *diag.EvalError {
	e := &diag.EvalError{Code: code, Expression: r.Expr, Server: result.Err.Error(), Cause: result.Err}
	if failed, ok := errors.AsType[*types.Err](result.Err); ok {
		e.Position = r.program.Position(e.Expression, failed.NodeID())
	}
	return e
}

// fail reports a rule that gave no answer, or if r is nil the rules of a place. As
// in an API server it names the type of the value instead of the value, and
// always counts.
func (w *walk) fail(code diag.Code, r *nodeRule, at *step, err error, message string) {
	path := w.at(at)
	w.result.Violations = append(w.result.Violations,
		violation(code, path, message, w.object, r.source(), err, field.Invalid(path, w.node.schema.Type, message)))
}

// source is the rule as the schema has it, nil if r is nil.
func (r *nodeRule) source() *Rule {
	if r == nil {
		return nil
	}
	return r.Rule
}

// violated reports a rule that is false. It is false if validation ends.
func (w *walk) violated(r *nodeRule, at *step, was ratchet) bool {
	path := w.at(at)
	if r.FieldPath != "" {
		path = path.Child(r.FieldPath)
	}
	report := func(v diag.Violation) {
		if !r.OldSelf && was.holds() {
			w.result.Warnings = append(w.result.Warnings, v)
		} else {
			w.result.Violations = append(w.result.Violations, v)
		}
	}
	message := ""
	if r.message != nil {
		m, stop := w.message(r, at, path)
		if stop != nil {
			report(*stop)
			return false
		}
		if w.err != nil {
			return false
		}
		message = m
	}
	if message == "" {
		message = r.defaultMessage()
	}
	bad := w.object
	if t := w.node.schema.Type; t == "object" || t == "array" {
		bad = field.OmitValueType{}
	}
	report(violation(diag.Violated, path, message, w.object, r.Rule, nil, reportedViolation(r.Reason, path, bad, message)))
	return true
}

// maxMessageSize is the size of the largest message that an expression can give, in
// bytes (k8s.io/apiserver/pkg/apis/cel MaxEvaluatedMessageExpressionSizeBytes).
const maxMessageSize = 5 << 10

// message evaluates the messageExpression of a rule. The message is empty if it
// is unusable; stop is the violation by which validation ends, if it does.
//
// As in an API server, oldSelf is no optional here even if it is one in the rule.
func (w *walk) message(r *nodeRule, at *step, path *field.Path) (message string, stop *diag.Violation) {
	result := w.eval(r, at, r.message, true)
	if result.Kind == eval.KindInterrupted {
		w.err = fmt.Errorf("validation was interrupted: %w", result.Err)
		return "", nil
	}
	end := func(code diag.Code, err error, detail string) *diag.Violation {
		w.budget.exhaust()
		v := violation(code, path, detail, w.object, r.Rule, err, field.Invalid(path, w.node.schema.Type, detail))
		return &v
	}
	if !w.budget.Spend(result.Cost) {
		return "", end(diag.BudgetExhausted, nil, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run")
	}
	if result.Kind == eval.KindCostLimit {
		err := &diag.EvalError{Code: diag.CallLimitExceeded, Expression: r.MessageExpression, Server: result.Err.Error(), Cause: result.Err}
		return "", end(diag.CallLimitExceeded, err,
			fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression))
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
	return strings.TrimSpace(r.Expr)
}

// defaultMessage is the message of a violation without a messageExpression.
func (r *Rule) defaultMessage() string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return "failed rule: " + strings.TrimSpace(r.Expr)
}
