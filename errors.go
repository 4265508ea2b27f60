package kubecel

import "github.com/kubecel/kubecel/diag"

// Three errors, one for each phase, and no others come back from this package.
type (
	// InputError says what cannot be used of what a caller has given: a document, a
	// schema, an option, an argument.
	InputError = diag.InputError
	// CompileError says why an expression does not compile, issue by issue.
	CompileError = diag.CompileError
	// EvalError says why the evaluation of an expression gave no value.
	EvalError = diag.EvalError
)

type (
	// Finding is one thing that an API server rejects in a CRD.
	Finding = diag.Finding
	// Violation is one thing that is wrong with an object.
	Violation = diag.Violation
)
