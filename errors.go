package kubecel

import "github.com/kubecel/kubecel/diag"

// There are three errors, one for each phase. This package returns no others.
type (
	// InputError says why something that the caller gave cannot be used: a
	// document, a schema, an option or an argument.
	InputError = diag.InputError
	// CompileError says why an expression does not compile, issue by issue.
	CompileError = diag.CompileError
	// EvalError says why an evaluation gave no value.
	EvalError = diag.EvalError
)

type (
	// Finding is one thing that an API server rejects in a CRD.
	Finding = diag.Finding
	// Violation is one thing that an API server rejects in an object.
	Violation = diag.Violation
)
