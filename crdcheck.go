package kubecel

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
)

// Finding is one thing that an API server rejects in a CRD.
type Finding struct {
	// Code is the class of the finding.
	Code Code
	// Path is the place in the CRD, such as
	// spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule.
	// If all versions have the same schema, an API server names it
	// spec.validation.openAPIV3Schema.
	Path string
	// Message is what an API server says.
	Message string
	// Rule is the expression, empty if the finding is not about a rule.
	Rule string
	// Err is the *CompileError of an expression that does not compile, and nil
	// for any other finding.
	Err error

	source *field.Error
}

// FieldError returns the finding exactly as an API server reports it.
func (f Finding) FieldError() *field.Error {
	if f.source == nil { // made by a caller
		return &field.Error{Type: field.ErrorTypeInvalid, Field: f.Path, BadValue: f.Rule, Detail: f.Message}
	}
	return f.source
}

// Error returns the path and the message.
func (f Finding) Error() string { return f.Path + ": " + f.Message }

// Unwrap returns Err.
func (f Finding) Unwrap() error { return f.Err }

// CRDOption configures what is done with a CRD. A nil option does nothing.
type CRDOption interface{ applyCRD(*crdConfig) }

type crdConfig struct{ server serverConfig }

func newCRDConfig(opts []CRDOption) (c crdConfig) {
	for _, opt := range opts {
		if opt != nil {
			opt.applyCRD(&c)
		}
	}
	return c
}

// CheckCRD says what an API server of Kubernetes 1.37, or of another release
// with [ForRelease], says of the schemas and
// rules of a CustomResourceDefinition when it is created, in YAML or JSON. No
// findings mean that it accepts them. Estimates are judged by the limits
// cost.EstimateLimit and cost.SchemaEstimateLimit.
//
// Not checked are the default values in schemas, and whatever is outside of
// schemas: names, scope, conversion, printer columns, selectable fields.
//
// The error is a *SchemaError if the document is not one CRD.
func CheckCRD(document []byte, opts ...CRDOption) ([]Finding, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, schemaError(err)
	}
	env, err := newCRDConfig(opts).server.written()
	if err != nil {
		return nil, err
	}
	return findings(crd.Check(definition, environment.Rules(env))), nil
}

func findings(found []crd.Finding) []Finding {
	findings := make([]Finding, len(found))
	for i, f := range found {
		findings[i] = Finding{Code: Code(f.Code), Path: f.Error.Field, Message: f.Error.ErrorBody(), source: f.Error}
		if f.Rule == nil {
			continue
		}
		findings[i].Rule = f.Rule.Rule
		if f.Cause != nil {
			expression := f.Rule.Rule
			if f.Code == crd.CodeMessageExpressionInvalid {
				expression = f.Rule.MessageExpression
			}
			findings[i].Err = compileError(expression, f.Error.Detail, f.Cause)
		}
	}
	return findings
}
