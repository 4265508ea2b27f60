package crd

import (
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// compiledRule is what comes of compiling one rule.
type compiledRule struct {
	// expr is nil if the rule is empty or err is set.
	expr *compile.Expression
	err  *ruleError
	// oldSelf tells whether the rule refers to oldSelf, even if err is set.
	oldSelf bool
	// message is nil if there is no messageExpression or messageErr is set.
	message    *compile.Expression
	messageErr *ruleError
	// fieldPath is the normalized fieldPath.
	fieldPath string
}

// ruleError says why a rule or a messageExpression does not compile, with the
// code of the finding in a CRD.
type ruleError struct {
	*diag.CompileError
	code diag.Code
}

// public is the error that callers get, nil if there is none.
func (e *ruleError) public() *diag.CompileError {
	if e == nil {
		return nil
	}
	return e.CompileError
}

// wrongType is the error of an expression that compiles to another type than the
// rule needs.
func wrongType(code diag.Code, expr, text string) *ruleError {
	return &ruleError{
		&diag.CompileError{Expression: expr, Stage: diag.StageCheck, Issues: []diag.Issue{{Code: diag.TypeMismatch, Message: text}}, Server: text},
		code,
	}
}

// compileRule compiles a rule that stands at a node of a schema.
func compileRule(scope *compile.RuleScope, node *typesystem.OpenAPI, r *typesystem.Rule) (out compiledRule) {
	if strings.TrimSpace(r.Expr) == "" {
		return out
	}
	optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
	expr, err := scope.Compile(r.Expr, optional)
	if expr != nil && expr.Type() != cel.BoolType {
		// oldSelf is looked for only in rules of the right type.
		out.err = wrongType(diag.RuleNotBool, r.Expr, "cel expression must evaluate to a bool")
		return out
	}
	out.oldSelf = expr != nil && expr.RefersTo(compile.OldSelf)
	if err != nil {
		out.err = &ruleError{compile.RuleWords.Put(err), diag.RuleInvalid}
		return out
	}
	out.expr = expr
	if r.MessageExpression != "" {
		message, err := scope.Compile(r.MessageExpression, optional)
		// With an error here the field path is not looked at any more.
		if message != nil && message.Type() != cel.StringType {
			out.messageErr = wrongType(diag.MessageExpressionNotString, r.MessageExpression, "messageExpression must evaluate to a string")
			return out
		}
		if err != nil {
			out.messageErr = &ruleError{compile.MessageWords.Put(err), diag.MessageExpressionInvalid}
			return out
		}
		out.message = message
	}
	if r.FieldPath != "" {
		if path, err := fieldPath(r.FieldPath, node); err == nil {
			out.fieldPath = path.String()
		}
	}
	return out
}
