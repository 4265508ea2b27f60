// Package diag holds what can be wrong with a document, an expression, an
// evaluation, a CRD or an object. Package kubecel returns these types under the
// same names, so most callers import this package only for the codes.
//
// There are three errors, one for each phase:
//
//   - An [InputError] says why something that the caller gave cannot be used.
//   - A [CompileError] says why an expression does not compile.
//   - An [EvalError] says why an evaluation gave no value.
//
// A [Finding] is what an API server rejects in a CRD. A [Violation] is what it
// rejects in an object.
package diag

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Position is a place in an expression. The zero value is no place.
type Position struct {
	// Line counts from 1. It is 0 if no place is known.
	Line int `json:"line"`
	// Column counts code points from 1.
	Column int `json:"column"`
}

// String returns line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// IsZero tells whether no place is known.
func (p Position) IsZero() bool { return p.Line == 0 }

// PositionAt returns the place of an offset in a source, both counted in code
// points. An offset outside of the source gives the nearest end.
func PositionAt(source []rune, offset int) Position {
	return Position{Line: 1, Column: 1}.After(source[:min(max(offset, 0), len(source))])
}

// After returns the place behind a text that begins at p.
func (p Position) After(text []rune) Position {
	for _, r := range text {
		p.Column++
		if r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
	}
	return p
}

// Issue is one reason why an expression does not compile.
type Issue struct {
	// Code is the class of the issue.
	Code Code `json:"code"`
	// Position is the place in the expression.
	Position Position `json:"position"`
	// Message says what is wrong, in the words of an API server. It names the types of
	// schemas by where they stand, such as self.spec.items[*].
	Message string `json:"message"`
	// Hint says what would help. It is empty if nothing is known to help.
	Hint string `json:"hint,omitempty"`
	// Place is the place in the document that the expression is read from. It is
	// zero if that is not known, and outside of a [Finding].
	Place Place `json:"place,omitzero"`
}

// Stage is a stage of compilation. Each has its own words in the errors of an
// API server.
type Stage string

// The stages, in their order.
const (
	// StageCheck is parsing and type checking.
	StageCheck Stage = "check"
	// StagePlan is preparing the evaluation.
	StagePlan Stage = "plan"
)

// CompileError says why an expression does not compile.
type CompileError struct {
	// Expression is the source.
	Expression string `json:"expression"`
	// Stage is the stage that failed.
	Stage Stage `json:"stage"`
	// Issues are the reasons, at least one, ordered by position.
	Issues []Issue `json:"issues"`
	// Server is the text that an API server gives.
	Server string `json:"server"`
}

// maxShown is how many issues the text of a CompileError shows.
const maxShown = 20

// Error returns the first issues with their places, hints and snippets.
func (e *CompileError) Error() string {
	var b strings.Builder
	b.WriteString("expression does not compile")
	for i, issue := range e.Issues {
		if i == maxShown {
			fmt.Fprintf(&b, "\nand %d more", len(e.Issues)-maxShown)
			break
		}
		b.WriteString("\n")
		if !issue.Position.IsZero() {
			fmt.Fprintf(&b, "%v: ", issue.Position)
		}
		fmt.Fprintf(&b, "%s", issue.Message)
		if issue.Hint != "" {
			fmt.Fprintf(&b, " (%s)", issue.Hint)
		}
		b.WriteString(Snippet(e.Expression, issue.Position))
	}
	return b.String()
}

// EvalError says why the evaluation of an expression gave no value.
type EvalError struct {
	// Code is the class of the failure.
	Code Code `json:"code"`
	// Expression is the source.
	Expression string `json:"expression"`
	// Position is the part of the expression that failed. It is zero if that is
	// not known.
	Position Position `json:"position"`
	// Server is the text that an API server gives.
	Server string `json:"server"`
	// Cost is what the evaluation had cost when it failed, in cost units. It is zero
	// for a rule of a CRD: the cost of a validation includes it.
	Cost uint64 `json:"cost"`
	// Cause is the underlying error, for example that of the context.
	Cause error `json:"-"`
}

// Error returns the server's text with its position and a snippet.
func (e *EvalError) Error() string {
	if e.Position.IsZero() {
		return e.Server
	}
	return fmt.Sprintf("%v: %s%s", e.Position, e.Server, Snippet(e.Expression, e.Position))
}

// Unwrap returns the cause.
func (e *EvalError) Unwrap() error { return e.Cause }

// InputError says why something that the caller gave cannot be used: a document,
// a schema, an option or an argument.
type InputError struct {
	// Code is the class of the problem.
	Code Code `json:"code"`
	// Path is the place in the schema. It is empty for the whole.
	Path string `json:"path,omitempty"`
	// Place is where the document begins that is wrong. It is zero if that is not
	// known, or nothing was read.
	Place Place `json:"place,omitzero"`
	// Detail says what is wrong.
	Detail string `json:"detail"`
	// Cause is the underlying error, nil if there is none.
	Cause error `json:"-"`
}

// Error returns the path and the detail.
func (e *InputError) Error() string {
	if e.Path == "" {
		return e.Detail
	}
	return e.Path + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Cause }

// Finding is one thing that an API server rejects in a CRD.
type Finding struct {
	// Code is the class of the finding.
	Code Code `json:"code"`
	// Path is the place in the CRD, such as
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule.
	// If all versions have the same schema, the path begins with
	// spec.validation.openAPIV3Schema, as in an API server.
	Path string `json:"path"`
	// Segments are the steps to the place in the document. If all versions have the
	// same schema, they lead to that of the first. In a List they begin with items.
	Segments Segments `json:"segments"`
	// Place is the place in the document: that of the value, or of the nearest one
	// above it if it is missing. For an expression that does not compile it is the
	// place in the expression. It is zero if it is not known.
	Place Place `json:"place,omitzero"`
	// Later tells that a server does not say it yet: it says it once other findings are
	// mended. Only AllFindings of package kubecel brings such findings.
	Later bool `json:"later,omitempty"`
	// Message is what an API server says.
	Message string `json:"message"`
	// Rule is the expression, empty if the finding is not about a rule.
	Rule string `json:"rule,omitempty"`
	// Err is the *CompileError of an expression that does not compile. It is nil
	// for any other finding.
	Err error `json:"-"`
	// Server is the finding exactly as an API server reports it.
	Server *field.Error `json:"-"`
}

// Error returns the path and the message.
func (f Finding) Error() string { return f.Path + ": " + f.Message }

// Unwrap returns Err.
func (f Finding) Unwrap() error { return f.Err }

// Violation is one thing that an API server rejects in an object.
type Violation struct {
	// Code is the class of the violation.
	Code Code `json:"code"`
	// Path is the place in the object, such as spec.rules[0].matches. It is empty
	// for the object itself.
	Path string `json:"path"`
	// Message is what an API server says.
	Message string `json:"message"`
	// Reason is the reason of the rule, FieldValueInvalid if it has none.
	Reason string `json:"reason"`
	// Value is the value that the rule is about.
	Value any `json:"-"`
	// Rule is the expression. It is empty if the violation is not about one rule.
	Rule string `json:"rule,omitempty"`
	// RulePath is the place of the rule in the schema, such as
	// properties[spec].x-kubernetes-validations[0].
	RulePath string `json:"rulePath,omitempty"`
	// Err is the *EvalError or *CompileError because of which the rule has no
	// value. It is nil if the rule was false.
	Err error `json:"-"`
	// Server is the violation exactly as an API server reports it: error type,
	// field, value and detail. The field of the object itself is "<nil>".
	Server *field.Error `json:"-"`
}

// Error returns the path and the message.
func (v Violation) Error() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// Unwrap returns Err.
func (v Violation) Unwrap() error { return v.Err }
