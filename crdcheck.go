package kubecel

import (
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
)

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
// The error is a *InputError if the document is not one CRD.
func CheckCRD(document []byte, opts ...CRDOption) ([]Finding, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, err
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
		findings[i] = Finding{Code: f.Code, Path: f.Error.Field, Message: f.Error.ErrorBody(), Server: f.Error}
		if f.Rule == nil {
			continue
		}
		findings[i].Rule = f.Rule.Rule
		if f.Cause != nil {
			expression := f.Rule.Rule
			if f.Code == diag.MessageExpressionInvalid {
				expression = f.Rule.MessageExpression
			}
			findings[i].Err = compileError(expression, f.Error.Detail, f.Cause)
		}
	}
	return findings
}
