package typesystem

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/data"
)

// mapValue is an object or a map. If the schema has properties, it is an object: its keys are
// identifiers, and a null is the same as no value. Otherwise it is a map.
type mapValue struct {
	schema *Schema
	data   map[string]any
}

var _ traits.Mapper = (*mapValue)(nil)

func (m *mapValue) isObject() bool { return m.schema.properties != nil }

// valueSchema is the schema of the value at a key of the data, nil for a field that the schema does
// not know.
func (m *mapValue) valueSchema(key string) *Schema {
	if !m.isObject() {
		return m.schema.AdditionalProperties
	}
	if p := m.schema.property(key); p != nil {
		return p.Schema
	}
	return m.schema.rest
}

// lookup returns the value at a key of an expression, nil if there is none.
func (m *mapValue) lookup(key string) ref.Val {
	of := m.schema.AdditionalProperties
	if m.isObject() {
		p := m.schema.propertyByIdent(key)
		if p == nil && m.schema.rest != nil {
			p = m.schema.field(key)
		}
		if p == nil || m.data[p.Name] == nil {
			return nil
		}
		key, of = p.Name, p.Schema
	}
	if v, ok := m.data[key]; ok && of != nil {
		return of.Value(v)
	}
	return nil
}

func (m *mapValue) Find(key ref.Val) (ref.Val, bool) {
	k, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	v := m.lookup(string(k))
	return v, v != nil
}

func (m *mapValue) Get(key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (m *mapValue) Contains(key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

// Equal compares key by key. As in an API server, fields that the schema does not know are compared
// as data, and only if both sides have them. If some values differ and others cannot be compared, the
// result is false. If several cannot be compared, it is the error of the first key.
func (m *mapValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != o.Size() {
		return types.False
	}
	var failed string
	var result ref.Val = types.True
	for key, value := range m.data {
		eq := m.equalAt(key, value, o)
		if eq == types.False {
			return types.False
		}
		if eq != types.True && (result == types.True || key < failed) {
			failed, result = key, eq
		}
	}
	return result
}

func (m *mapValue) equalAt(key string, value any, other traits.Mapper) ref.Val {
	o, same := other.(*mapValue)
	if m.valueSchema(key) == nil {
		if !same {
			return types.MaybeNoSuchOverloadErr(other)
		}
		theirs, ok := o.data[key]
		return types.Bool(!ok || equalData(value, theirs))
	}
	// The key of the data is looked up as if it were an identifier.
	ours := m.lookup(key)
	var theirs ref.Val
	if same {
		theirs = o.lookup(key)
	} else if v, ok := other.Find(types.String(key)); ok {
		theirs = v
	}
	switch {
	case (ours == nil) != (theirs == nil):
		return types.False
	case ours == nil:
		return types.True
	}
	return ours.Equal(theirs)
}

// Size is the number of keys, of unknown fields too.
func (m *mapValue) Size() ref.Val { return types.Int(len(m.data)) }

// Type is map, for objects too.
func (m *mapValue) Type() ref.Type { return types.MapType }
func (m *mapValue) Value() any     { return m.data }

// Data returns the data.
func (m *mapValue) Data() any { return m.data }

// ConvertToNative converts as [data.Native] does.
func (m *mapValue) ConvertToNative(typeDesc reflect.Type) (any, error) {
	return data.Native(m, m.data, typeDesc)
}

// AsServer returns the value as a server has it: it converts only to maps.
func (m *mapValue) AsServer() ref.Val { return serverMap{m} }

type serverMap struct{ *mapValue }

func (m serverMap) ConvertToNative(typeDesc reflect.Type) (any, error) {
	if typeDesc.Kind() == reflect.Map {
		return m.data, nil
	}
	return nil, conversionError(m, typeDesc)
}

func conversionError(v ref.Val, to reflect.Type) error {
	return fmt.Errorf("type conversion error from '%s' to '%s'", v.Type(), to)
}

func (m *mapValue) ConvertToType(t ref.Type) ref.Val { return convert(m, types.MapType, t) }

// convert converts a value to its own type, and that type to a value.
func convert(v ref.Val, own, t ref.Type) ref.Val {
	switch t {
	case own:
		return v
	case types.TypeType:
		return own.(ref.Val)
	}
	return types.NewErr("type conversion error from '%s' to '%s'", own, t.TypeName())
}

// Iterator gives the keys in order. For each field that the schema does not know there is a nil at the
// end, as in an API server: expressions read it as null.
func (m *mapValue) Iterator() traits.Iterator {
	known := make([]string, 0, len(m.data))
	for key := range m.data {
		if m.isObject() {
			p := m.schema.property(key)
			switch ident, ok := escaping.Escape(key); {
			case p != nil:
				key = cmp.Or(p.Ident, key)
			case m.schema.rest == nil:
				continue
			case ok:
				key = ident
			}
		} else if m.schema.AdditionalProperties == nil {
			continue
		}
		known = append(known, key)
	}
	slices.SortFunc(known, strings.Compare)
	return &keyIterator{mapValue: m, known: known}
}

type keyIterator struct {
	*mapValue
	known []string
	next  int
}

func (it *keyIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.data)) }

func (it *keyIterator) Next() ref.Val {
	i := it.next
	it.next++
	if i < len(it.known) {
		return types.String(it.known[i])
	}
	return nil
}
