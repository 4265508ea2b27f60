// Package parity says what it means to agree with an API server: which cases
// are asked, in which form an answer is written down, and how two answers are
// compared.
//
// The oracle module asks the API server's own packages and records their
// answers as goldens; the tests of this module ask kubecel and compare. Both
// sides read the same corpus from here and differ only in the Implementation
// they bring.
//
// The module is nested, so that a program that imports kubecel does not download
// the corpus or its generator.
package parity

// Implementation answers the cases. Every method may be called from one
// goroutine at a time; a panic is caught and becomes part of the outcome.
type Implementation interface {
	// Expression compiles, estimates and evaluates one expression.
	Expression(c ExprCase) ExprOutcome
	// Schema compiles the rules of a structural schema and validates objects.
	Schema(c SchemaCase) SchemaOutcome
	// CRD checks a CustomResourceDefinition as on creation.
	CRD(c CRDCase) CRDOutcome
}

// ExprCase is one expression in a named environment.
type ExprCase struct {
	// Env is the environment; cases of one environment share the pointer, so
	// that an implementation can build it once.
	Env  *Environment
	Expr string
}

// ExprOutcome is what became of an expression.
type ExprOutcome struct {
	// CompileError is the full text, carets included; the rest is empty then.
	CompileError string `json:"ce,omitempty"`
	// Type is the checked output type.
	Type string `json:"t,omitempty"`
	// EstimateError is set when the cost could not be estimated.
	EstimateError string `json:"ee,omitempty"`
	// Estimate is the estimated cost, least and most.
	Estimate [2]uint64 `json:"est"`
	// ProgramError is set when the expression compiled but could not be planned.
	ProgramError string `json:"pe,omitempty"`
	// Result is the value in canonical form, empty if Error is set.
	Result string `json:"v,omitempty"`
	// Error is the text of the evaluation error.
	Error string `json:"e,omitempty"`
	// Cost is the runtime cost, also of a failed evaluation.
	Cost uint64 `json:"c"`
}

// SchemaCase is a structural schema with objects to validate.
type SchemaCase struct {
	Name string
	// Schema is the openAPIV3Schema as decoded JSON: maps, slices, strings,
	// bools, nil, int64 and float64.
	Schema map[string]any
	// Root is true for the schema of a whole resource, which gives it the
	// implicit type and object metadata.
	Root    bool
	Objects []Object
}

// Object is a value to validate, and its old version, nil on creation.
type Object struct {
	Name     string
	New, Old any
	// Budget is the cost budget; zero means the server's 10,000,000. A budget
	// of zero is written -1.
	Budget int64
}

// SchemaOutcome is what became of a schema and its objects.
type SchemaOutcome struct {
	// Error is set when the schema was refused as not structural.
	Error   string          `json:"error,omitempty"`
	Rules   []RuleOutcome   `json:"rules,omitempty"`
	Objects []ObjectOutcome `json:"objects,omitempty"`
}

// RuleOutcome is the compilation of one rule.
type RuleOutcome struct {
	// Path is the place of the schema node: ".spec.items[*].x", and "/allOf[i]"
	// where the rule stands under allOf; Index is the rule's place there.
	Path  string `json:"path"`
	Index int    `json:"index"`
	Error string `json:"error,omitempty"`
	// MaxCost is the upper estimate, Cardinality how often the rule may run.
	MaxCost     uint64 `json:"max"`
	Cardinality uint64 `json:"card"`
	UsesOldSelf bool   `json:"old,omitempty"`
	// The three of the message expression, empty if there is none.
	MessageError   string `json:"msgError,omitempty"`
	MessageMaxCost uint64 `json:"msgMax,omitempty"`
	FieldPath      string `json:"fieldPath,omitempty"`
}

// ObjectOutcome is the validation of one object.
type ObjectOutcome struct {
	Name     string       `json:"name"`
	Errors   []FieldError `json:"errors,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	// Remaining is the budget left, -1 when it ran out.
	Remaining int64  `json:"left"`
	Panic     string `json:"panic,omitempty"`
	// Others are further outcomes the reference showed for the same object:
	// it walks maps in random order.
	Others []ObjectOutcome `json:"others,omitempty"`
}

// FieldError is a field.Error in comparable form.
type FieldError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail,omitempty"`
	// Value is the JSON of the bad value, or "omitted".
	Value string `json:"value,omitempty"`
	// Class sorts the errors of CRD checks, and is empty elsewhere.
	Class string `json:"class,omitempty"`
}

// The classes of a CRD check's errors. Only those about rules are compared; an
// error without a class counts as one.
const (
	ClassCEL    = "cel"
	ClassSchema = "schema"
	ClassOther  = "other"
)

// CRDCase is a CustomResourceDefinition as decoded JSON.
type CRDCase struct {
	Name string
	CRD  map[string]any
}

// CRDOutcome is what the server says of a CRD on creation.
type CRDOutcome struct {
	// DecodeError is set when the document could not be decoded at all.
	DecodeError string       `json:"decodeError,omitempty"`
	Errors      []FieldError `json:"errors,omitempty"`
}
