package crd

// Code tells what kind of finding or violation one is. The values are stable.
type Code string

// The codes of findings in a CRD.
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
	// estimated to cost more than the limit, and an expression with a large share in that.
	CodeSchemaEstimateExceeded Code = "SchemaEstimateExceeded"
	// CodeOldSelfUncorrelatable is a use of oldSelf where no old value can be found.
	CodeOldSelfUncorrelatable Code = "OldSelfUncorrelatable"
	// CodeOldSelfUnused is a rule with optionalOldSelf that does not use oldSelf.
	CodeOldSelfUnused Code = "OldSelfUnused"
	// CodeNoType is a rule on a schema that has no type in CEL.
	CodeNoType Code = "NoType"
)

// The codes of violations by an object.
const (
	// CodeViolated is a rule that is false.
	CodeViolated Code = "Violated"
	// CodeNoOverload is a rule that called a function with values of types that
	// it does not take, which only dynamically typed fields make possible.
	CodeNoOverload Code = "NoOverload"
	// CodeEvaluationFailed is a rule whose evaluation ended in another error.
	CodeEvaluationFailed Code = "EvaluationFailed"
	// CodeCallLimitExceeded is an expression that cost more than one evaluation
	// may. Validation ends there.
	CodeCallLimitExceeded Code = "CallLimitExceeded"
	// CodeBudgetExhausted is a budget that does not suffice for all rules.
	// Validation ends there.
	CodeBudgetExhausted Code = "BudgetExhausted"
	// CodeNotCompiled is a rule that does not compile.
	CodeNotCompiled Code = "NotCompiled"
)
