package crd

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// reported is a part of a schema as an API server reports it: as the JSON of its
// internal types. These have the fields of package typesystem in the same order, and
// no JSON tags.
type reported struct{ part any }

// MarshalJSON is part of json.Marshaler.
func (r reported) MarshalJSON() ([]byte, error) { return appendPart(nil, reflect.ValueOf(r.part)), nil }

// internalNames are the names that differ in the internal types.
var internalNames = map[string]string{
	"Array":                 "JSONSchemas",
	"PreserveUnknownFields": "XPreserveUnknownFields",
	"EmbeddedResource":      "XEmbeddedResource",
	"IntOrString":           "XIntOrString",
	"ListMapKeys":           "XListMapKeys",
	"ListType":              "XListType",
	"MapType":               "XMapType",
	"Validations":           "XValidations",
	"Expr":                  "Rule",
}

// appendPart writes schemas at all depths into one buffer. Nested calls of
// MarshalJSON would copy everything once a level.
func appendPart(b []byte, v reflect.Value) []byte {
	value := v.Interface()
	free, isFree := value.(typesystem.JSON)
	switch kind := v.Kind(); {
	case isFree:
		value = free.Value
	case kind == reflect.Struct:
		b = append(b, '{')
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if other, ok := internalNames[name]; ok {
				name = other
			}
			b = appendMember(b, name, v.Field(i))
		}
		return append(b, '}')
	case kind == reflect.Pointer && !v.IsNil():
		return appendPart(b, v.Elem())
	case kind == reflect.Map && !v.IsNil():
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		b = append(b, '{')
		for _, key := range keys {
			b = appendMember(b, key.String(), v.MapIndex(key))
		}
		return append(b, '}')
	case kind == reflect.Slice && !v.IsNil():
		b = append(b, '[')
		for i := range v.Len() {
			b = appendPart(separated(b), v.Index(i))
		}
		return append(b, ']')
	}
	encoded, _ := json.Marshal(value)
	return append(b, encoded...)
}

func appendMember(b []byte, name string, v reflect.Value) []byte {
	encoded, _ := json.Marshal(name)
	return appendPart(append(append(separated(b), encoded...), ':'), v)
}

// separated adds a comma unless what comes is the first in its brackets.
func separated(b []byte) []byte {
	if last := b[len(b)-1]; last == '{' || last == '[' {
		return b
	}
	return append(b, ',')
}
