// Package typesystem gives CEL the types and values that OpenAPI schemas describe.
//
// Compile turns a schema document into a Schema, once. Everything else reads it: a Provider
// declares its types to the CEL checker, Value wraps unstructured data without copying it, and
// SizeOf bounds sizes for cost estimates.
package typesystem

import (
	"iter"
	"strings"

	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/escaping"
)

// Schema is a compiled structural schema. It is read-only and safe for concurrent use.
type Schema struct {
	// Type is object, array, string, number, integer, boolean or empty.
	Type string
	// Format is the format of a string.
	Format string
	// Nullable says that null is a value.
	Nullable bool
	// IntOrString says x-kubernetes-int-or-string.
	IntOrString bool
	// PreserveUnknownFields says x-kubernetes-preserve-unknown-fields.
	PreserveUnknownFields bool
	// EmbeddedResource says x-kubernetes-embedded-resource.
	EmbeddedResource bool
	// ListType is atomic, set, map or empty.
	ListType string
	// MapType is granular, atomic or empty.
	MapType string
	// ListMapKeys are the property names that key the elements of a list of type map.
	ListMapKeys []string
	// Items is the schema of an array's elements, nil if there is none.
	Items *Schema
	// AdditionalProperties is the schema of a map's values, nil if there is none.
	AdditionalProperties *Schema
}

// Property is one property of an object.
type Property struct {
	// Name is the name as the schema writes it.
	Name string
	// Ident is the escaped name, which expressions use; empty if the name cannot be escaped.
	Ident string
	// Schema is the schema of the property's value.
	Schema *Schema
}

// Property returns the schema of a property by its name as the schema writes it.
func (s *Schema) Property(name string) (*Schema, bool) { return nil, false }

// Properties are the properties in the order of their names.
func (s *Schema) Properties() iter.Seq[Property] { return func(func(Property) bool) {} }

// WithObjectMeta is the schema as that of a resource's root: kind, apiVersion, metadata.name and
// metadata.generateName are there even if the document leaves them out. It is s itself if they
// are all there.
func (s *Schema) WithObjectMeta() *Schema { return s }

// Exposed says whether expressions can see values of the schema.
func (s *Schema) Exposed() bool { return false }

// Field returns the schema of a field as expressions see it: by its escaped name, only if it is
// exposed, with the implicit fields of a resource.
func (s *Schema) Field(ident string) (*Schema, bool) {
	name, ok := escaping.Unescape(ident)
	if !ok {
		return nil, false
	}
	return s.Property(strings.Clone(name))
}

// Value wraps unstructured data as a CEL value.
func (s *Schema) Value(data any) ref.Val { return nil }

// SizeOf bounds the size of what lies at a path below the schema, in the unit of CEL's size().
func (s *Schema) SizeOf(path []string) (cost.Range, bool) { return cost.Range{}, false }

// MaxCardinality is how many values of the schema fit into one request.
func (s *Schema) MaxCardinality() uint64 { return 0 }

// Compile compiles a schema document. With root, the schema is that of a resource: kind, apiVersion
// and metadata are accessible even if the document leaves them out.
func Compile(doc *OpenAPI, root bool) (*Schema, error) { return nil, nil }

// ParseOpenAPI decodes a schema document from JSON or YAML.
func ParseOpenAPI(data []byte) (*OpenAPI, error) { return nil, nil }
