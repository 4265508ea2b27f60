package typesystem

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/internal/data"
)

// listValue is a list whose order counts: x-kubernetes-list-type atomic, the default.
type listValue struct {
	schema *Schema
	data   []any
}

var _ traits.Lister = (*listValue)(nil)

func (l *listValue) at(i int) ref.Val { return l.schema.Items.Value(l.data[i]) }

// elements converts all elements, into a slice with room for more.
func (l *listValue) elements(more int) []ref.Val {
	elems := make([]ref.Val, len(l.data), len(l.data)+more)
	for i := range l.data {
		elems[i] = l.at(i)
	}
	return elems
}

func (l *listValue) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index: %v", index)
	}
	if i < 0 || int(i) >= len(l.data) {
		return types.NewErr("index out of bounds: %v", index)
	}
	return l.at(int(i))
}

// Contains says whether an element equals a value. An element that cannot be compared makes the result
// an error, unless another one is equal.
func (l *listValue) Contains(value ref.Val) ref.Val {
	if types.IsUnknownOrError(value) {
		return value
	}
	text, isString := value.(types.String)
	isString = isString && l.schema.Items.kind == kindString
	var result ref.Val = types.False
	for i, elem := range l.data {
		// Strings are compared without making them CEL values.
		if s, ok := elem.(string); ok && isString {
			if s == string(text) {
				return types.True
			}
			continue
		}
		eq := l.at(i).Equal(value)
		if eq == types.True {
			return types.True
		}
		if result == types.False {
			result = eq
		}
	}
	return result
}

func (l *listValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != o.Size() {
		return types.False
	}
	for i := range l.data {
		if eq := l.at(i).Equal(o.Get(types.Int(i))); eq != types.True {
			return eq
		}
	}
	return types.True
}

// Add appends the elements of another list, in a plain list.
func (l *listValue) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	size, _ := o.Size().(types.Int)
	elems := l.elements(int(size))
	for it := o.Iterator(); it.HasNext() == types.True; {
		elems = append(elems, it.Next())
	}
	return types.NewRefValList(types.DefaultTypeAdapter, elems)
}

func (l *listValue) Size() ref.Val  { return types.Int(len(l.data)) }
func (l *listValue) Type() ref.Type { return types.ListType }
func (l *listValue) Value() any     { return l.data }

// Data returns the data.
func (l *listValue) Data() any { return l.data }

// ConvertToNative converts as [data.Native] does. To []string, which join() needs, it converts
// as a server does.
func (l *listValue) ConvertToNative(typeDesc reflect.Type) (any, error) {
	if typeDesc == reflect.TypeFor[[]string]() {
		return serverList{l}.ConvertToNative(typeDesc)
	}
	return data.Native(l, l.data, typeDesc)
}

// AsServer returns the list as a server has it: it converts only to lists.
func (l *listValue) AsServer() ref.Val { return serverList{l} }

type serverList struct{ *listValue }

// ConvertToNative gives a list of strings as []string, and any other as the data.
func (l serverList) ConvertToNative(typeDesc reflect.Type) (any, error) {
	if typeDesc.Kind() != reflect.Slice {
		return nil, conversionError(l, typeDesc)
	}
	if l.schema.Items.Type != "string" {
		return l.data, nil
	}
	var texts []string
	for _, elem := range l.data {
		text, ok := elem.(string)
		if !ok {
			return nil, fmt.Errorf("expected all elements to be of type string, but got %T", elem)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (l *listValue) ConvertToType(t ref.Type) ref.Val { return convert(l, types.ListType, t) }

func (l *listValue) Iterator() traits.Iterator { return &listIterator{listValue: l} }

type listIterator struct {
	*listValue
	next int
}

func (it *listIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.data)) }

func (it *listIterator) Next() ref.Val {
	it.next++
	return it.at(it.next - 1)
}
