package typesystem

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
)

// ParseOpenAPI decodes a schema document from JSON or YAML as an API server decodes JSON: names of
// fields are case-sensitive, unknown fields are ignored, and a value of a wrong type is an error.
// Errors are of type *diag.InputError.
func ParseOpenAPI(data []byte) (*OpenAPI, error) {
	tree, err := document.One(data, func(t *document.Text) (any, bool) {
		doc := &OpenAPI{}
		if !t.Is('{') {
			return nil, false
		}
		ReadOpenAPI(t, doc)
		return doc, true
	})
	if err != nil {
		return nil, &diag.InputError{Code: diag.DocumentUnreadable, Detail: "schema: " + err.Error(), Cause: err}
	}
	if tree == nil {
		return nil, &diag.InputError{Code: diag.DocumentUnreadable, Detail: "no schema"}
	}
	if doc, ok := tree.(*OpenAPI); ok {
		return doc, nil
	}
	doc := &OpenAPI{}
	if err := Decode(tree, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// Decode fills what to points to from a tree of JSON values, as ParseOpenAPI does.
func Decode(tree, to any) error {
	var d decoder
	if err := d.decode(reflect.ValueOf(to).Elem(), tree); err != nil {
		return &diag.InputError{Code: diag.DocumentUnreadable, Path: d.path(), Detail: err.Error(), Cause: err}
	}
	return nil
}

// decoder fills Go values from a tree of JSON values, by the json tags of structs. The tree is parsed
// once, whatever its depth.
type decoder struct{ trail }

func (d *decoder) decode(to reflect.Value, from any) error {
	if from == nil {
		return nil // keeps the zero value
	}
	switch target := to.Addr().Interface().(type) {
	case *JSON:
		target.Value = from
		return nil
	case *SchemaOrArray:
		return d.either(from, &target.Schema, &target.Array)
	case *Dependency:
		return d.either(from, &target.Schema, &target.Property)
	case *SchemaOrBool:
		if allows, ok := from.(bool); ok {
			target.Allows = allows
			return nil
		}
		if _, ok := from.(map[string]any); !ok {
			return errors.New("boolean or JSON schema expected")
		}
		target.Allows = true
		return d.decode(reflect.ValueOf(&target.Schema).Elem(), from)
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return d.decode(to.Elem(), from)
	case reflect.Struct:
		if object, ok := from.(map[string]any); ok {
			return d.fields(to, object)
		}
	case reflect.Map:
		if object, ok := from.(map[string]any); ok {
			return d.entries(to, object)
		}
	case reflect.Slice:
		if array, ok := from.([]any); ok {
			return d.elements(to, array)
		}
	default:
		if scalar(to, reflect.ValueOf(from)) {
			return nil
		}
	}
	what := kindNames[reflect.TypeOf(from).Kind()]
	if number, ok := from.(float64); ok {
		what = "the number " + strconv.FormatFloat(number, 'g', -1, 64)
	}
	return fmt.Errorf("cannot use %s as %s", what, kindNames[to.Kind()])
}

// either decodes an object into a schema or an array into a slice. Anything else is ignored, as by an
// API server.
func (d *decoder) either(from any, schema **OpenAPI, slice any) error {
	switch from.(type) {
	case map[string]any:
		return d.decode(reflect.ValueOf(schema).Elem(), from)
	case []any:
		return d.decode(reflect.ValueOf(slice).Elem(), from)
	}
	return nil
}

func (d *decoder) fields(to reflect.Value, object map[string]any) error {
	for i := range to.NumField() {
		name := to.Type().Field(i).Tag.Get("json")
		if from, ok := object[name]; ok {
			if err := d.decode(to.Field(i), from); err != nil {
				return d.in("."+name, err)
			}
		}
	}
	return nil
}

func (d *decoder) entries(to reflect.Value, object map[string]any) error {
	to.Set(reflect.MakeMapWithSize(to.Type(), len(object)))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := reflect.New(to.Type().Elem()).Elem()
		if value.Kind() == reflect.Pointer {
			value.Set(reflect.New(value.Type().Elem())) // null is an empty schema
		}
		if err := d.decode(value, object[name]); err != nil {
			return d.in("["+name+"]", err)
		}
		to.SetMapIndex(reflect.ValueOf(name), value)
	}
	return nil
}

func (d *decoder) elements(to reflect.Value, array []any) error {
	to.Set(reflect.MakeSlice(to.Type(), len(array), len(array)))
	for i, from := range array {
		if err := d.decode(to.Index(i), from); err != nil {
			return d.in("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

// scalar takes a value of the kind that is wanted, and a whole number for any number.
func scalar(to, from reflect.Value) bool {
	if from.Kind() != to.Kind() && (from.Kind() != reflect.Int64 || to.Kind() != reflect.Float64) {
		return false
	}
	to.Set(from.Convert(to.Type()))
	return true
}

// kindNames are what errors call the kinds of JSON values.
var kindNames = map[reflect.Kind]string{
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "an array", reflect.String: "a string",
	reflect.Bool: "a boolean", reflect.Int64: "a whole number", reflect.Float64: "a number",
}
