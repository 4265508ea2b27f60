package typesystem

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kubecel/kubecel/escaping"
)

// Compile compiles a schema document as an API server does. With root, the schema is that of a
// resource: kind, apiVersion, metadata.name and metadata.generateName are accessible even if the
// document leaves them out. The error is that of CheckStructural.
func Compile(doc *OpenAPI, root bool) (*Schema, error) { return CompileAs(doc, Options{Root: root}) }

// Options say how to compile a schema.
type Options struct {
	// Root tells that the schema is that of a resource.
	Root bool
	// DeclaredMeta keeps what a resource declares of its metadata. In an API server, metadata has
	// nothing but name and generateName, unless it declares both of them itself.
	DeclaredMeta bool
	// UnknownAsDyn shows unknown fields and data without a type as dyn. An API server hides them.
	UnknownAsDyn bool
}

// CompileAs compiles a schema document. The error is that of CheckStructural.
func CompileAs(doc *OpenAPI, options Options) (*Schema, error) {
	if err := CheckStructural(doc); err != nil {
		return nil, err
	}
	c := compiler{names: map[string]string{}, schemas: map[string]*Schema{}, ids: map[*Schema]int{}, declaredMeta: options.DeclaredMeta}
	if options.UnknownAsDyn {
		c.unknown = c.anything()
	}
	return c.compile(doc, options.Root), nil
}

type compiler struct {
	// unknown is the schema of what no schema describes, nil if it is hidden.
	unknown      *Schema
	declaredMeta bool
	// names makes equal strings of a document share memory.
	names map[string]string
	// schemas finds schemas by their descriptions, in which ids stand for the schemas below.
	schemas map[string]*Schema
	ids     map[*Schema]int
	// key is memory for descriptions.
	key []byte
}

func (c *compiler) intern(s string) string {
	if known, ok := c.names[s]; ok {
		return known
	}
	c.names[s] = s
	return s
}

func (c *compiler) compile(doc *OpenAPI, root bool) *Schema {
	s := &Schema{
		Type:                  c.intern(doc.Type),
		Nullable:              doc.Nullable,
		IntOrString:           doc.IntOrString,
		PreserveUnknownFields: doc.PreserveUnknownFields != nil,
		EmbeddedResource:      doc.EmbeddedResource,
		ListType:              c.intern(deref(doc.ListType)),
	}
	if doc.Default != nil {
		s.Default = doc.Default.Value
	}
	for _, key := range doc.ListMapKeys {
		ident, ok := escaping.Escape(key)
		if !ok {
			ident = key
		}
		s.ListMapKeys = append(s.ListMapKeys, c.intern(key))
		s.keyIdents = append(s.keyIdents, c.intern(ident))
	}

	if elements := doc.Elements(); elements != nil {
		s.Items = c.compile(elements, false)
	}
	s.properties = slices.Grow(s.properties, len(doc.Properties)) // nil if there are none
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		s.properties = append(s.properties, c.property(name, c.compile(doc.Property(name), false)))
	}
	if values := doc.Values(); values != nil {
		s.AdditionalProperties = c.compile(values, false)
	}

	s.kind = kindOf(s, doc.Format)
	if c.unknown != nil {
		c.showUnknown(s, doc, root)
	}
	s.setShape()
	s.setBounds(doc)
	if (root || s.EmbeddedResource) && !s.hasObjectMeta() {
		s.meta = c.withObjectMeta(s, doc)
		s.exposed, s.maxElements, s.minSize = s.meta.exposed, s.meta.maxElements, s.meta.minSize
	}
	return c.share(s)
}

// share returns one schema for all equal schemas of a document. Real schemas repeat large
// parts, and what is compiled for one of them then serves for all. Resources are not
// shared, nor schemas whose default is a map or a list.
func (c *compiler) share(s *Schema) *Schema {
	shareable := s.meta == nil
	key := c.key[:0]
	for _, flag := range [...]bool{s.rest != nil, s.Nullable, s.IntOrString, s.PreserveUnknownFields, s.EmbeddedResource, s.exposed} {
		key = strconv.AppendBool(key, flag)
	}
	for _, number := range [...]int{
		int(s.kind), c.ids[s.Items], c.ids[s.AdditionalProperties], len(s.ListMapKeys), len(s.properties),
	} {
		key = binary.AppendVarint(key, int64(number))
	}
	key = binary.AppendVarint(binary.AppendVarint(key, s.maxElements), s.minSize)
	since := ""
	if !s.boundSince.IsZero() {
		since = s.boundSince.String()
	}
	key = appendText(appendText(appendText(key, s.Type), s.ListType), since)
	for _, name := range s.ListMapKeys {
		key = appendText(key, name)
	}
	for _, p := range s.properties {
		key = binary.AppendUvarint(appendText(key, p.Name), uint64(c.ids[p.Schema]))
	}
	switch s.Default.(type) {
	case nil:
	case string, bool, int64, float64:
		key = fmt.Appendf(key, " %T %[1]v", s.Default)
	default:
		shareable = false
	}
	c.key = key
	if known, ok := c.schemas[string(key)]; ok && shareable {
		return known
	}
	c.ids[s] = len(c.ids) + 1
	if shareable {
		c.schemas[string(key)] = s
	}
	return s
}

// appendText appends a text so that what follows cannot be taken for a part of it.
func appendText(key []byte, text string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(text))), text...)
}

func (c *compiler) property(name string, value *Schema) Property {
	name = c.intern(name)
	ident, ok := escaping.Escape(name)
	if ok {
		ident = c.intern(ident)
	}
	return Property{Name: name, Ident: ident, Schema: value}
}

// The kinds of schemas by their type, and those of strings by their format.
var (
	kinds   = map[string]kind{"object": kindObject, "array": kindList, "string": kindString, "number": kindDouble, "integer": kindInt, "boolean": kindBool}
	formats = map[string]kind{"byte": kindBytes, "duration": kindDuration, "date": kindDate, "date-time": kindDateTime}
)

func kindOf(s *Schema, format string) kind {
	switch {
	case s.IntOrString:
		return kindIntOrString
	case s.Type == "object" && s.AdditionalProperties != nil:
		return kindMap
	case s.Type == "string" && formats[format] != kindNone:
		return formats[format]
	}
	return kinds[s.Type]
}
