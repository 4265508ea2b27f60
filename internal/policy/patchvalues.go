package policy

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
)

// Object is an object that an expression has made, such as Object.spec{replicas: 1}.
type Object struct {
	celType *types.Type
	fields  map[string]ref.Val
}

var _ traits.Zeroer = (*Object)(nil)

// Unstructured returns the object as unstructured data. Lists and maps of the expression
// have what their elements hold, without conversion, as in a server.
func (o *Object) Unstructured() (map[string]any, error) {
	data := make(map[string]any, len(o.fields))
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		value, err := plainField(o.fields[name])
		if err != nil {
			return nil, fmt.Errorf("fail to convert field %q: %w", name, err)
		}
		data[name] = value
	}
	return data, nil
}

func plainField(v ref.Val) (any, error) {
	switch held := v.Value().(type) {
	case []ref.Val:
		var list []any
		for _, elem := range held {
			list = append(list, elem.Value())
		}
		return list, nil
	case map[ref.Val]ref.Val:
		data := make(map[string]any, len(held))
		for key, elem := range held {
			name, err := keyText(key)
			if err != nil {
				return nil, err
			}
			data[name] = elem.Value()
		}
		return data, nil
	}
	switch container := v.(type) {
	case traits.Lister:
		var list []any
		for it := container.Iterator(); it.HasNext() == types.True; {
			elem, err := plainField(it.Next())
			if err != nil {
				return nil, err
			}
			list = append(list, elem)
		}
		return list, nil
	case traits.Mapper:
		data := map[string]any{}
		for it := container.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			name, err := keyText(key)
			if err != nil {
				return nil, err
			}
			if data[name], err = plainField(container.Get(key)); err != nil {
				return nil, err
			}
		}
		return data, nil
	}
	return v.Value(), nil
}

func keyText(key ref.Val) (string, error) {
	name, ok := key.Value().(string)
	if !ok {
		return "", fmt.Errorf("map key %q is of type %T, not string", key, key)
	}
	return name, nil
}

// ConvertToNative converts to unstructured data, or to a value of structpb.
func (o *Object) ConvertToNative(t reflect.Type) (any, error) {
	data, err := o.Unstructured()
	if err != nil {
		return nil, err
	}
	switch t {
	case reflect.TypeFor[map[string]any]():
		return data, nil
	case reflect.TypeFor[*structpb.Struct]():
		return structpb.NewStruct(data)
	case reflect.TypeFor[*structpb.Value]():
		return structpb.NewValue(data)
	}
	return nil, fmt.Errorf("unable to convert to %v", t)
}

// ConvertToType converts to its own type, or to the type itself.
func (o *Object) ConvertToType(t ref.Type) ref.Val {
	switch {
	case o.celType.TypeName() == t.TypeName():
		return o
	case t == types.TypeType:
		return types.NewTypeTypeWithParam(o.celType)
	}
	return types.NewErr("unsupported conversion into %v", t)
}

// Equal compares the fields as Go does.
func (o *Object) Equal(other ref.Val) ref.Val {
	that, ok := other.(*Object)
	return types.Bool(ok && o.celType.TypeName() == that.celType.TypeName() && reflect.DeepEqual(o.fields, that.fields))
}

// IsZeroValue tells whether there are no fields.
func (o *Object) IsZeroValue() bool { return len(o.fields) == 0 }

// Type returns the type.
func (o *Object) Type() ref.Type { return o.celType }

// Value returns unstructured data, or an error.
func (o *Object) Value() any {
	data, err := o.Unstructured()
	if err != nil {
		return types.WrapErr(err)
	}
	return data
}

// CheckTypes says which objects inside have names that do not match the fields that they
// are in: Object.spec is the type of the field spec of Object. Lists and maps on the way
// have no names.
func (o *Object) CheckTypes() error { return errors.Join(misnamed(o, o.celType.TypeName())...) }

func misnamed(v ref.Val, name string) (errs []error) {
	if o, ok := v.(*Object); ok {
		if own := o.celType.TypeName(); own != name {
			errs = append(errs, fmt.Errorf(
				"unexpected type name %q, expected %q, which matches field name path from root Object type", own, name))
		}
		for _, field := range slices.Sorted(maps.Keys(o.fields)) {
			errs = append(errs, misnamed(o.fields[field], name+"."+field)...)
		}
		return errs
	}
	switch held := v.Value().(type) {
	case []ref.Val:
		for _, elem := range held {
			errs = append(errs, misnamed(elem, name)...)
		}
	case map[ref.Val]ref.Val:
		for _, key := range slices.SortedFunc(maps.Keys(held), func(a, b ref.Val) int {
			return strings.Compare(fmt.Sprint(a.Value()), fmt.Sprint(b.Value()))
		}) {
			errs = append(errs, misnamed(held[key], name)...)
		}
	}
	return errs
}

// Operation is an operation of a JSON patch that an expression has made.
type Operation struct {
	// Op, From and Path are as in RFC 6902.
	Op, From, Path string
	// Val is nil if there is no value.
	Val ref.Val
}

func newOperation(fields map[string]ref.Val) ref.Val {
	o := &Operation{Val: fields["value"]}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field := o.text(name)
		if field == nil {
			if name != "value" {
				return types.NewErr("unexpected JSONPatchType field: %s", name)
			}
			continue
		}
		text, ok := fields[name].Value().(string)
		if !ok {
			return types.NewErr("unexpected type %T for JSONPatchType '%s' field", fields[name].Value(), name)
		}
		*field = text
	}
	return o
}

// text returns the text of a name, nil if there is none.
func (o *Operation) text(name string) *string {
	switch name {
	case "op":
		return &o.Op
	case "path":
		return &o.Path
	case "from":
		return &o.From
	}
	return nil
}

// ConvertToNative converts only to an operation.
func (o *Operation) ConvertToNative(t reflect.Type) (any, error) {
	if t == reflect.TypeFor[*Operation]() {
		return o, nil
	}
	return nil, fmt.Errorf("cannot convert to native type: %v", t)
}

// ConvertToType converts to the type itself.
func (o *Operation) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.TypeType:
		return types.NewTypeTypeWithParam(operationType)
	case operationType:
		return o
	}
	return types.NewErr("unsupported type: %s", t.TypeName())
}

// Equal compares all fields.
func (o *Operation) Equal(other ref.Val) ref.Val {
	that, ok := other.(*Operation)
	switch {
	case !ok, o.Op != that.Op, o.From != that.From, o.Path != that.Path, (o.Val == nil) != (that.Val == nil):
		return types.False
	case o.Val == nil:
		return types.True
	}
	return o.Val.Equal(that.Val)
}

// Get returns a field. It has no value if there is none.
func (o *Operation) Get(index ref.Val) ref.Val {
	if name, ok := index.Value().(string); ok {
		if text := o.text(name); text != nil {
			return types.String(*text)
		}
		if name == "value" {
			return o.Val
		}
	}
	return types.NewErr("unsupported indexer: %s", index)
}

// IsSet tells whether a field has a value.
func (o *Operation) IsSet(field ref.Val) ref.Val {
	if name, ok := field.Value().(string); ok {
		if text := o.text(name); text != nil {
			return types.Bool(*text != "")
		}
		if name == "value" {
			return types.Bool(o.Val != nil)
		}
	}
	return types.NewErr("unsupported field: %s", field)
}

// Type returns the type.
func (o *Operation) Type() ref.Type { return operationType }

// Value returns the operation.
func (o *Operation) Value() any { return o }
