package typesystem

import (
	"maps"
	"slices"
	"strings"
)

// maxNameLength is the longest name of an object, in characters.
const maxNameLength = int64(253)

// implicitFields are the fields that every resource has.
var implicitFields = []string{"apiVersion", "kind", "metadata"}

// hasObjectMeta says whether a document declares all implicit fields of a resource itself.
func (s *Schema) hasObjectMeta() bool {
	metadata := s.typed("metadata", "object")
	return s.typed("kind", "string") != nil && s.typed("apiVersion", "string") != nil && metadata != nil &&
		metadata.typed("name", "string") != nil && metadata.typed("generateName", "string") != nil
}

// typed is the schema of a property that has a type, and nil otherwise.
func (s *Schema) typed(name, typ string) *Schema {
	if p := s.Property(name); p != nil && p.Type == typ {
		return p
	}
	return nil
}

// withObjectMeta copies a schema and replaces the properties kind, apiVersion and metadata. As in an
// API server, that leaves metadata with name and generateName alone, unless what it declares is to
// stay, and an array without items.
func (c *compiler) withObjectMeta(s *Schema, doc *OpenAPI) *Schema {
	declared := doc.Property("metadata")
	text := &Schema{Type: "string", kind: kindString}
	text.setBounds(&OpenAPI{})
	metadata := &Schema{Type: "object", kind: kindObject, shape: ShapeMap, properties: []Property{
		c.property("generateName", cappedString(declared.Property("generateName"), maxNameLength-1)),
		c.property("name", cappedString(declared.Property("name"), maxNameLength)),
	}}
	if has := s.Property("metadata"); c.declaredMeta && has != nil {
		for p := range has.Properties() {
			if metadata.property(p.Name) == nil {
				metadata.properties = append(metadata.properties, p)
				sortByName(metadata.properties)
			}
		}
		if metadata.rest = has.rest; has.PreserveUnknownFields {
			metadata.rest = c.unknown
		}
	}
	metadata.setBounds(&OpenAPI{})

	meta := *s
	meta.Items = nil
	meta.shape = ShapeOther
	meta.setShape()
	meta.properties = slices.DeleteFunc(slices.Clone(s.properties), func(p Property) bool { return slices.Contains(implicitFields, p.Name) })
	meta.properties = append(meta.properties,
		c.property("apiVersion", text), c.property("kind", text), c.property("metadata", metadata))
	sortByName(meta.properties)

	// Defaults of what was replaced do not count.
	bounds := *doc
	bounds.Properties = maps.Clone(doc.Properties)
	for _, name := range implicitFields {
		delete(bounds.Properties, name)
	}
	meta.setBounds(&bounds)
	return &meta
}

func sortByName(properties []Property) {
	slices.SortFunc(properties, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
}

// cappedString is a string whose length is bounded by limit and by what the document declares.
func cappedString(declared *OpenAPI, limit int64) *Schema {
	if declared != nil && declared.MaxLength != nil {
		limit = min(limit, *declared.MaxLength)
	}
	s := &Schema{Type: "string", kind: kindString, boundSince: cappedSince}
	s.setBounds(&OpenAPI{MaxLength: &limit})
	return s
}
