package crd

import (
	"math"
	"slices"

	"github.com/kubecel/kubecel/internal/data"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// DataOptions say how to take objects.
type DataOptions struct {
	// Defaulted says that objects have their defaults.
	Defaulted bool
	// JSONNumbers says that whole floating-point numbers are integers where the schema has
	// integers.
	JSONNumbers bool
}

// Prepare returns an object that a program holds as unstructured data, completed as by an API
// server. It copies only what it changes. It returns nil for no object, see data.Content. Of a schema
// that is not one of objects, the object may be any data. The error is a *data.Error; name is what it
// calls the object.
//
// A map that has its defaults comes from a server, and so is unstructured data: Prepare does not
// look into it.
func (v *Validator) Prepare(value any, name string, options DataOptions) (object any, err error) {
	if options.Defaulted && !options.JSONNumbers {
		if fields, ok := data.Content(value).(map[string]any); ok {
			return fields, nil
		}
	}
	var nulls bool
	if v.schema.Type == "object" {
		var fields map[string]any
		if fields, nulls, err = data.Object(value, name); fields != nil {
			object = fields
		}
	} else if value = data.Content(value); value != nil {
		object, nulls, err = data.Plain(value, name)
	}
	if object == nil || err != nil {
		return nil, err
	}
	if options.JSONNumbers {
		object = WithIntegers(object, v.schema)
	}
	if !options.Defaulted {
		object = v.complete(object, nulls)
	}
	return object, nil
}

// WithIntegers returns data with integers in the places of whole floating-point numbers, where the
// schema has integers. It copies only what it changes.
func WithIntegers(value any, s *typesystem.Schema) any {
	value, _ = withIntegers(value, s)
	return value
}

func withIntegers(value any, s *typesystem.Schema) (any, bool) {
	if s == nil {
		return value, false
	}
	switch value := value.(type) {
	case float64:
		if (s.Type == "integer" || s.IntOrString) && value == math.Trunc(value) && value >= math.MinInt64 && value < math.MaxInt64 {
			return int64(value), true
		}
	case map[string]any:
		whole := copied[map[string]any]{value: value, clone: cloneMap}
		for name, field := range value {
			if with, changed := withIntegers(field, fieldOf(s, name)); changed {
				whole.own()[name] = with
			}
		}
		return whole.value, whole.cloned
	case []any:
		whole := copied[[]any]{value: value, clone: slices.Clone[[]any]}
		for i, element := range value {
			if with, changed := withIntegers(element, s.Items); changed {
				whole.own()[i] = with
			}
		}
		if whole.cloned {
			return whole.value, true
		}
	}
	return value, false
}
