package crd

import (
	"maps"
	"slices"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// Complete returns a copy of an object without nulls that the schema does not allow, and with the
// defaults of what is missing, as an API server completes it before it is validated.
func (v *Validator) Complete(object map[string]any) map[string]any {
	completed := copyJSON(object).(map[string]any)
	prune(completed, v.schema)
	fill(completed, v.schema)
	return completed
}

// fieldOf is the schema of a field of an object or a key of a map, nil if there is none.
func fieldOf(s *typesystem.Schema, name string) *typesystem.Schema {
	if s == nil {
		return nil
	}
	if property := s.Property(name); property != nil {
		return property
	}
	return s.AdditionalProperties
}

// refuses tells whether a value is a null that the schema does not allow.
func refuses(s *typesystem.Schema, value any) bool { return value == nil && s != nil && !s.Nullable }

// prune removes the nulls that are neither allowed nor replaced by a default.
func prune(value any, s *typesystem.Schema) {
	if s == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if of := fieldOf(s, name); refuses(of, field) && of.Default == nil {
				delete(value, name)
			} else {
				prune(field, of)
			}
		}
	case []any:
		for _, element := range value {
			prune(element, s.Items)
		}
	}
}

// fill puts in the defaults.
func fill(value any, s *typesystem.Schema) {
	if s == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for p := range s.Properties() {
			if old, ok := value[p.Name]; p.Schema.Default != nil && (!ok || refuses(p.Schema, old)) {
				value[p.Name] = copyJSON(p.Schema.Default)
			}
		}
		for name, field := range value {
			of := fieldOf(s, name)
			if of == s.AdditionalProperties && refuses(of, field) {
				field = copyJSON(of.Default)
				value[name] = field
			}
			fill(field, of)
		}
	case []any:
		for i, element := range value {
			if refuses(s.Items, element) {
				element = copyJSON(s.Items.Default)
				value[i] = element
			}
			fill(element, s.Items)
		}
	}
}

// copyJSON copies maps and lists. Unlike runtime.DeepCopyJSONValue, it takes types that JSON does
// not decode to, such as int.
func copyJSON(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := maps.Clone(value)
		for k, v := range copied {
			copied[k] = copyJSON(v)
		}
		return copied
	case []any:
		copied := slices.Clone(value)
		for i, v := range copied {
			copied[i] = copyJSON(v)
		}
		return copied
	}
	return value
}
