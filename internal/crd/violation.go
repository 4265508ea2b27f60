package crd

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Rule is a rule of a schema and where it stands.
type Rule struct {
	typesystem.Rule
	// Schema is the path of the schema that the rule stands in, below the root
	// of the whole schema, such as properties[spec].items. It is nil at the root.
	Schema *field.Path
	// Index is the index of the rule among those of its schema.
	Index int
}

// Place is the place of the rule in the schema, such as
// properties[spec].x-kubernetes-validations[0].
func (r *Rule) Place() string {
	index := fmt.Sprintf("x-kubernetes-validations[%d]", r.Index)
	if r.Schema == nil {
		return index
	}
	return r.Schema.String() + "." + index
}

// Result is the outcome of validating an object.
type Result struct {
	// Violations are in the order of the object's sorted fields.
	Violations []diag.Violation
	// Warnings are violations that do not count because their values are unchanged.
	Warnings []diag.Violation
	// Spent is what the evaluations cost, in cost units.
	Spent uint64
	// Exhausted tells whether rules were left out because the budget was used
	// up, or because an expression cost more than one evaluation may.
	Exhausted bool
}

// violation makes a violation of a rule, nil if it is about none in particular.
// Server is the error that an API server reports, without its place.
func (w *walk) violation(code diag.Code, at spot, message string, r *Rule, err error, server *field.Error) diag.Violation {
	v := diag.Violation{
		Code: code, Path: at.text, Message: message, Reason: string(ReasonInvalid), Value: w.object, Err: err, Server: at.on(server),
	}
	if r == nil {
		return v
	}
	v.Rule = r.Expr
	if v.RulePath = w.places[r]; v.RulePath == "" {
		if w.places == nil {
			w.places = map[*Rule]string{}
		}
		v.RulePath = r.Place()
		w.places[r] = v.RulePath
	}
	if r.Reason != nil {
		v.Reason = *r.Reason
	}
	return v
}

// reportedViolation is the error of a violation with a reason. A duplicate has no detail.
func reportedViolation(reason *string, bad any, message string) *field.Error {
	switch {
	case is(reason, string(ReasonDuplicate)):
		return field.Duplicate(nil, bad)
	case is(reason, string(ReasonForbidden)):
		return field.Forbidden(nil, message)
	case is(reason, string(ReasonRequired)):
		return field.Required(nil, message)
	}
	return field.Invalid(nil, bad, message)
}
