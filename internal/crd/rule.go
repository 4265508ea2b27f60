package crd

import (
	"errors"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// rule is what comes of compiling one rule.
type rule struct {
	// expr is nil if the rule is empty or err is set.
	expr *Expression
	err  *ruleError
	// oldSelf tells whether the rule refers to oldSelf, even if err is set.
	oldSelf bool
	// message is nil if there is no messageExpression or messageErr is set.
	message    *Expression
	messageErr *ruleError
	// fieldPath is the normalized fieldPath.
	fieldPath string
}

// ruleError says why a rule or a messageExpression does not compile.
type ruleError struct {
	code   diag.Code
	stage  Stage
	detail string
	cause  error
}

// kind is the type of the error in an API server.
func (e *ruleError) kind() string {
	if e.stage == StageEstimate {
		return "InternalError"
	}
	return "RuleInvalid"
}

// What an API server puts before the errors of each stage.
var (
	ruleStages    = [...]string{StageCheck: "compilation failed: ", StagePlan: "program instantiation failed: ", StageEstimate: "cost estimation failed: "}
	messageStages = [...]string{StageCheck: "messageExpression compilation failed: ", StagePlan: "messageExpression instantiation failed: ", StageEstimate: "cost estimation failed for messageExpression: "}
)

// compileRule compiles a rule that stands at a node of a schema.
func compileRule(scope Scope, node *typesystem.OpenAPI, r *typesystem.Rule) (out rule) {
	if strings.TrimSpace(r.Rule) == "" {
		return out
	}
	optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
	expr, err := scope.Compile(r.Rule, optional)
	if expr != nil {
		out.oldSelf = expr.OldSelf
	}
	if expr != nil && expr.Type != cel.BoolType {
		out.oldSelf = false // it is looked for only in rules of the right type
		out.err = &ruleError{code: diag.RuleNotBool, detail: "cel expression must evaluate to a bool"}
		return out
	}
	if err != nil {
		out.err = compileError(diag.RuleInvalid, &ruleStages, err)
		return out
	}
	out.expr = expr
	if r.MessageExpression != "" {
		message, err := scope.Compile(r.MessageExpression, optional)
		// With an error here the field path is not looked at any more.
		if message != nil && message.Type != cel.StringType {
			out.messageErr = &ruleError{code: diag.MessageExpressionNotString, detail: "messageExpression must evaluate to a string"}
			return out
		}
		if err != nil {
			out.messageErr = compileError(diag.MessageExpressionInvalid, &messageStages, err)
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

func compileError(code diag.Code, stages *[3]string, err error) *ruleError {
	stage := StageCheck
	if e, ok := errors.AsType[*CompileError](err); ok {
		stage = e.Stage
	}
	return &ruleError{code: code, stage: stage, detail: stages[stage] + err.Error(), cause: err}
}
