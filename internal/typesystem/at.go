package typesystem

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// At returns the schema of the data at a path, such as spec.listeners[*].port. Elements of
// lists are [*] or an index, values of maps {*}, ['a.b'] or .name. Root tells that the
// schema is that of a resource, which has the usual metadata even if it does not say so. The
// place is the path as texts write it.
func (o *OpenAPI) At(path string, root bool) (at *OpenAPI, place string, err error) {
	rest := strings.TrimPrefix(path, ".")
	for rest != "" {
		s, after, err := cutStep(rest, place == "")
		if err != nil {
			return nil, "", err
		}
		next, problem := o.step(s, root)
		if problem != "" {
			return nil, "", errors.New(cmp.Or(place, "the root") + " " + problem)
		}
		place = JoinPaths(place, s.String())
		o, rest, root = next, after, false
	}
	return o, place, nil
}

// pathStep is one step of a path.
type pathStep struct {
	name string
	// any tells that the step is to all elements or values, and index that it is in
	// brackets and no quoted name.
	any, index bool
}

// String is the step as texts write it.
func (s pathStep) String() string {
	switch {
	case s.any && !s.index:
		return "{*}"
	case s.any || s.index && strings.Trim(s.name, "0123456789") == "":
		return "[" + s.name + "]"
	case strings.ContainsAny(s.name, ".[]{}'\" /"):
		return "['" + s.name + "']"
	}
	return s.name
}

// cutStep takes the first step from a path.
func cutStep(path string, first bool) (s pathStep, rest string, err error) {
	switch closing := map[byte]string{'[': "]", '{': "}"}[path[0]]; {
	case closing != "":
		inside := path[1:]
		if quote := inside[:min(1, len(inside))]; quote == "'" || quote == `"` {
			name, after, found := strings.Cut(inside[1:], quote+closing)
			if !found {
				return s, "", fmt.Errorf("%s has no end", path)
			}
			return pathStep{name: name}, after, nil
		}
		name, after, found := strings.Cut(inside, closing)
		if !found || name == "" {
			return s, "", fmt.Errorf("%s has no end", path)
		}
		return pathStep{name: name, any: name == "*", index: closing == "]"}, after, nil
	case path[0] == '.' && !first:
		path = path[1:]
	case !first:
		return s, "", fmt.Errorf("expected a dot or a bracket before %s", path)
	}
	end := strings.IndexAny(path, ".[{")
	if end < 0 {
		end = len(path)
	}
	if end == 0 {
		return s, "", errors.New("a name is empty")
	}
	return pathStep{name: path[:end]}, path[end:], nil
}

// step follows one step from a schema. A problem says why it leads nowhere.
func (o *OpenAPI) step(s pathStep, root bool) (next *OpenAPI, problem string) {
	switch {
	case o.isAnything():
		return anyData(), ""
	case o.Type == "array":
		if !s.any && (s.name == "" || strings.Trim(s.name, "0123456789") != "") {
			return nil, "is a list: [*] or an index leads to its elements"
		}
		if of := o.Elements(); of != nil {
			return of, ""
		}
		return anyData(), ""
	case o.Type != "object":
		return nil, "is no object, but " + o.words()
	case o.Values() != nil:
		return o.Values(), ""
	case s.any || s.index && o.Property(s.name) == nil:
		return nil, "is an object: .name leads to a field"
	}
	if of := o.field(s.name, root); of != nil {
		return of, ""
	}
	if o.keepsUnknown() {
		return anyData(), ""
	}
	names := slices.Sorted(maps.Keys(o.Properties))
	if len(names) == 0 {
		return nil, fmt.Sprintf("has no field %s: it has none", s.name)
	}
	return nil, fmt.Sprintf("has no field %s: it has %s", s.name, list(names))
}

// maxListed is how many names a text lists.
const maxListed = 12

// list writes the first names of many.
func list(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// field is the schema of a field of an object, nil if there is none. A resource has the
// usual metadata.
func (o *OpenAPI) field(name string, root bool) *OpenAPI {
	declared := o.Property(name)
	if !root && !o.EmbeddedResource {
		return declared
	}
	switch {
	case name == "metadata" && (declared == nil || declared.Type == "object" && declared.Values() == nil):
		return objectMeta(declared)
	case declared == nil && (name == "apiVersion" || name == "kind"):
		return &OpenAPI{Type: "string"}
	}
	return declared
}

// objectMeta is the schema of the metadata of an object, with what a schema declares of it.
func objectMeta(declared *OpenAPI) *OpenAPI {
	text := &OpenAPI{Type: "string"}
	texts := &OpenAPI{Type: "object", AdditionalProperties: &SchemaOrBool{Allows: true, Schema: text}}
	objects := &OpenAPI{Type: "array", Items: &SchemaOrArray{Schema: unknownObject()}}
	time, number := &OpenAPI{Type: "string", Format: "date-time"}, &OpenAPI{Type: "integer"}
	meta := &OpenAPI{Type: "object"}
	if declared != nil {
		copied := *declared
		meta = &copied
	}
	properties := map[string]*OpenAPI{
		"name": text, "generateName": text, "namespace": text, "uid": text, "resourceVersion": text, "selfLink": text,
		"labels": texts, "annotations": texts, "finalizers": {Type: "array", Items: &SchemaOrArray{Schema: text}},
		"ownerReferences": objects, "managedFields": objects,
		"creationTimestamp": time, "deletionTimestamp": time, "deletionGracePeriodSeconds": number, "generation": number,
	}
	maps.Copy(properties, meta.Properties)
	meta.Properties = properties
	return meta
}

// anyData is the schema of anything.
func anyData() *OpenAPI {
	unknown := true
	return &OpenAPI{PreserveUnknownFields: &unknown}
}

// unknownObject is the schema of an object of unknown fields.
func unknownObject() *OpenAPI {
	o := anyData()
	o.Type = "object"
	return o
}

// isAnything tells whether the schema takes any data.
func (o *OpenAPI) isAnything() bool { return o.Type == "" && !o.IntOrString && len(o.OneOf) == 0 }

// keepsUnknown tells whether an object may have fields that are not declared.
func (o *OpenAPI) keepsUnknown() bool {
	return o.Preserves() || o.EmbeddedResource && len(o.Properties) == 0 ||
		o.AdditionalProperties != nil && o.AdditionalProperties.Schema == nil && o.AdditionalProperties.Allows
}

// words are what texts call the type of a schema.
func (o *OpenAPI) words() string {
	switch {
	case o.IntOrString:
		return "integer or string"
	case o.Type == "" && len(o.OneOf) > 0:
		var names []string
		for i := range o.OneOf {
			names = append(names, o.OneOf[i].Type)
		}
		return strings.Join(names, " or ")
	case o.isAnything():
		return "any value"
	case o.Type == "array" && o.Elements() != nil:
		return "list of " + o.Elements().words()
	case o.Type == "array":
		return "list"
	case o.Type == "object" && o.Values() != nil:
		return "map of " + o.Values().words()
	case o.Type == "string" && formats[o.Format] != kindNone:
		return "string of format " + o.Format
	}
	return o.Type
}

// JoinPaths puts one path behind another.
func JoinPaths(path, below string) string {
	below = strings.TrimPrefix(below, ".")
	if path == "" || below == "" || below[0] == '[' || below[0] == '{' {
		return path + below
	}
	return path + "." + below
}

// DeclaresMeta tells whether a resource in the schema declares fields of metadata other than
// name and generateName. Root tells that the schema itself is that of a resource.
func (o *OpenAPI) DeclaresMeta(root bool) bool {
	if o == nil {
		return false
	}
	if metadata := o.Property("metadata"); metadata != nil && (root || o.EmbeddedResource) {
		for name := range metadata.Properties {
			if name != "name" && name != "generateName" {
				return true
			}
		}
		if metadata.keepsUnknown() {
			return true
		}
	}
	for _, p := range o.Properties {
		if p.DeclaresMeta(false) {
			return true
		}
	}
	return o.Elements().DeclaresMeta(false) || o.Values().DeclaresMeta(false)
}
