package typesystem

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/escaping"
)

// maxDepth is how deep schemas may nest: as deep as JSON documents may for an API server.
const maxDepth = 10000

// SchemaError says what keeps a document from being a structural schema.
type SchemaError struct {
	// Path is the place in the document, such as properties[spec].items; empty for its root.
	Path string
	// Err says what is wrong, in the words of an API server.
	Err error
}

// Error returns the path and what is wrong.
func (e *SchemaError) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *SchemaError) Unwrap() error { return e.Err }

// Compile compiles a schema document. With root, the schema is that of a resource: kind, apiVersion,
// metadata.name and metadata.generateName are accessible even if the document leaves them out. A
// document that is not structural gives a SchemaError.
func Compile(doc *OpenAPI, root bool) (*Schema, error) {
	if doc == nil {
		return nil, &SchemaError{Err: errors.New("no schema")}
	}
	c := compiler{names: map[string]string{}, schemas: map[string]*Schema{}, ids: map[*Schema]int{}}
	s, err := c.compile(doc, root)
	if err != nil {
		slices.Reverse(c.failed)
		path := strings.TrimPrefix(strings.Join(c.failed, ""), ".")
		return nil, &SchemaError{Path: path, Err: err}
	}
	return s, nil
}

type compiler struct {
	// names makes equal strings of a document share memory.
	names map[string]string
	// schemas are the schemas by what they consist of, ids their numbers in that.
	schemas map[string]*Schema
	ids     map[*Schema]int
	depth   int
	// failed are the steps to the place of an error, innermost first.
	failed []string
}

func (c *compiler) intern(s string) string {
	if known, ok := c.names[s]; ok {
		return known
	}
	c.names[s] = s
	return s
}

// in adds a step to the path of an error.
func (c *compiler) in(step string, err error) error {
	if err != nil {
		c.failed = append(c.failed, step)
	}
	return err
}

func (c *compiler) compile(doc *OpenAPI, root bool) (*Schema, error) {
	c.depth++
	defer func() { c.depth-- }()
	if err := c.checkNode(doc); err != nil {
		return nil, err
	}
	s := &Schema{
		Type:                  c.intern(doc.Type),
		Format:                c.intern(doc.Format),
		Nullable:              doc.Nullable,
		IntOrString:           doc.IntOrString,
		PreserveUnknownFields: doc.PreserveUnknownFields != nil,
		EmbeddedResource:      doc.EmbeddedResource,
		ListType:              c.intern(deref(doc.ListType)),
		MapType:               c.intern(deref(doc.MapType)),
	}
	if doc.Default != nil {
		s.Default = doc.Default.Value
	}
	for _, key := range doc.ListMapKeys {
		s.ListMapKeys = append(s.ListMapKeys, c.intern(key))
	}
	s.keyIdents = identsOf(s.ListMapKeys)

	var err error
	if doc.Items != nil && doc.Items.Schema != nil {
		if s.Items, err = c.compile(doc.Items.Schema, false); err != nil {
			return nil, c.in(".items", err)
		}
	}
	if len(doc.Properties) > 0 {
		s.properties = make([]Property, 0, len(doc.Properties))
		err = c.eachProperty(doc, func(name string, prop *OpenAPI) error {
			value, err := c.compile(prop, false)
			s.properties = append(s.properties, c.property(name, value))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if doc.AdditionalProperties != nil && doc.AdditionalProperties.Schema != nil {
		if s.AdditionalProperties, err = c.compile(doc.AdditionalProperties.Schema, false); err != nil {
			return nil, c.in(".additionalProperties", err)
		}
	}

	s.kind = kindOf(s)
	s.setBounds(doc)
	if (root || s.EmbeddedResource) && !s.hasObjectMeta() {
		s.meta = c.withObjectMeta(s, doc)
		s.exposed, s.maxElements, s.minSize = s.meta.exposed, s.meta.maxElements, s.meta.minSize
	}
	return c.share(s), nil
}

// share makes equal schemas of a document one, resources and those with a default
// that is a map or a list excepted. Real schemas repeat large parts, and what is
// compiled for one of them then serves for all.
func (c *compiler) share(s *Schema) *Schema {
	shareable := s.meta == nil
	key := fmt.Appendf(nil, "%q %q %q %q %q %t %t %t %t %d %d %t %d %d %d %d", s.Type, s.Format, s.ListType, s.MapType, s.ListMapKeys,
		s.Nullable, s.IntOrString, s.PreserveUnknownFields, s.EmbeddedResource, s.boundSince, s.kind, s.exposed, s.maxElements, s.minSize,
		c.ids[s.Items], c.ids[s.AdditionalProperties])
	switch s.Default.(type) {
	case nil:
	case string, bool, int64, float64:
		key = fmt.Appendf(key, " %T %[1]v", s.Default)
	default:
		shareable = false
	}
	for i, p := range s.properties {
		key = fmt.Appendf(key, " %q %d", p.Name, c.ids[s.properties[i].Schema])
	}
	if known, ok := c.schemas[string(key)]; ok && shareable {
		return known
	}
	c.ids[s] = len(c.ids) + 1
	if shareable {
		c.schemas[string(key)] = s
	}
	return s
}

// eachProperty calls do for the properties in the order of their names, until there is an error.
func (c *compiler) eachProperty(doc *OpenAPI, do func(name string, prop *OpenAPI) error) error {
	if len(doc.Properties) == 0 {
		return nil
	}
	var prop OpenAPI // one copy at a time: schemas are large
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		prop = doc.Properties[name]
		if err := do(name, &prop); err != nil {
			return c.in(".properties["+name+"]", err)
		}
	}
	return nil
}

func (c *compiler) property(name string, value *Schema) Property {
	name = c.intern(name)
	ident, ok := escaping.Escape(name)
	if ok {
		ident = c.intern(ident)
	}
	return Property{Name: name, Ident: ident, Schema: value}
}

// identsOf escapes names; names without an identifier stay as they are.
func identsOf(names []string) []string {
	idents := names
	for i, name := range names {
		ident, ok := escaping.Escape(name)
		if !ok || ident == name {
			continue
		}
		if &idents[0] == &names[0] {
			idents = slices.Clone(names)
		}
		idents[i] = ident
	}
	return idents
}

func kindOf(s *Schema) kind {
	if s.IntOrString {
		return kindIntOrString
	}
	switch s.Type {
	case "object":
		if s.AdditionalProperties != nil {
			return kindMap
		}
		return kindObject
	case "array":
		return kindList
	case "number":
		return kindDouble
	case "integer":
		return kindInt
	case "boolean":
		return kindBool
	case "string":
		switch s.Format {
		case "byte":
			return kindBytes
		case "duration":
			return kindDuration
		case "date":
			return kindDate
		case "date-time":
			return kindDateTime
		}
		return kindString
	}
	return kindNone
}

// checkNode checks what no structural schema may have, in the schema itself and in what is below its
// logical junctors, which is not compiled.
func (c *compiler) checkNode(doc *OpenAPI) error {
	if c.depth > maxDepth {
		return fmt.Errorf("OpenAPIV3Schema nests deeper than %d", maxDepth)
	}
	for _, field := range [...]struct {
		name string
		set  bool
	}{
		{"id", doc.ID != ""},
		{"schema", doc.Schema != ""},
		{"$ref", deref(doc.Ref) != ""},
		{"patternProperties", len(doc.PatternProperties) > 0},
		{"dependencies", len(doc.Dependencies) > 0},
		{"additionalItems", doc.AdditionalItems != nil},
		{"definitions", len(doc.Definitions) > 0},
	} {
		if field.set {
			return fmt.Errorf("OpenAPIV3Schema '%s' is not supported", field.name)
		}
	}
	if err := c.in(".not", c.checkTree(doc.Not)); err != nil {
		return err
	}
	for _, junctor := range [...]struct {
		name    string
		clauses []OpenAPI
	}{{"allOf", doc.AllOf}, {"anyOf", doc.AnyOf}, {"oneOf", doc.OneOf}} {
		for i := range junctor.clauses {
			if err := c.checkTree(&junctor.clauses[i]); err != nil {
				return c.in(fmt.Sprintf(".%s[%d]", junctor.name, i), err)
			}
		}
	}
	if doc.PreserveUnknownFields != nil && !*doc.PreserveUnknownFields {
		return errors.New("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined")
	}
	if doc.Items != nil && len(doc.Items.Array) > 0 {
		return errors.New("OpenAPIV3Schema 'items' must be a schema, but is an array")
	}
	return nil
}

// checkTree checks a schema and all below it.
func (c *compiler) checkTree(doc *OpenAPI) error {
	if doc == nil {
		return nil
	}
	c.depth++
	defer func() { c.depth-- }()
	if err := c.checkNode(doc); err != nil {
		return err
	}
	if doc.Items != nil {
		if err := c.in(".items", c.checkTree(doc.Items.Schema)); err != nil {
			return err
		}
	}
	err := c.eachProperty(doc, func(_ string, prop *OpenAPI) error { return c.checkTree(prop) })
	if err != nil {
		return err
	}
	if doc.AdditionalProperties != nil {
		return c.in(".additionalProperties", c.checkTree(doc.AdditionalProperties.Schema))
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
