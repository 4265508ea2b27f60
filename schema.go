package kubecel

import (
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Schema is an OpenAPI schema. It types variables, see [SchemaVariable], and may have
// rules, see [Schema.Compile]. It is read-only and safe for concurrent use. The zero
// value is empty: its methods return errors.
type Schema struct {
	document *typesystem.OpenAPI
	compiled *typesystem.Schema
	resource bool
}

func (s *Schema) isZero() bool { return s == nil || s.compiled == nil }

// ParseSchema reads a schema of any data, in YAML or JSON, with the keywords of
// CRDs. The error is an *InputError.
func ParseSchema(document []byte) (*Schema, error) { return parseSchema(document, false) }

// ParseResourceSchema reads the schema of a resource, in YAML or JSON: what stands
// below openAPIV3Schema in a CRD. Expressions also see apiVersion, kind,
// metadata.name and metadata.generateName, as in an API server. The error is an
// *InputError.
func ParseResourceSchema(document []byte) (*Schema, error) { return parseSchema(document, true) }

func parseSchema(document []byte, resource bool) (*Schema, error) {
	parsed, err := typesystem.ParseOpenAPI(document)
	if err != nil {
		return nil, err
	}
	return newSchema(parsed, resource)
}

func newSchema(document *typesystem.OpenAPI, resource bool) (*Schema, error) {
	compiled, err := typesystem.Compile(document, resource)
	if err != nil {
		return nil, err
	}
	return &Schema{document: document, compiled: compiled, resource: resource}, nil
}

// Compile compiles the rules of the schema, as [CRD.Compile] does.
func (s *Schema) Compile(opts ...CRDOption) (*RuleSet, error) {
	if s.isZero() {
		return nil, argumentError("the schema is empty: ParseSchema reads one")
	}
	return compileRules(s.document, s.resource, opts)
}
