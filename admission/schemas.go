package admission

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// MergeSchemas say how apply configurations are merged into objects, by their kinds. They
// are read-only and safe for concurrent use.
type MergeSchemas struct {
	kinds map[GroupVersionKind]typed.ParseableType
}

// ParseMergeSchemas reads OpenAPI documents of version 3 in JSON or YAML, such as a server
// has at /openapi/v3. Schemas with x-kubernetes-group-version-kind are those of kinds. A
// later document replaces the kinds of an earlier one. The error is an *InputError.
func ParseMergeSchemas(documents ...[]byte) (*MergeSchemas, error) {
	s := &MergeSchemas{kinds: map[GroupVersionKind]typed.ParseableType{}}
	for i, data := range documents {
		what := fmt.Sprintf("document %d of schemas", i+1)
		fields, err := parse(data)
		if err != nil {
			return nil, unreadable(what, err)
		}
		components, _ := fields["components"].(map[string]any)
		schemas, ok := components["schemas"].(map[string]any)
		if !ok {
			return nil, unreadable(what, errors.New("components.schemas is missing or no object"))
		}
		if err := s.add(schemas); err != nil {
			return nil, unreadable(what, err)
		}
	}
	return s, nil
}

// merging returns how objects of a kind are merged, and false if the cluster has schemas
// and none of the kind.
func (c *Cluster) merging(kind GroupVersionKind) (typed.ParseableType, bool) {
	if c == nil || c.Schemas == nil {
		return typed.DeducedParseableType, true
	}
	t, ok := c.Schemas.kinds[kind]
	return t, ok
}

func (s *MergeSchemas) add(schemas map[string]any) error {
	c := &mergeConverter{}
	parser := &typed.Parser{Schema: schema.Schema{Types: []schema.TypeDef{
		{Name: untypedName, Atom: anything(schema.Atomic, untypedName)}, {Name: deducedName, Atom: anything(schema.Separable, deducedName)},
	}}}
	for _, name := range sorted(schemas) {
		fields, ok := schemas[name].(map[string]any)
		if !ok {
			return fmt.Errorf("components.schemas[%s] is no object", name)
		}
		if fields["$ref"] != nil {
			continue
		}
		atom, fixed := fixedTypes[name]
		if !fixed {
			atom = c.atom("components.schemas["+name+"]", fields, false)
		}
		parser.Schema.Types = append(parser.Schema.Types, schema.TypeDef{Name: name, Atom: atom})
	}
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	for _, name := range sorted(schemas) {
		fields, _ := schemas[name].(map[string]any)
		kinds, _ := fields["x-kubernetes-group-version-kind"].([]any)
		for _, k := range kinds {
			parts, _ := k.(map[string]any)
			var kind GroupVersionKind
			kind.Group, _ = parts["group"].(string)
			kind.Version, _ = parts["version"].(string)
			if kind.Kind, _ = parts["kind"].(string); kind.Kind != "" {
				s.kinds[kind] = parser.Type(name)
			}
		}
	}
	return nil
}

// Names of types of data without a schema: atomic, and merged by the names of fields.
const (
	untypedName = "__untyped_atomic_"
	deducedName = "__untyped_deduced_"
)

var untyped = schema.Scalar("untyped")

func named(name string) schema.TypeRef { return schema.TypeRef{NamedType: &name} }

func anything(maps schema.ElementRelationship, elem string) schema.Atom {
	return schema.Atom{
		Scalar: &untyped,
		List:   &schema.List{ElementType: named(untypedName), ElementRelationship: schema.Atomic},
		Map:    &schema.Map{ElementType: named(elem), ElementRelationship: maps},
	}
}

// fixedTypes are types whose schemas do not say how they are merged.
var fixedTypes = map[string]schema.Atom{
	"io.k8s.apimachinery.pkg.api.resource.Quantity": {Scalar: &untyped},
	"io.k8s.apimachinery.pkg.runtime.RawExtension":  anything(schema.Atomic, untypedName),
}

// mergeConverter makes types to merge by of OpenAPI schemas, as k8s.io/kube-openapi does
// in pkg/schemaconv.
type mergeConverter struct{ errs []error }

func (c *mergeConverter) fail(at, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(at+": "+format, args...))
}

// mergeScalars are the types of scalars; a string with a format may be anything.
var mergeScalars = map[string]schema.Scalar{"integer": schema.Numeric, "number": schema.Numeric, "boolean": schema.Boolean, "string": schema.String}

// atom is the type of a schema. Open tells whether fields that it does not have are kept.
func (c *mergeConverter) atom(at string, s map[string]any, open bool) schema.Atom {
	open = open || s["x-kubernetes-preserve-unknown-fields"] == true
	name, _ := s["type"].(string)
	switch name {
	case "":
		return schema.Atom{Scalar: &untyped, List: c.list(at, s, open), Map: c.object(at, s, open)}
	case "object":
		return schema.Atom{Map: c.object(at, s, open)}
	case "array":
		return schema.Atom{List: c.list(at, s, open)}
	}
	scalar, ok := mergeScalars[name]
	if !ok {
		c.fail(at, "the type %q is not known", name)
	}
	if format, _ := s["format"].(string); name == "string" && format != "" && format != "byte" {
		scalar = untyped
	}
	return schema.Atom{Scalar: &scalar}
}

// ref is the type of a schema inside another, which may refer to one by name.
func (c *mergeConverter) ref(at string, data any, open bool) schema.TypeRef {
	s, ok := data.(map[string]any)
	if !ok {
		c.fail(at, "the schema is no object")
		return named(untypedName)
	}
	to, _ := s["$ref"].(string)
	if all, _ := s["allOf"].([]any); to == "" && len(all) == 1 {
		only, _ := all[0].(map[string]any)
		to, _ = only["$ref"].(string)
	}
	if to == "" {
		return schema.TypeRef{Inlined: c.atom(at, s, open)}
	}
	t := named(path.Base(to))
	if relationship := c.mapType(at, s); relationship != "" {
		t.ElementRelationship = &relationship
	}
	return t
}

func (c *mergeConverter) object(at string, s map[string]any, open bool) *schema.Map {
	m := &schema.Map{ElementRelationship: c.mapType(at, s)}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range sorted(properties) {
		property, _ := properties[name].(map[string]any)
		m.Fields = append(m.Fields, schema.StructField{
			Name: name, Type: c.ref(at+".properties["+name+"]", properties[name], open), Default: property["default"],
		})
	}
	switch additional := s["additionalProperties"].(type) {
	case nil:
		if open || len(properties) == 0 {
			m.ElementType = named(deducedName)
		}
	case bool:
		if additional {
			m.ElementType = named(deducedName)
		}
	default:
		m.ElementType = c.ref(at+".additionalProperties", additional, open)
	}
	return m
}

func (c *mergeConverter) mapType(at string, s map[string]any) schema.ElementRelationship {
	switch t := s["x-kubernetes-map-type"]; t {
	case nil:
		return ""
	case "atomic":
		return schema.Atomic
	case "granular":
		return schema.Separable
	default:
		c.fail(at, "x-kubernetes-map-type %v is not known", t)
		return ""
	}
}

func (c *mergeConverter) list(at string, s map[string]any, open bool) *schema.List {
	l := &schema.List{ElementRelationship: schema.Atomic, ElementType: named(untypedName)}
	if items := s["items"]; items != nil {
		l.ElementType = c.ref(at+".items", items, open)
	} else if s["type"] != nil {
		c.fail(at, "items is missing")
	}
	strategy, _ := s["x-kubernetes-patch-strategy"].(string)
	switch t := s["x-kubernetes-list-type"]; {
	case t == "set":
		l.ElementRelationship = schema.Associative
	case t == "map":
		l.ElementRelationship = schema.Associative
		keys, _ := s["x-kubernetes-list-map-keys"].([]any)
		for _, key := range keys {
			if name, ok := key.(string); ok {
				l.Keys = append(l.Keys, name)
			}
		}
		if len(l.Keys) == 0 {
			c.fail(at, "x-kubernetes-list-map-keys is missing")
		}
	case t != nil && t != "atomic":
		c.fail(at, "x-kubernetes-list-type %v is not known", t)
	case t == nil && (strategy == "merge" || strings.HasPrefix(strategy, "merge,")):
		l.ElementRelationship = schema.Associative
		if key, ok := s["x-kubernetes-patch-merge-key"].(string); ok {
			l.Keys = []string{key}
		}
	}
	return l
}
