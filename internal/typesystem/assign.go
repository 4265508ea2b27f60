package typesystem

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
)

// Mismatch says why a value cannot be assigned to a field.
type Mismatch struct {
	// Path is the field or what is below it.
	Path string
	// Detail says what does not fit.
	Detail string
}

// Assignable tells whether values of a type can be assigned to data of a schema: nil if they can.
// What is only known when the expression is evaluated counts as assignable: values of dyn, and
// which of the fields and keys are there. So do formats, patterns, enums and bounds, which are no
// types. Values are compared as the JSON that they become: durations, timestamps, bytes and the types
// of libraries are strings, and an optional without a value is no value.
//
// Path is the path of the field. Root tells that the schema is that of a resource.
func (p *Provider) Assignable(t *types.Type, doc *OpenAPI, path string, root bool) *Mismatch {
	return assignment{p, root}.check(t, nil, doc, path)
}

// assignment compares types with a schema.
type assignment struct {
	provider *Provider
	// root tells that the schema is that of a resource.
	root bool
}

// check compares a type or, if it is not nil, a schema of expressions with the schema of a field.
func (a assignment) check(t *types.Type, of *Schema, doc *OpenAPI, path string) *Mismatch {
	if of != nil {
		t = of.celType("")
	}
	if t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" && len(t.Parameters()) == 1 {
		t = t.Parameters()[0]
	}
	if no := a.representable(t, doc, path); no != nil || doc.isAnything() {
		return no
	}
	switch t.Kind() {
	case types.DynKind, types.AnyKind, types.TypeParamKind:
		if of == nil || of.kind != kindIntOrString || scalarFits(types.IntType, doc) || scalarFits(types.StringType, doc) {
			return nil
		}
	case types.NullTypeKind:
		if doc.Nullable {
			return nil
		}
	case types.ListKind:
		if doc.Type == "array" {
			return a.list(t, of, doc, path)
		}
	case types.MapKind:
		if doc.Type == "object" && !doc.IntOrString {
			return a.entries(t, of, doc, path)
		}
	case types.StructKind:
		switch {
		case isText(t) && scalarFits(t, doc):
			return nil
		case doc.Type == "object" && !doc.IntOrString && !isText(t):
			return a.object(t, of, doc, path)
		}
	default:
		if scalarFits(t, doc) {
			return nil
		}
	}
	return mismatch(path, "%s cannot be assigned to %s", a.words(t, of), doc.words())
}

func mismatch(path, format string, args ...any) *Mismatch {
	return &Mismatch{Path: path, Detail: fmt.Sprintf(format, args...)}
}

// words are what texts call what is assigned.
func (a assignment) words(t *types.Type, of *Schema) string {
	switch {
	case of != nil && of.kind == kindIntOrString:
		return "int or string"
	case of != nil && of.kind == kindObject:
		return "object"
	case of != nil && of.kind == kindMap:
		return "map"
	case of != nil && of.kind == kindList:
		return "list"
	case t.Kind() == types.StructKind && !isText(t):
		return "object " + a.provider.Words(t)
	}
	return a.provider.Words(t)
}

// textFormats are the types that are strings as JSON, with the formats that they have then.
var textFormats = map[types.Kind]string{types.BytesKind: "byte", types.DurationKind: "duration", types.TimestampKind: "date-time"}

// isText tells whether a type of a library is a string as JSON.
func isText(t *types.Type) bool {
	switch t.TypeName() {
	case "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL", "kubernetes.NamedFormat":
		return true
	}
	return t.Kind() == types.OpaqueKind || t.Kind() == types.TypeKind
}

// numbers are the types that fit each type of numbers.
var numbers = map[string][]types.Kind{
	"integer": {types.IntKind, types.UintKind},
	"number":  {types.IntKind, types.UintKind, types.DoubleKind},
}

// scalarFits tells whether values without parts fit a schema.
func scalarFits(t *types.Type, doc *OpenAPI) bool {
	if doc.Type == "" {
		alternatives := doc.OneOf
		if doc.IntOrString {
			alternatives = []OpenAPI{{Type: "integer"}, {Type: "string"}}
		}
		return slices.ContainsFunc(alternatives, func(o OpenAPI) bool { return o.Type != "" && scalarFits(t, &o) })
	}
	switch doc.Type {
	case "boolean":
		return t.Kind() == types.BoolKind
	case "string":
		format, hasFormat := textFormats[t.Kind()]
		if hasFormat && formats[doc.Format] != kindNone {
			return doc.Format == format
		}
		return hasFormat || t.Kind() == types.StringKind || isText(t)
	}
	return slices.Contains(numbers[doc.Type], t.Kind())
}

// representable tells whether values of a type can be JSON at all.
func (a assignment) representable(t *types.Type, doc *OpenAPI, path string) *Mismatch {
	library := strings.HasPrefix(t.TypeName(), "kubernetes.") && !isText(t)
	if library || t.Kind() == types.ErrorKind {
		return mismatch(path, "%s is no data and cannot be assigned to %s", a.provider.Words(t), doc.words())
	}
	return nil
}

func (a assignment) list(t *types.Type, of *Schema, doc *OpenAPI, path string) *Mismatch {
	elements := doc.Elements()
	a.root = false
	switch {
	case elements == nil:
		return nil
	case of != nil:
		return a.check(nil, of.Elem(), elements, path+"[*]")
	case len(t.Parameters()) == 0:
		return nil
	}
	return a.check(t.Parameters()[0], nil, elements, path+"[*]")
}

// entries compares a map with a map or an object.
func (a assignment) entries(t *types.Type, of *Schema, doc *OpenAPI, path string) *Mismatch {
	key, value := types.StringType, types.DynType
	if of == nil && len(t.Parameters()) == 2 {
		key, value = t.Parameters()[0], t.Parameters()[1]
	}
	root := a.root
	a.root = false
	check := func(to *OpenAPI, path string) *Mismatch {
		if of != nil {
			return a.check(nil, of.Elem(), to, path)
		}
		return a.check(value, nil, to, path)
	}
	switch {
	case key.Kind() != types.StringKind && key.Kind() != types.DynKind && key.Kind() != types.AnyKind:
		return mismatch(path, "%s cannot be assigned to %s: its keys are %s and no strings", a.words(t, of), doc.words(), a.provider.Words(key))
	case doc.Values() != nil:
		return check(doc.Values(), path+"{*}")
	case doc.keepsUnknown() || root:
		return nil
	}
	// Which fields the map has is known when it is evaluated. One must be able to take its values.
	var first *Mismatch
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		found := check(doc.Properties[name], JoinPaths(path, name))
		if found == nil {
			return nil
		}
		if first == nil {
			first = found
		}
	}
	if first == nil {
		return mismatch(path, "%s cannot be assigned to an object without fields", a.words(t, of))
	}
	return first
}

// object compares an object with a map or an object.
func (a assignment) object(t *types.Type, of *Schema, doc *OpenAPI, path string) *Mismatch {
	name := "it"
	if of == nil {
		if of, name = a.provider.schemaOf(t.TypeName()); of == nil {
			return nil // a type of the caller's, of whose fields nothing is known
		}
	}
	of = of.WithObjectMeta()
	root := a.root
	a.root = false
	for p := range of.Properties() {
		to := doc.Values()
		if to == nil {
			to = doc.field(p.Name, root)
		}
		switch {
		case to != nil:
			if found := a.check(nil, p.Schema, to, JoinPaths(path, p.Name)); found != nil {
				return found
			}
		case !doc.keepsUnknown():
			return mismatch(path, "%s has the field %s, and the schema does not", name, p.Name)
		}
	}
	if doc.Values() != nil || of.PreserveUnknownFields {
		return nil
	}
	for _, required := range slices.Sorted(slices.Values(doc.Required)) {
		field := doc.Property(required)
		if of.Property(required) == nil && (field == nil || field.Default == nil) {
			return mismatch(path, "%s lacks the field %s, which is required", name, required)
		}
	}
	return nil
}
