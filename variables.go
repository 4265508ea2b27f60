package kubecel

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/data"
)

// variables resolves the names of an evaluation; unstructured data is seen
// through the schema of its variable.
type variables struct {
	env         *Env
	values      map[string]any
	jsonNumbers bool
	// computed holds the values that functions have computed, and their errors.
	computed map[string]any
}

// ResolveName is part of eval.Vars.
func (v *variables) ResolveName(name string) (any, bool) {
	value, ok := v.values[name]
	if !ok {
		return nil, false
	}
	switch compute := value.(type) {
	case func() any:
		return v.once(name, func() (any, error) { return compute(), nil }), true
	case func() (any, error):
		return v.once(name, compute), true
	}
	return v.typed(name, value), true
}

// once computes a value and keeps it: the evaluator may ask again.
func (v *variables) once(name string, compute func() (any, error)) any {
	if known, ok := v.computed[name]; ok {
		return known
	}
	value, err := compute()
	if err != nil {
		value = types.WrapErr(fmt.Errorf("variable %q: %w", name, err))
	} else {
		value = v.typed(name, value)
	}
	if v.computed == nil {
		v.computed = map[string]any{}
	}
	v.computed[name] = value
	return value
}

// typed shows data as the type of its variable has it.
func (v *variables) typed(name string, value any) any {
	if _, isVal := value.(ref.Val); isVal {
		return value
	}
	for i := range v.env.config.variables {
		if declared := &v.env.config.variables[i]; declared.name == name {
			return v.declared(declared, value)
		}
	}
	return value
}

// declared is the value of a variable by its declaration. The data of a schema is not
// looked through: that would cost more than most expressions.
func (v *variables) declared(d *variable, value any) any {
	if d.schema == nil {
		if v.jsonNumbers {
			return withIntegers(value, d.typ)
		}
		return value
	}
	value = data.Content(value)
	switch value.(type) {
	case map[string]any, []any, string, bool, int64, float64, nil:
	default:
		plain, _, err := data.Plain(value, d.name)
		if err != nil {
			return types.WrapErr(fmt.Errorf("unsupported value of a variable: %w", err))
		}
		value = plain
	}
	if v.jsonNumbers {
		value = crd.WithIntegers(value, d.schema)
	}
	return d.schema.WithObjectMeta().Value(value)
}

// withIntegers returns data with integers in the places of whole floating-point numbers,
// where the type has integers. It copies what it changes, and all above it.
func withIntegers(value any, t *cel.Type) any {
	switch v := value.(type) {
	case float64:
		if t.Kind() == types.IntKind && v == math.Trunc(v) && v >= math.MinInt64 && v < math.MaxInt64 {
			return int64(v)
		}
	case []any:
		if t.Kind() == types.ListKind && mayHoldIntegers(t) {
			v = slices.Clone(v)
			for i := range v {
				v[i] = withIntegers(v[i], t.Parameters()[0])
			}
			return v
		}
	case map[string]any:
		if t.Kind() == types.MapKind && mayHoldIntegers(t) {
			v = maps.Clone(v)
			for key := range v {
				v[key] = withIntegers(v[key], t.Parameters()[1])
			}
			return v
		}
	}
	return value
}

// mayHoldIntegers tells whether a type is int, or one of lists or maps of ints.
func mayHoldIntegers(t *cel.Type) bool {
	switch params := t.Parameters(); {
	case len(params) > 0:
		return mayHoldIntegers(params[len(params)-1])
	default:
		return t.Kind() == types.IntKind
	}
}
