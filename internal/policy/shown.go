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

// structsInGo are the types of structs by the names of the fields that hold them.
var structsInGo = map[string]string{
	"kind": "v1.GroupVersionKind", "requestKind": "v1.GroupVersionKind", "userInfo": "v1.UserInfo",
	"resource": "v1.GroupVersionResource", "requestResource": "v1.GroupVersionResource",
	"metadata": "v1.ObjectMeta", "spec": "v1.NamespaceSpec", "status": "v1.NamespaceStatus", "conditions": "v1.NamespaceCondition",
}

func shown(data any, name string) ref.Val {
	switch value := data.(type) {
	case map[string]any:
		switch {
		case value == nil:
			return types.NullValue
		case plainInGo[name]:
			return Value(value)
		case mapsInGo[name]:
			return &shownMap{shownValues{value}}
		}
		return &shownStruct{shownValues{value}, structsInGo[name]}
	case []any:
		return &shownList{value}
	}
	return types.DefaultTypeAdapter.NativeToValue(data)
}

// shownValues are named values. Each is shown when it is looked up.
type shownValues struct{ data map[string]any }

func (m shownValues) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.ValOrErr(key, "unsupported map key type: %T", key), true
	}
	value, ok := m.data[string(name)]
	if !ok {
		return nil, false
	}
	return shown(value, string(name)), true
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

func (m shownValues) Size() ref.Val  { return types.Int(len(m.data)) }
func (m shownValues) Type() ref.Type { return types.MapType }
func (m shownValues) Value() any     { return m.data }

func (m shownValues) ConvertToNative(t reflect.Type) (any, error) {
	if native := m.Value(); reflect.TypeOf(native).AssignableTo(t) {
		return native, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", m.Type(), t)
}

// Iterator gives the names in their order; a server has no order.
func (m shownValues) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, slices.Sorted(maps.Keys(m.data))).Iterator()
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
	for _, name := range slices.Sorted(maps.Keys(m.data)) {
		theirs, ok := o.Find(types.String(name))
		if !ok {
			return types.False
		}
		if eq := shown(m.data[name], name).Equal(theirs); eq != types.True {
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
type shownStruct struct {
	shownValues
	goType string
}

var _ traits.Mapper = (*shownStruct)(nil)

// Equal of two structs compares them as Go does.
func (m *shownStruct) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*shownStruct); ok {
		return types.Bool(m.equal(o) == types.True)
	}
	return m.equal(other)
}

func (m *shownStruct) ConvertToNative(t reflect.Type) (any, error) {
	if native := m.Value(); reflect.TypeOf(native).AssignableTo(t) {
		return native, nil
	}
	return nil, fmt.Errorf("type conversion error from struct type %s to %v", m.goType, t)
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
type shownList struct{ data []any }

var _ traits.Lister = (*shownList)(nil)

func (l *shownList) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index type: %T", index)
	}
	if i < 0 || int(i) >= len(l.data) {
		return types.NewErr("index out of bounds: %d", i)
	}
	return shown(l.data[i], "")
}

func (l *shownList) Contains(value ref.Val) ref.Val {
	return types.Bool(slices.ContainsFunc(l.data, func(elem any) bool { return shown(elem, "").Equal(value) == types.True }))
}

func (l *shownList) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i, elem := range l.data {
		if shown(elem, "").Equal(o.Get(types.Int(i))) != types.True {
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
	sum := l.elems()
	for it := o.Iterator(); it.HasNext() == types.True; {
		sum = append(sum, it.Next())
	}
	return types.NewRefValList(types.DefaultTypeAdapter, sum)
}

func (l *shownList) Size() ref.Val  { return types.Int(len(l.data)) }
func (l *shownList) Type() ref.Type { return types.ListType }
func (l *shownList) Value() any     { return l.data }

func (l *shownList) elems() []ref.Val {
	elems := make([]ref.Val, len(l.data))
	for i, elem := range l.data {
		elems[i] = shown(elem, "")
	}
	return elems
}

func (l *shownList) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), t)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, l.elems()).ConvertToNative(t)
}

func (l *shownList) ConvertToType(t ref.Type) ref.Val {
	return convertShown(l, types.ListType, t, "type conversion error from 'list' to '%s'")
}

func (l *shownList) Iterator() traits.Iterator {
	return types.NewRefValList(types.DefaultTypeAdapter, l.elems()).Iterator()
}

// shownMetadata are the fields of a namespace's metadata that expressions see.
var shownMetadata = []string{
	"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
	"deletionGracePeriodSeconds", "labels", "annotations", "finalizers",
}

// shownNamespace is a namespace as expressions see it. Audit annotations see all of its
// metadata.
func shownNamespace(namespace map[string]any, whole bool) ref.Val {
	if namespace == nil {
		return types.NullValue
	}
	value := map[string]any{}
	for _, part := range []string{"metadata", "spec", "status"} {
		if value[part] = namespace[part]; value[part] == nil {
			value[part] = map[string]any{}
		}
	}
	if whole {
		return Shown(value)
	}
	metadata, _ := namespace["metadata"].(map[string]any)
	kept := make(map[string]any, len(metadata))
	for _, name := range shownMetadata {
		if field := metadata[name]; field != nil {
			kept[name] = field
		}
	}
	value["metadata"] = kept
	return Shown(value)
}
