package policy

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Shown is a value as a server shows its own Go values to expressions: `request` and
// `namespaceObject`. It differs from unstructured data in errors and in equality, see
// k8s.io/apiserver v0.37.2, pkg/cel/common/valuesschemalesstyped.go. Objects are
// structs in Go, except for some fields.
func Shown(data any) ref.Val { return shown(data, "") }

// Fields that are no structs in Go: they are maps, or unstructured there too.
var (
	mapsInGo  = map[string]bool{"labels": true, "annotations": true, "extra": true}
	plainInGo = map[string]bool{"options": true, "fieldsV1": true}
)

func shown(data any, name string) ref.Val {
	switch value := data.(type) {
	case map[string]any:
		switch {
		case value == nil:
			return types.NullValue
		case plainInGo[name]:
			return Value(value)
		case mapsInGo[name]:
			return &shownMap{shownValues{shownFields(value)}}
		}
		return &shownStruct{shownValues{shownFields(value)}}
	case []any:
		list := &shownList{make([]ref.Val, len(value))}
		for i, elem := range value {
			list.elems[i] = shown(elem, "")
		}
		return list
	}
	return types.DefaultTypeAdapter.NativeToValue(data)
}

func shownFields(data map[string]any) map[string]ref.Val {
	fields := make(map[string]ref.Val, len(data))
	for name, value := range data {
		fields[name] = shown(value, name)
	}
	return fields
}

// shownValues are named values.
type shownValues struct{ fields map[string]ref.Val }

func (m shownValues) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.ValOrErr(key, "unsupported map key type: %T", key), true
	}
	v, ok := m.fields[string(name)]
	return v, ok
}

func (m shownValues) Get(key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (m shownValues) Contains(key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if v != nil && types.IsError(v) {
		return v
	}
	return types.Bool(ok)
}

func (m shownValues) Size() ref.Val  { return types.Int(len(m.fields)) }
func (m shownValues) Type() ref.Type { return types.MapType }
func (m shownValues) Value() any {
	native := make(map[string]any, len(m.fields))
	for name, v := range m.fields {
		native[name] = v.Value()
	}
	return native
}

func (m shownValues) ConvertToNative(t reflect.Type) (any, error) {
	if native := m.Value(); reflect.TypeOf(native).AssignableTo(t) {
		return native, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", m.Type(), t)
}

// Iterator gives the names in their order; a server has no order.
func (m shownValues) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, slices.Sorted(maps.Keys(m.fields))).Iterator()
}

// equal compares with another map, and returns what the first value that is not equal
// gives.
func (m shownValues) equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != o.Size() {
		return types.False
	}
	for _, name := range slices.Sorted(maps.Keys(m.fields)) {
		theirs, ok := o.Find(types.String(name))
		if !ok {
			return types.False
		}
		if eq := m.fields[name].Equal(theirs); eq != types.True {
			return eq
		}
	}
	return types.True
}

// shownMap is a map of Go.
type shownMap struct{ shownValues }

var _ traits.Mapper = (*shownMap)(nil)

// Equal is false where values cannot be compared.
func (m *shownMap) Equal(other ref.Val) ref.Val {
	if _, ok := other.(traits.Mapper); !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(m.equal(other) == types.True)
}

func (m *shownMap) ConvertToType(t ref.Type) ref.Val {
	return convertShown(m, types.MapType, t, "type conversion error from 'map' to '%s'")
}

// shownStruct is a struct of Go.
type shownStruct struct{ shownValues }

var _ traits.Mapper = (*shownStruct)(nil)

// Equal of two structs compares them as Go does.
func (m *shownStruct) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*shownStruct); ok {
		return types.Bool(m.equal(o) == types.True)
	}
	return m.equal(other)
}

func (m *shownStruct) ConvertToType(t ref.Type) ref.Val {
	return convertShown(m, types.MapType, t, "type conversion error from struct to %s")
}

func convertShown(v ref.Val, own *types.Type, t ref.Type, otherwise string) ref.Val {
	switch t {
	case own:
		return v
	case types.TypeType:
		return own
	}
	return types.NewErr(otherwise, t.TypeName())
}

// shownList is a slice of Go.
type shownList struct{ elems []ref.Val }

var _ traits.Lister = (*shownList)(nil)

func (l *shownList) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index type: %T", index)
	}
	if i < 0 || int(i) >= len(l.elems) {
		return types.NewErr("index out of bounds: %d", i)
	}
	return l.elems[i]
}

func (l *shownList) Contains(value ref.Val) ref.Val {
	return types.Bool(slices.ContainsFunc(l.elems, func(elem ref.Val) bool { return elem.Equal(value) == types.True }))
}

func (l *shownList) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i, elem := range l.elems {
		if elem.Equal(o.Get(types.Int(i))) != types.True {
			return types.False
		}
	}
	return types.True
}

func (l *shownList) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	sum := slices.Clone(l.elems)
	for it := o.Iterator(); it.HasNext() == types.True; {
		sum = append(sum, it.Next())
	}
	return types.NewRefValList(types.DefaultTypeAdapter, sum)
}

func (l *shownList) Size() ref.Val  { return types.Int(len(l.elems)) }
func (l *shownList) Type() ref.Type { return types.ListType }
func (l *shownList) Value() any {
	native := make([]any, len(l.elems))
	for i, elem := range l.elems {
		native[i] = elem.Value()
	}
	return native
}

func (l *shownList) ConvertToNative(t reflect.Type) (any, error) {
	return types.NewRefValList(types.DefaultTypeAdapter, l.elems).ConvertToNative(t)
}

func (l *shownList) ConvertToType(t ref.Type) ref.Val {
	return convertShown(l, types.ListType, t, "type conversion error from 'list' to '%s'")
}

func (l *shownList) Iterator() traits.Iterator {
	return types.NewRefValList(types.DefaultTypeAdapter, l.elems).Iterator()
}
