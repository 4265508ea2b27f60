package admission

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// known returns what a type has of unstructured data, and adds the paths of what it does
// not have to unknown.
func known(data any, t reflect.Type, path string, unknown *[]string) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := data.(type) {
	case map[string]any:
		switch t.Kind() {
		case reflect.Struct:
			return knownFields(value, t, path, unknown)
		case reflect.Map:
			kept := map[string]any{}
			for key, elem := range value {
				kept[key] = known(elem, t.Elem(), fmt.Sprintf("%s[%s]", path, key), unknown)
			}
			return kept
		}
	case []any:
		if t.Kind() == reflect.Slice {
			kept := make([]any, len(value))
			for i, elem := range value {
				kept[i] = known(elem, t.Elem(), fmt.Sprintf("%s[%d]", path, i), unknown)
			}
			return kept
		}
	}
	return data
}

func knownFields(data map[string]any, t reflect.Type, path string, unknown *[]string) any {
	fields := map[string]reflect.Type{}
	collect(t, fields)
	kept := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(data)) {
		place := strings.TrimPrefix(path+"."+name, ".")
		if field, ok := fields[name]; ok {
			kept[name] = known(data[name], field, place, unknown)
		} else {
			*unknown = append(*unknown, place)
		}
	}
	return kept
}

// collect finds the fields of a struct by their names in JSON.
func collect(t reflect.Type, fields map[string]reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			collect(field.Type, fields)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields[name] = field.Type
	}
}
