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
	// Expr and Message are nil if there is none or it does not compile; Err and
	// MessageErr say why it does not.
	Expr, Message   *compile.Expression
	Err, MessageErr *diag.CompileError
	// code and messageCode are the codes of the findings about these errors.
	code, messageCode diag.Code
	// oldSelf tells whether the rule refers to oldSelf, even if Err is set.
	oldSelf bool
	// fieldPath is the normalized fieldPath.
	fieldPath string
}

// checkError is the error of an expression that does not suit its schema.
func checkError(code diag.Code, expr, text string) *diag.CompileError {
	return &diag.CompileError{Expression: expr, Stage: diag.StageCheck, Issues: []diag.Issue{{Code: code, Message: text}}, Server: text}
}

// compileRule compiles a rule that stands at a node of a schema, and its messageExpression. That of a
// rule that does not compile is compiled only if all is asked for.
func compileRule(rule, message *compile.RuleScope, node *typesystem.OpenAPI, r *typesystem.Rule, all bool) (out compiledRule) {
	if strings.TrimSpace(r.Expr) == "" {
		return out
	}
	expr, err := rule.Compile(r.Expr, is(r.OptionalOldSelf, true))
	switch {
	case expr != nil && expr.Type() != cel.BoolType:
		// oldSelf is looked for only in rules of the right type.
		out.code, out.Err = diag.RuleNotBool, checkError(diag.TypeMismatch, r.Expr, "cel expression must evaluate to a bool")
	case err != nil:
		out.oldSelf = expr != nil && expr.RefersTo(compile.OldSelf)
		out.code, out.Err = diag.RuleInvalid, compile.RuleWords.Put(err)
	default:
		out.Expr, out.oldSelf = expr, expr.RefersTo(compile.OldSelf)
	}
	if out.Err == nil || all {
		out.compileMessage(message, r)
	}
	// With an error the field path is not looked at any more.
	if r.FieldPath != "" && out.Err == nil && out.MessageErr == nil {
		if path, err := FieldPath(r.FieldPath, node); err == nil {
			out.fieldPath = path.String()
		}
	}
	return out
}

// compileMessage compiles the messageExpression, if there is one.
func (c *compiledRule) compileMessage(scope *compile.RuleScope, r *typesystem.Rule) {
	if r.MessageExpression == "" {
		return
	}
	message, err := scope.Compile(r.MessageExpression, is(r.OptionalOldSelf, true))
	switch {
	case message != nil && message.Type() != cel.StringType:
		c.messageCode = diag.MessageExpressionNotString
		c.MessageErr = checkError(diag.TypeMismatch, r.MessageExpression, "messageExpression must evaluate to a string")
	case err != nil:
		c.messageCode, c.MessageErr = diag.MessageExpressionInvalid, compile.MessageWords.Put(err)
	default:
		c.Message = message
	}
}
