package kubecel

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Code names the class of a problem: the name of its constant without Code.
// Codes are stable; texts are not.
type Code string

// The codes of a SchemaError. A CRD also has CodeSchemaMissing and
// CodeNotStructural.
const (
	// CodeDocumentUnreadable is a document that is neither YAML nor JSON, or in
	// which a field has the wrong type.
	CodeDocumentUnreadable Code = "DocumentUnreadable"
	// CodeNotCRD is a document that is something else than one
	// CustomResourceDefinition of apiextensions.k8s.io/v1.
	CodeNotCRD Code = "NotCRD"
	// CodeVersionMissing is a version that the CRD does not have.
	CodeVersionMissing Code = "VersionMissing"
)

// The codes of the issues of a CompileError. One of a rule can have CodeNoType,
// too.
const (
	// CodeExpressionTooLarge is an expression over the size limit.
	CodeExpressionTooLarge Code = "ExpressionTooLarge"
	// CodeSyntaxError is an expression that is not CEL.
	CodeSyntaxError Code = "SyntaxError"
	// CodeUndeclaredReference is a name that the environment does not have.
	CodeUndeclaredReference Code = "UndeclaredReference"
	// CodeUndeclaredFunction is a function that the environment does not have.
	CodeUndeclaredFunction Code = "UndeclaredFunction"
	// CodeUndefinedField is a field that the object's schema does not have.
	CodeUndefinedField Code = "UndefinedField"
	// CodeNoMatchingOverload is a call with operands of unsuitable types.
	CodeNoMatchingOverload Code = "NoMatchingOverload"
	// CodeTypeMismatch is any other type error.
	CodeTypeMismatch Code = "TypeMismatch"
	// CodeInvalidLiteral is a literal that can never be valid: a duration, a
	// timestamp, a regular expression, or a list or map of mixed types.
	CodeInvalidLiteral Code = "InvalidLiteral"
	// CodeCompilerPanicked is an expression on which cel-go's compiler panics, as
	// that of an API server does.
	CodeCompilerPanicked Code = "CompilerPanicked"
	// CodePlanFailed is an expression that type-checks and cannot be prepared
	// for evaluation.
	CodePlanFailed Code = "PlanFailed"
)

// The codes of an EvalError and, but for CodeCancelled, of the violations of an
// object.
const (
	// CodeNoOverload is a call with values of types that it does not take, which
	// only dynamically typed data makes possible.
	CodeNoOverload Code = "NoOverload"
	// CodeEvaluationFailed is any other error of an expression: a missing key, an
	// index out of bounds, an overflow, a string that does not parse.
	CodeEvaluationFailed Code = "EvaluationFailed"
	// CodeCallLimitExceeded is an evaluation that cost more than one may.
	CodeCallLimitExceeded Code = "CallLimitExceeded"
	// CodeBudgetExhausted is an evaluation that the budget does not cover.
	CodeBudgetExhausted Code = "BudgetExhausted"
	// CodeCancelled is an evaluation whose context was done.
	CodeCancelled Code = "Cancelled"
	// CodeInternal is a function or a value that panicked.
	CodeInternal Code = "Internal"
)

// The codes that only violations have.
const (
	// CodeViolated is a rule that is false.
	CodeViolated Code = "Violated"
	// CodeNotCompiled is a rule that does not compile; no object satisfies it.
	CodeNotCompiled Code = "NotCompiled"
)

// The codes of the findings in a CRD.
const (
	// CodeSchemaMissing is a version without a schema.
	CodeSchemaMissing Code = "SchemaMissing"
	// CodeNotStructural is a schema that is not structural.
	CodeNotStructural Code = "NotStructural"
	// CodeSchemaInvalid is a schema that is structural and not allowed for
	// another reason.
	CodeSchemaInvalid Code = "SchemaInvalid"
	// CodeRuleMissing is a rule without an expression.
	CodeRuleMissing Code = "RuleMissing"
	// CodeRuleInvalid is a rule that does not compile.
	CodeRuleInvalid Code = "RuleInvalid"
	// CodeRuleNotBool is a rule that is not of type bool.
	CodeRuleNotBool Code = "RuleNotBool"
	// CodeMessageInvalid is an unusable message, or one that is missing although
	// the rule has line breaks.
	CodeMessageInvalid Code = "MessageInvalid"
	// CodeMessageExpressionInvalid is a messageExpression that does not compile.
	CodeMessageExpressionInvalid Code = "MessageExpressionInvalid"
	// CodeMessageExpressionNotString is a messageExpression that is not of type string.
	CodeMessageExpressionNotString Code = "MessageExpressionNotString"
	// CodeReasonInvalid is a reason that does not exist.
	CodeReasonInvalid Code = "ReasonInvalid"
	// CodeFieldPathInvalid is a fieldPath that is malformed or names no field.
	CodeFieldPathInvalid Code = "FieldPathInvalid"
	// CodeEstimateExceeded is an expression whose estimated cost is over its limit.
	CodeEstimateExceeded Code = "EstimateExceeded"
	// CodeSchemaEstimateExceeded is a schema whose expressions together are
	// estimated to cost more than the limit, and an expression with a large share
	// in that.
	CodeSchemaEstimateExceeded Code = "SchemaEstimateExceeded"
	// CodeOldSelfUncorrelatable is a use of oldSelf where no old value can be found.
	CodeOldSelfUncorrelatable Code = "OldSelfUncorrelatable"
	// CodeOldSelfUnused is a rule with optionalOldSelf that does not use oldSelf.
	CodeOldSelfUnused Code = "OldSelfUnused"
	// CodeNoType is a rule on a schema whose data expressions cannot see.
	CodeNoType Code = "NoType"
)

// Position is a place in an expression.
type Position struct {
	// Line counts from 1; 0 means that there is no place to name.
	Line int
	// Column counts code points from 1.
	Column int
}

// String returns line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// IsZero tells whether there is no place to name.
func (p Position) IsZero() bool { return p.Line == 0 }

// Issue is one reason why an expression does not compile.
type Issue struct {
	// Code is the class of the issue.
	Code Code
	// Position is where in the expression.
	Position Position
	// Message says what is wrong, in the words of an API server.
	Message string
	// Hint says what would help, if that is known.
	Hint string
}

// CompileError says why an expression does not compile.
type CompileError struct {
	// Expression is the source.
	Expression string
	// Issues are the reasons, ordered by place; there is at least one.
	Issues []Issue
	// Server is the text that an API server of Kubernetes 1.37 gives.
	Server string
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
	Code Code
	// Expression is the source.
	Expression string
	// Position is the part of the expression that failed, if that is known.
	Position Position
	// Server is the text that an API server gives.
	Server string
	// Cost is what the evaluation had cost when it failed, in cost units; zero
	// if it was that of a rule, of which a Report has the cost.
	Cost uint64
	// Cause is the underlying error: the context's, for one.
	Cause error
}

// Error returns the server's text with its place and snippet.
func (e *EvalError) Error() string {
	if e.Position.IsZero() {
		return e.Server
	}
	return fmt.Sprintf("%v: %s%s", e.Position, e.Server, Snippet(e.Expression, e.Position))
}

// Unwrap returns the cause.
func (e *EvalError) Unwrap() error { return e.Cause }

// SchemaError says why a document or a schema cannot be used.
type SchemaError struct {
	// Code is the class of the problem.
	Code Code
	// Path is the place in the schema, empty for the whole.
	Path string
	// Detail says what is wrong.
	Detail string
	// Cause is the underlying error, if there is one.
	Cause error
}

// Error returns the path and the detail.
func (e *SchemaError) Error() string {
	if e.Path == "" {
		return e.Detail
	}
	return e.Path + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *SchemaError) Unwrap() error { return e.Cause }

// documentCodes are the classes of the errors of reading a document.
var documentCodes = [...]struct {
	err  error
	code Code
}{
	{crd.ErrNotCRD, CodeNotCRD},
	{crd.ErrSeveral, CodeNotCRD},
	{crd.ErrNoVersion, CodeVersionMissing},
	{crd.ErrNoSchema, CodeSchemaMissing},
	{crd.ErrNotStructural, CodeNotStructural},
}

func schemaError(err error) *SchemaError {
	e := &SchemaError{Code: CodeDocumentUnreadable, Detail: err.Error(), Cause: err}
	for _, known := range documentCodes {
		if errors.Is(err, known.err) {
			e.Code = known.code
		}
	}
	place, ok := errors.AsType[*typesystem.SchemaError](err)
	switch {
	case !ok || errors.Is(err, crd.ErrSyntax): // whose text names the place in the document
	case e.Code == CodeNotStructural:
		e.Path, e.Detail = place.Path, fmt.Sprintf("%v: %v", crd.ErrNotStructural, place.Err)
	default:
		e.Path, e.Detail = place.Path, place.Err.Error()
	}
	return e
}

// ErrNilContext is the error of an evaluation without a context.
var ErrNilContext = errors.New("context is nil")

// maxSnippet is the longest line that a snippet shows, in bytes.
const maxSnippet = 16 << 10

// Snippet renders the line of a position with a caret under its column, each
// on a line of its own. It is empty if there is no such place, or the line is
// too long to be of use.
func Snippet(expression string, at Position) string {
	lines := strings.Split(expression, "\n")
	if at.Line < 1 || at.Line > len(lines) || len(lines[at.Line-1]) > maxSnippet {
		return ""
	}
	var line, caret strings.Builder
	column := 1
	for _, r := range strings.TrimSuffix(lines[at.Line-1], "\r") {
		if r != '\t' && unicode.IsControl(r) {
			r = utf8.RuneError // a terminal would obey it
		}
		line.WriteRune(r)
		if column++; column > at.Column {
			continue
		}
		if r == '\t' {
			caret.WriteByte('\t')
		} else {
			caret.WriteString("  "[:cells(r)])
		}
	}
	return "\n  | " + line.String() + "\n  | " + caret.String() + "^"
}

// cells is how wide a terminal shows a character, near enough.
func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		'\u3000' <= r && r <= '\u303e', '\uff01' <= r && r <= '\uff60', // their punctuation, and full-width forms
		'\U0001f300' <= r && r <= '\U0001faff': // emoji
		return 2
	}
	return 1
}
