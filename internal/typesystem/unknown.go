package typesystem

import (
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/data"
)

// anyAdapter makes values of data that no schema describes.
var anyAdapter = data.Adapter(types.DefaultTypeAdapter)

// anything returns the schema of data that no schema describes.
func (c *compiler) anything() *Schema {
	s := &Schema{Nullable: true, PreserveUnknownFields: true, kind: kindDyn}
	s.setBounds(&OpenAPI{})
	return c.share(s)
}

// showUnknown makes dyn of what an API server hides: data without a type, the elements of a list
// without items, and the unknown fields of an object. An object of nothing but unknown fields is a map.
func (c *compiler) showUnknown(s *Schema, doc *OpenAPI, root bool) {
	unknown := s.PreserveUnknownFields || doc.AdditionalProperties != nil && doc.AdditionalProperties.Allows
	switch {
	case s.kind == kindNone && s.Type == "":
		s.kind, s.Nullable = kindDyn, true
	case s.kind == kindList && s.Items == nil:
		s.Items = c.unknown
	case s.kind != kindObject || !unknown:
	case s.properties != nil || root || s.EmbeddedResource:
		s.rest = c.unknown
	default:
		s.kind, s.AdditionalProperties = kindMap, c.unknown
	}
}

// below is the schema of the elements of a list or map, and of what is in data without a type.
func (s *Schema) below() *Schema {
	if s.kind == kindDyn {
		return s
	}
	return s.Elem()
}
