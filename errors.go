package kubecel

import (
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/typesystem"
)

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

// documentCodes are the classes of the errors of reading a document.
var documentCodes = [...]struct {
	err  error
	code diag.Code
}{
	{crd.ErrNotCRD, diag.NotCRD},
	{crd.ErrSeveral, diag.NotCRD},
	{crd.ErrNoVersion, diag.VersionMissing},
	{crd.ErrNoSchema, diag.SchemaMissing},
	{crd.ErrNotStructural, diag.NotStructural},
}

func schemaError(err error) *InputError {
	e := &InputError{Code: diag.DocumentUnreadable, Detail: err.Error(), Cause: err}
	for _, known := range documentCodes {
		if errors.Is(err, known.err) {
			e.Code = known.code
		}
	}
	place, ok := errors.AsType[*typesystem.SchemaError](err)
	switch {
	case !ok || errors.Is(err, crd.ErrSyntax): // whose text names the place in the document
	case e.Code == diag.NotStructural:
		e.Path, e.Detail = place.Path, fmt.Sprintf("%v: %v", crd.ErrNotStructural, place.Err)
	default:
		e.Path, e.Detail = place.Path, place.Err.Error()
	}
	return e
}

// ErrNilContext is the error of an evaluation without a context.
var ErrNilContext = errors.New("context is nil")
