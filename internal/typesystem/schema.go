// Package typesystem gives CEL the types and values that OpenAPI schemas describe.
//
// Compile turns a schema document into a Schema, once. Everything else reads it: a Provider
// declares its types to the CEL checker, Value wraps unstructured data without copying it, and
// Sizes bounds sizes for cost estimates.
package typesystem

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/release"
)

// Schema is a compiled structural schema. It is read-only and safe for concurrent use. Only what
// types, values and size estimates need is kept of the document.
type Schema struct {
	// Type is object, array, string, number, integer, boolean, empty, or what else the document says.
	Type string
	// Nullable says that null is a value.
	Nullable bool
	// Default is the default value, nil if there is none. It must not be changed.
	Default any
	// These are the keywords x-kubernetes-int-or-string and so on.
	IntOrString, PreserveUnknownFields, EmbeddedResource bool

	kind    kind
	shape   Shape
	exposed bool
	// boundSince is the first release that knows the bound of a string; older ones take
	// it to be as long as a request permits.
	boundSince release.Release

	// ListType is atomic, set, map or empty.
	ListType string
	// ListMapKeys are the property names that key the elements of a list of type map.
	ListMapKeys []string
	// Items is the schema of an array's elements, nil if there is none.
	Items *Schema
	// AdditionalProperties is the schema of a map's values, nil if there is none.
	AdditionalProperties *Schema

	// keyIdents are ListMapKeys escaped, where they can be.
	keyIdents []string
	// properties are sorted by name; nil if the document has none.
	properties []Property
	// rest is the schema of unknown fields, nil if expressions cannot see them.
	rest *Schema
	// meta is the schema with the implicit fields of a resource, nil if it has no such fields.
	meta *Schema
	// maxElements bounds the size of a value in the unit of CEL's size(). It is zero for what has no
	// size, and, as in an API server, for objects.
	maxElements int64
	// minSize is the length in bytes of the shortest JSON that a value has.
	minSize int64
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

// kind is what a schema is to CEL: it selects the type, the conversion of values and the bounds.
type kind uint8

const (
	kindNone kind = iota
	kindIntOrString
	kindObject
	kindMap
	kindList
	kindString
	kindBytes
	kindDuration
	kindDate
	kindDateTime
	kindDouble
	kindInt
	kindBool
	// kindDyn is what an API server hides: data without a type.
	kindDyn
)

// Property returns the schema of a property by its name as the schema writes it, nil if there is none.
func (s *Schema) Property(name string) *Schema { return s.property(name).schema() }

func (s *Schema) property(name string) *Property {
	props := s.properties
	i := sort.Search(len(props), func(i int) bool { return props[i].Name >= name })
	if i < len(props) && props[i].Name == name {
		return &props[i]
	}
	return nil
}

func (p *Property) schema() *Schema {
	if p == nil {
		return nil
	}
	return p.Schema
}

// propertyByIdent finds the property whose unescaped name an identifier denotes. Identifiers that
// Escape would not write, such as a bare keyword, denote properties too.
func (s *Schema) propertyByIdent(ident string) *Property {
	if !strings.Contains(ident, "__") {
		return s.property(ident)
	}
	for i := range s.properties {
		if s.properties[i].Ident == ident {
			return &s.properties[i]
		}
	}
	if name, ok := escaping.Unescape(ident); ok {
		return s.property(name)
	}
	return nil
}

// Properties are the properties in the order of their names.
func (s *Schema) Properties() iter.Seq[Property] { return slices.Values(s.properties) }

// WithObjectMeta is the schema of a resource's root or of an embedded resource with kind, apiVersion,
// metadata.name and metadata.generateName, even if the document leaves them out. It is s itself if the
// document has them, and for any other schema.
func (s *Schema) WithObjectMeta() *Schema {
	if s.meta != nil {
		return s.meta
	}
	return s
}

// Exposed says whether expressions can see values of the schema. Schemas without a type, and lists
// and maps of these, are not exposed.
func (s *Schema) Exposed() bool { return s.exposed }

// Field returns the schema of a field as expressions see it: by its escaped name, only if it is
// exposed, with the implicit fields of a resource. It is nil if there is none.
func (s *Schema) Field(ident string) *Schema { return s.field(ident).schema() }

func (s *Schema) field(ident string) *Property {
	if s.kind != kindObject {
		return nil
	}
	p := s.WithObjectMeta().propertyByIdent(ident)
	if p == nil && s.rest != nil {
		name, ok := escaping.Unescape(ident)
		if !ok {
			name = ident
		}
		return &Property{Name: name, Ident: ident, Schema: s.rest}
	}
	if p == nil || p.Ident == "" || p.Ident != ident || !p.Schema.exposed {
		return nil
	}
	return p
}

// Elem is the schema of the elements of an exposed list or map, and nil for any other.
func (s *Schema) Elem() *Schema {
	switch {
	case s == nil || !s.exposed:
	case s.kind == kindList:
		return s.Items
	case s.kind == kindMap:
		return s.AdditionalProperties
	}
	return nil
}

// MaxCardinality is how many values of the schema fit into one request of 3 MiB, if a list holds them.
func (s *Schema) MaxCardinality() uint64 {
	return uint64(maxRequestSize / (s.minSize + 1))
}
