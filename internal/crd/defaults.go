package crd

import (
	"maps"
	"slices"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// Complete returns a copy of an object as an API server completes it before it is validated:
// without the nulls that the schema does not allow, and with defaults for what is missing.
func (v *Validator) Complete(object map[string]any) map[string]any {
	return v.complete(copyJSON(object), true).(map[string]any)
}

// complete completes an object. It copies what it changes, and all above it, and shares the rest.
// Nulls tells whether there may be nulls in the object.
func (v *Validator) complete(object any, nulls bool) any {
	if nulls {
		object, _ = prune(object, v.schema)
	}
	object, _ = v.defaults.fill(object)
	return object
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

// prune leaves out the nulls that are neither allowed nor replaced by a default. It copies what
// it changes, and all above it, and tells whether it did.
func prune(value any, s *typesystem.Schema) (any, bool) {
	if s == nil {
		return value, false
	}
	switch value := value.(type) {
	case map[string]any:
		pruned := copied[map[string]any]{value: value, clone: cloneMap}
		for name, field := range value {
			of := fieldOf(s, name)
			if refuses(of, field) && of.Default == nil {
				delete(pruned.own(), name)
			} else if kept, changed := prune(field, of); changed {
				pruned.own()[name] = kept
			}
		}
		return pruned.value, pruned.cloned
	case []any:
		pruned := copied[[]any]{value: value, clone: slices.Clone[[]any]}
		for i, element := range value {
			if kept, changed := prune(element, s.Items); changed {
				pruned.own()[i] = kept
			}
		}
		if pruned.cloned {
			return pruned.value, true
		}
	}
	return value, false
}

// cloneMap copies a map that may be nil.
func cloneMap(m map[string]any) map[string]any {
	clone := make(map[string]any, len(m)+1)
	maps.Copy(clone, m)
	return clone
}

// copied is a map or a list that is copied before it is changed.
type copied[T any] struct {
	value  T
	clone  func(T) T
	cloned bool
}

func (c *copied[T]) own() T {
	if !c.cloned {
		c.value, c.cloned = c.clone(c.value), true
	}
	return c.value
}

// defaults is a place of a schema that has defaults at the fields, elements or values there, or
// below. A nil place has none.
type defaults struct {
	schema     *typesystem.Schema
	properties []propertyDefaults
	// items and additional are about the elements of a list and the values of a map.
	items, additional *valueDefaults
}

// valueDefaults are the default of a value, nil if there is none, and those below it.
type valueDefaults struct {
	schema *typesystem.Schema
	value  any
	below  *defaults
}

type propertyDefaults struct {
	name string
	valueDefaults
}

// defaultsOf finds the defaults of a schema. Known are those of schemas that were seen, since
// equal parts are one schema.
func defaultsOf(s *typesystem.Schema, known map[*typesystem.Schema]*defaults) *defaults {
	if s == nil {
		return nil
	}
	if d, ok := known[s]; ok {
		return d
	}
	d := &defaults{schema: s, items: defaultsAt(s.Items, known), additional: defaultsAt(s.AdditionalProperties, known)}
	for p := range s.Properties() {
		if at := defaultsAt(p.Schema, known); at != nil {
			d.properties = append(d.properties, propertyDefaults{p.Name, *at})
		}
	}
	if d.properties == nil && d.items == nil && d.additional == nil {
		d = nil
	}
	known[s] = d
	return d
}

func defaultsAt(s *typesystem.Schema, known map[*typesystem.Schema]*defaults) *valueDefaults {
	below := defaultsOf(s, known)
	if s == nil || s.Default == nil && below == nil {
		return nil
	}
	return &valueDefaults{schema: s, value: s.Default, below: below}
}

// fill returns a value with defaults. It copies what it changes, and all above it, and tells
// whether it did.
func (d *defaults) fill(value any) (any, bool) {
	if d == nil {
		return value, false
	}
	switch value := value.(type) {
	case map[string]any:
		filled := copied[map[string]any]{value: value, clone: cloneMap}
		d.fillProperties(&filled)
		if d.additional != nil {
			d.fillValues(&filled)
		}
		return filled.value, filled.cloned
	case []any:
		filled := copied[[]any]{value: value, clone: slices.Clone[[]any]}
		for i, element := range value {
			if with, changed := d.items.fill(element, false); changed {
				filled.own()[i] = with
			}
		}
		if filled.cloned {
			return filled.value, true
		}
	}
	return value, false
}

func (d *defaults) fillProperties(filled *copied[map[string]any]) {
	for i := range d.properties {
		p := &d.properties[i]
		field, ok := filled.value[p.name]
		if with, changed := p.fill(field, !ok); changed {
			filled.own()[p.name] = with
		}
	}
}

func (d *defaults) fillValues(filled *copied[map[string]any]) {
	for name, value := range filled.value {
		if d.schema.Property(name) != nil {
			continue
		}
		if with, changed := d.additional.fill(value, false); changed {
			filled.own()[name] = with
		}
	}
}

// fill returns a value that may be missing with its default or with those below it.
func (d *valueDefaults) fill(value any, missing bool) (any, bool) {
	switch {
	case d == nil:
		return value, false
	case d.value != nil && (missing || refuses(d.schema, value)):
		filled, _ := d.below.fill(copyJSON(d.value))
		return filled, true
	case missing:
		return nil, false
	}
	return d.below.fill(value)
}

// copyJSON copies maps and lists. Unlike runtime.DeepCopyJSONValue, it takes types that JSON does
// not decode to, such as int.
func copyJSON(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := cloneMap(value)
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
