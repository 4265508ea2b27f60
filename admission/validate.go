package admission

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/policy"
)

// MatchBudget bounds the match conditions of a policy or a webhook together, in cost
// units. Validations with their messages have cost.Budget, and so have the audit
// annotations.
const MatchBudget = 2_500_000

// maxMessage is the size in bytes up to which the result of a messageExpression is used.
const maxMessage = 5 << 10

// Verdict is what one validation, or the policy itself, says of a request.
type Verdict string

// The verdicts.
const (
	// Admitted is a validation that is true.
	Admitted Verdict = "admit"
	// Denied is a validation that is false.
	Denied Verdict = "deny"
	// Errored is a validation without a value. The failurePolicy decides what follows.
	Errored Verdict = "error"
)

// ValidationResult is what one validation says, or the policy if Index is -1.
type ValidationResult struct {
	// Index counts the validations from 0. It is -1 for an error of the policy, such as
	// one of its match conditions.
	Index int `json:"index"`
	// Verdict is the outcome of the expression.
	Verdict Verdict `json:"verdict"`
	// Denies tells whether it speaks against the request. The validationActions of the
	// binding decide what follows.
	Denies bool `json:"denies"`
	// Message is the server's, empty if the request is admitted.
	Message string `json:"message,omitempty"`
	// Reason is that of the validation, empty for an error.
	Reason string `json:"reason,omitempty"`
	// Err says why the expression has no value. It is nil if it has one.
	Err error `json:"-"`
	// Cost is what the evaluation cost with the variables that it computed first, in cost
	// units.
	Cost uint64 `json:"cost"`
}

// AuditResult is what one audit annotation says.
type AuditResult struct {
	// Key is that of the annotation, without the name of the policy.
	Key string `json:"key"`
	// Value is published, unless it is empty.
	Value string `json:"value,omitempty"`
	// Error is the server's text for an expression without a value whose failurePolicy is
	// Fail, and denies the request.
	Error string `json:"error,omitempty"`
	// Err says why the expression has no value.
	Err error `json:"-"`
	// Cost is what the evaluation cost, in cost units.
	Cost uint64 `json:"cost"`
}

// Evaluation is what a policy says of a request, as one binding with one parameter has
// it.
type Evaluation struct {
	// Policy is the name of the policy.
	Policy string `json:"policy"`
	// Binding is the name of the binding.
	Binding string `json:"binding"`
	// Param is the name of the parameter, with its namespace and a slash if it has one.
	// It is empty if there is no parameter.
	Param string `json:"param,omitempty"`
	// Matched is false if a match condition is false.
	Matched bool `json:"matched"`
	// Condition is the name of the match condition that is false.
	Condition string `json:"condition,omitempty"`
	// Validations are empty if the policy does not match.
	Validations []ValidationResult `json:"validations,omitempty"`
	// AuditAnnotations are empty if the policy does not match.
	AuditAnnotations []AuditResult `json:"auditAnnotations,omitempty"`
	// Costs are what the parts cost, in cost units.
	Costs Costs `json:"costs"`
}

// Costs are the costs of an evaluation in cost units, with the variables that each part
// computes. Match conditions have a budget of [MatchBudget], validations and messages
// together one of cost.Budget, and audit annotations another of cost.Budget.
type Costs struct {
	// MatchConditions is that of the match conditions.
	MatchConditions uint64 `json:"matchConditions"`
	// Validations is that of the validations.
	Validations uint64 `json:"validations"`
	// MessageExpressions is that of the messages.
	MessageExpressions uint64 `json:"messageExpressions"`
	// AuditAnnotations is that of the audit annotations.
	AuditAnnotations uint64 `json:"auditAnnotations"`
}

// Total returns the sum, in cost units.
func (c Costs) Total() uint64 {
	return c.MatchConditions + c.Validations + c.MessageExpressions + c.AuditAnnotations
}

// evaluator evaluates one policy for one request and one parameter.
type evaluator struct {
	policy  *Policy
	program *program
	in      *policy.Inputs
	// matching are the inputs of match conditions, which see the resource of the request.
	matching *policy.Inputs
	call     uint64
}

// policyError is the result of an error that is not of one validation.
func (e *evaluator) policyError(text string, err error) []ValidationResult {
	return []ValidationResult{{Index: -1, Verdict: Errored, Denies: e.denies(), Message: text, Err: err}}
}

// denies tells whether an error denies the request.
func (e *evaluator) denies() bool { return e.policy.failurePolicy() != ignore }

func (e *evaluator) run(ctx context.Context) (result Evaluation) {
	result.Matched = true
	if e.program.matching != nil && len(e.program.matchConditions) > 0 {
		outcome := e.program.matching.Evaluate(ctx, e.matching, policy.Limits{Call: e.call, Budget: MatchBudget})
		result.Costs.MatchConditions = spent(outcome)
		matched := match(outcome, e.policy.spec.MatchConditions, e.policy.failurePolicy())
		if matched.Err != nil {
			result.Validations = e.policyError(matched.text, matched.Err)
			return result
		}
		if result.Matched, result.Condition = matched.Matches, matched.Condition; !result.Matched {
			return result
		}
	}
	if result.Validations = e.validate(ctx, &result.Costs); len(result.Validations) > 0 && result.Validations[0].Index < 0 {
		return result
	}
	outcome := e.program.auditing.Evaluate(ctx, e.in, policy.Limits{Call: e.call, Budget: cost.Budget})
	result.Costs.AuditAnnotations = spent(outcome)
	if outcome.Err != nil {
		result.Validations = e.policyError(outcome.Err.Server, outcome.Err)
		return result
	}
	for i, evaluation := range outcome.Evaluations {
		result.AuditAnnotations = append(result.AuditAnnotations, e.audit(e.policy.spec.AuditAnnotations[i], evaluation))
	}
	return result
}

// spent is what a group cost, in cost units.
func spent(o policy.Outcome) (units uint64) {
	for _, e := range o.Evaluations {
		units += e.Cost + e.VariableCost
	}
	return units
}

// validate evaluates the validations and all messages: a server also evaluates those of
// validations that are true.
func (e *evaluator) validate(ctx context.Context, costs *Costs) []ValidationResult {
	outcome := e.program.validating.Evaluate(ctx, e.in, policy.Limits{Call: e.call, Budget: cost.Budget})
	costs.Validations = spent(outcome)
	if outcome.Err != nil {
		return e.policyError(outcome.Err.Server, outcome.Err)
	}
	messages := e.program.messaging.Evaluate(ctx, e.in, policy.Limits{Call: e.call, Budget: outcome.Remaining})
	costs.MessageExpressions = spent(messages)
	results := make([]ValidationResult, len(outcome.Evaluations))
	for i, evaluation := range outcome.Evaluations {
		r := &results[i]
		r.Index, r.Cost = i, evaluation.Cost+evaluation.VariableCost
		switch {
		case evaluation.Err != nil:
			r.Verdict, r.Denies, r.Message, r.Err = Errored, e.denies(), evaluation.Err.Server, evaluation.Err
		case messages.Err != nil:
			r.Verdict, r.Denies, r.Message, r.Err = Errored, e.denies(), "failed messageExpression: "+messages.Err.Server, messages.Err
		case evaluation.Value == types.True:
			r.Verdict = Admitted
		default:
			v := e.policy.spec.Validations[i]
			r.Verdict, r.Denies, r.Reason = Denied, true, or(v.Reason, "Invalid")
			r.Message = message(v, messages.Evaluations[i])
		}
	}
	return results
}

// message is that of a validation that is false.
func message(v validation, computed policy.Evaluation) string {
	text := ""
	if computed.Value != nil {
		text, _ = computed.Value.Value().(string)
		text = strings.TrimSpace(text)
		if len(text) > maxMessage || strings.Contains(text, "\n") {
			text = ""
		}
	}
	if text == "" {
		text = strings.TrimSpace(v.Message)
	}
	if text == "" {
		text = "failed expression: " + strings.TrimSpace(v.Expression)
	}
	return text
}

func (e *evaluator) audit(a auditAnnotation, evaluation policy.Evaluation) AuditResult {
	r := AuditResult{Key: a.Key, Cost: evaluation.Cost + evaluation.VariableCost}
	if evaluation.Err != nil {
		r.Err = evaluation.Err
		if e.denies() {
			r.Error = evaluation.Err.Server
		}
		return r
	}
	switch value := evaluation.Value.(type) {
	case types.String:
		r.Value = strings.TrimSpace(string(value))
	case types.Null:
	default:
		r.Error = fmt.Sprintf("valueExpression '%v' resulted in unsupported return type: %v. Return type must be either string or null.",
			a.ValueExpression, value.Type())
		r.Err = &diag.EvalError{Code: diag.EvaluationFailed, Expression: a.ValueExpression, Server: r.Error, Cost: r.Cost}
	}
	return r
}

// matchResult is what match conditions say.
type matchResult struct {
	Matches   bool
	Condition string
	Err       error
	text      string
}

// match says whether match conditions match: one that is false decides, and errors only
// if none is false.
func match(outcome policy.Outcome, conditions []MatchCondition, failurePolicy string) matchResult {
	if outcome.Err != nil {
		return unmatched(outcome.Err, failurePolicy)
	}
	var errs []error
	for i, e := range outcome.Evaluations {
		if e.Err != nil {
			errs = append(errs, serverError{e.Err})
		}
		if e.Value == types.False {
			return matchResult{Condition: conditions[i].Name}
		}
	}
	if len(errs) > 0 {
		return unmatched(utilerrors.NewAggregate(errs), failurePolicy)
	}
	return matchResult{Matches: true}
}

// unmatched is an error of match conditions: the policy or webhook is left out, or
// everything fails.
func unmatched(err error, failurePolicy string) matchResult {
	if failurePolicy == ignore {
		return matchResult{}
	}
	text := err.Error()
	if e, ok := err.(*diag.EvalError); ok {
		text = e.Server
	}
	return matchResult{Err: err, text: text}
}

// serverError has the text of a server as its own, so that several combine as there.
type serverError struct{ *diag.EvalError }

func (e serverError) Error() string { return e.Server }
func (e serverError) Unwrap() error { return e.EvalError }
