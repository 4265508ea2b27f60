package diag

// Code names the class of a problem: the name of its constant. Codes are stable;
// texts are not.
type Code string

// The codes of an InputError. SchemaMissing, NotStructural and FieldPathInvalid, below,
// occur too.
const (
	// ArgumentInvalid is an argument that no call can use: a nil context or object,
	// an empty environment, expression or set of rules.
	ArgumentInvalid Code = "ArgumentInvalid"
	// DataInvalid is an object that is no data: a value of a Go type without a form in
	// JSON, a number that is not finite, keys that are no strings, a map that holds itself.
	DataInvalid Code = "DataInvalid"
	// ConversionFailed is a result that the target cannot hold.
	ConversionFailed Code = "ConversionFailed"
	// OptionInvalid is an option that is not valid, or one that contradicts
	// another.
	OptionInvalid Code = "OptionInvalid"
	// ReleaseUnknown is a release that package release does not list.
	ReleaseUnknown Code = "ReleaseUnknown"
	// DocumentUnreadable is a document that is neither YAML nor JSON, or has a
	// field of the wrong type.
	DocumentUnreadable Code = "DocumentUnreadable"
	// NotCRD is a document that is not exactly one CustomResourceDefinition of
	// apiextensions.k8s.io/v1.
	NotCRD Code = "NotCRD"
	// NotAssignable is an expression whose type does not fit the schema of a field.
	NotAssignable Code = "NotAssignable"
	// VersionMissing is a version that the CRD does not have.
	VersionMissing Code = "VersionMissing"
	// NotPolicy is a document that is not an admission policy or a binding of a version
	// that is known, or not of the kind that was asked for.
	NotPolicy Code = "NotPolicy"
)

// The codes of the issues of a CompileError. NoType, below, occurs for a rule
// too.
const (
	// ExpressionTooLarge is an expression over the size limit.
	ExpressionTooLarge Code = "ExpressionTooLarge"
	// SyntaxError is an expression that is not CEL.
	SyntaxError Code = "SyntaxError"
	// UndeclaredReference is a name that the environment does not have.
	UndeclaredReference Code = "UndeclaredReference"
	// UndeclaredFunction is a function that the environment does not have.
	UndeclaredFunction Code = "UndeclaredFunction"
	// UndefinedField is a field that the schema of the object does not have.
	UndefinedField Code = "UndefinedField"
	// NoMatchingOverload is a call with operands of unsuitable types.
	NoMatchingOverload Code = "NoMatchingOverload"
	// TypeMismatch is any other type error.
	TypeMismatch Code = "TypeMismatch"
	// InvalidLiteral is a literal that can never be valid: a duration, a
	// timestamp, a regular expression, or a list or map of mixed types.
	InvalidLiteral Code = "InvalidLiteral"
	// CompilerPanicked is an expression that makes cel-go's compiler panic. It
	// does so in an API server too.
	CompilerPanicked Code = "CompilerPanicked"
	// PlanFailed is an expression that type-checks but cannot be prepared for
	// evaluation.
	PlanFailed Code = "PlanFailed"
	// ResultType is an expression of a policy whose result has the wrong type.
	ResultType Code = "ResultType"
)

// The codes of an EvalError. A violation can have them too, except Cancelled.
const (
	// NoOverload is a call with values of types that the function does not
	// take. Only dynamically typed data makes it possible.
	NoOverload Code = "NoOverload"
	// EvaluationFailed is any other error of an expression: a missing key, an
	// index out of bounds, an overflow, a string that does not parse.
	EvaluationFailed Code = "EvaluationFailed"
	// CallLimitExceeded is an evaluation that reached the cost limit of one
	// evaluation.
	CallLimitExceeded Code = "CallLimitExceeded"
	// BudgetExhausted is an evaluation that the budget does not cover.
	BudgetExhausted Code = "BudgetExhausted"
	// Cancelled is an evaluation whose context was done.
	Cancelled Code = "Cancelled"
	// Internal is a panic of a function or a value.
	Internal Code = "Internal"
)

// The codes that only a violation has.
const (
	// Violated is a rule that is false.
	Violated Code = "Violated"
	// NotCompiled is a rule that does not compile. No object satisfies it.
	NotCompiled Code = "NotCompiled"
)

// The codes of the findings in an admission policy or a binding.
const (
	// PolicyInvalid is a field that is missing, has a value that is not allowed, or is
	// not known.
	PolicyInvalid Code = "PolicyInvalid"
	// ExpressionInvalid is an expression that does not compile. Its CompileError says
	// why.
	ExpressionInvalid Code = "ExpressionInvalid"
	// VariableDuplicate is a variable with the name of another.
	VariableDuplicate Code = "VariableDuplicate"
)

// The codes of the findings in a CRD.
const (
	// SchemaMissing is a version without a schema.
	SchemaMissing Code = "SchemaMissing"
	// NotStructural is a schema that is not structural.
	NotStructural Code = "NotStructural"
	// SchemaInvalid is a structural schema that is not allowed for another
	// reason.
	SchemaInvalid Code = "SchemaInvalid"
	// RuleMissing is a rule without an expression.
	RuleMissing Code = "RuleMissing"
	// RuleInvalid is a rule that does not compile.
	RuleInvalid Code = "RuleInvalid"
	// RuleNotBool is a rule that is not of type bool.
	RuleNotBool Code = "RuleNotBool"
	// MessageInvalid is a message that cannot be used, or a missing message of
	// a rule with line breaks.
	MessageInvalid Code = "MessageInvalid"
	// MessageExpressionInvalid is a messageExpression that does not compile.
	MessageExpressionInvalid Code = "MessageExpressionInvalid"
	// MessageExpressionNotString is a messageExpression that is not of type string.
	MessageExpressionNotString Code = "MessageExpressionNotString"
	// ReasonInvalid is a reason that Kubernetes does not know.
	ReasonInvalid Code = "ReasonInvalid"
	// FieldPathInvalid is a fieldPath or another path that is malformed or names no field.
	FieldPathInvalid Code = "FieldPathInvalid"
	// EstimateExceeded is an expression whose estimated cost is over its limit.
	EstimateExceeded Code = "EstimateExceeded"
	// SchemaEstimateExceeded is a schema whose expressions are together
	// estimated over the limit. Each expression with a large share has it too.
	SchemaEstimateExceeded Code = "SchemaEstimateExceeded"
	// OldSelfUncorrelatable is a use of oldSelf below a list or map whose
	// elements cannot be matched with their old values.
	OldSelfUncorrelatable Code = "OldSelfUncorrelatable"
	// OldSelfUnused is a rule with optionalOldSelf that does not use oldSelf.
	OldSelfUnused Code = "OldSelfUnused"
	// NoType is a rule on a schema whose data expressions cannot see.
	NoType Code = "NoType"
)
