package kubecel

import "github.com/kubecel/kubecel/internal/typesystem"

// OpenAPI holds the schemas of an OpenAPI v3 document, as a cluster publishes one for
// each group and version: kubectl get --raw /openapi/v3/apis/apps/v1. The schemas are
// those of built-in kinds and of custom resources; they refer to each other.
//
// As in the type check of policies in an API server, a schema that refers to itself is an
// object of unknown fields there. OpenAPI is read-only and safe for concurrent use. The
// zero value is empty: its methods return errors.
type OpenAPI struct {
	components *typesystem.Components
}

// ParseOpenAPI reads an OpenAPI v3 document, in JSON or YAML. The error is an
// *InputError. So are the errors of all methods of OpenAPI.
func ParseOpenAPI(document []byte) (*OpenAPI, error) {
	components, err := typesystem.ParseComponents(document)
	if err != nil {
		return nil, err
	}
	return &OpenAPI{components}, nil
}

func (o *OpenAPI) isZero() bool { return o == nil || o.components == nil }

func errZeroOpenAPI() error {
	return argumentError("the OpenAPI document is empty: ParseOpenAPI reads one")
}

// Kind returns the schema of the resources of a kind, such as Deployment of apps/v1. The
// API version of the core group is v1.
func (o *OpenAPI) Kind(apiVersion, kind string) (*Schema, error) {
	if o.isZero() {
		return nil, errZeroOpenAPI()
	}
	document, err := o.components.Kind(typesystem.Kind{APIVersion: apiVersion, Name: kind})
	if err != nil {
		return nil, err
	}
	return newSchema(document, true)
}

// Schema returns the schema of a component, by its name or by a $ref to it.
func (o *OpenAPI) Schema(name string) (*Schema, error) {
	if o.isZero() {
		return nil, errZeroOpenAPI()
	}
	document, err := o.components.Schema(name)
	if err != nil {
		return nil, err
	}
	return newSchema(document, false)
}
