package crd

import (
	"errors"

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

// Violation is one thing that is wrong with an object.
type Violation struct {
	// Code tells what kind of violation it is.
	Code diag.Code
	// Path is the path in the object, nil at its root.
	Path *field.Path
	// Message is what an API server says.
	Message string
	// Value is the value that the rule was about.
	Value any
	// Rule is the rule, nil if the budget was used up before the first rule of a
	// place or the rules there could not be compiled.
	Rule *Rule
	// Err is the error of compilation or evaluation, nil if the rule was false.
	Err error
	// Line and Column are the place in the rule at which its evaluation failed,
	// both from 1, and 0 if there is none to name.
	Line, Column int

	kind field.ErrorType
	// bad is the value that an API server reports, which for most violations
	// that are not plain is the type of the value.
	bad any
}

// FieldError is the error as an API server reports it. Its field at the root of
// an object is "<nil>", and a duplicate has no detail.
func (v *Violation) FieldError() *field.Error {
	switch v.kind {
	case field.ErrorTypeRequired:
		return field.Required(v.Path, v.Message)
	case field.ErrorTypeForbidden:
		return field.Forbidden(v.Path, v.Message)
	case field.ErrorTypeDuplicate:
		return field.Duplicate(v.Path, v.bad)
	case field.ErrorTypeInternal:
		return field.InternalError(v.Path, errors.New(v.Message))
	}
	return field.Invalid(v.Path, v.bad, v.Message)
}

// Result is the outcome of validating an object.
type Result struct {
	// Errors are the violations, in the order of the object's sorted fields.
	Errors []Violation
	// Warnings are the violations that do not count because nothing changed where they are.
	Warnings []Violation
	// Spent is what the evaluations cost, in cost units.
	Spent uint64
	// Exhausted tells whether rules were left out because the budget was used
	// up, or because an expression cost more than one evaluation may.
	Exhausted bool
}

// FieldErrors are the errors as an API server reports them.
func (r *Result) FieldErrors() field.ErrorList {
	var list field.ErrorList
	for i := range r.Errors {
		list = append(list, r.Errors[i].FieldError())
	}
	return list
}
