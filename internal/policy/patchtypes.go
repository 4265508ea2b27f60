package policy

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Names of the types that mutations make objects of (k8s.io/apiserver v0.37.2, pkg/cel/mutation).
const (
	objectTypeName    = "Object"
	operationTypeName = "JSONPatch"
)

var operationType = types.NewObjectType(operationTypeName)

// patchProvider adds the types of mutations to those of policies: JSONPatch, and Object
// with every name that begins so, such as Object.spec.
type patchProvider struct{ types.Provider }

// isObject tells whether a name is one of a type of objects.
func isObject(name string) bool {
	return name == objectTypeName || strings.HasPrefix(name, objectTypeName+".")
}

// FindStructType returns the type of a name.
func (p patchProvider) FindStructType(name string) (*types.Type, bool) {
	switch {
	case name == operationTypeName:
		return types.NewTypeTypeWithParam(operationType), true
	case isObject(name):
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames returns no names of an object, which may have any.
func (p patchProvider) FindStructFieldNames(name string) ([]string, bool) {
	switch {
	case name == operationTypeName:
		return []string{"op", "from", "path", "value"}, true
	case isObject(name):
		return nil, true
	}
	return p.Provider.FindStructFieldNames(name)
}

// operationFields are the fields of JSONPatch.
var operationFields = map[string]*types.Type{
	"op": types.StringType, "from": types.StringType, "path": types.StringType, "value": types.DynType,
}

// FindStructFieldType returns the type of a field. An object has every field, of any
// type. JSONPatch has every field too, but those of other names have no type.
func (p patchProvider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	switch {
	case name == operationTypeName:
		return &types.FieldType{Type: operationFields[field]}, true
	case isObject(name):
		return &types.FieldType{Type: types.DynType, IsSet: fieldIsSet(field), GetFrom: getField(field)}, true
	}
	return p.Provider.FindStructFieldType(name, field)
}

func fieldIsSet(name string) func(any) bool {
	return func(target any) bool {
		fields, _ := target.(map[string]any)
		_, ok := fields[name]
		return ok
	}
}

func getField(name string) func(any) (any, error) {
	return func(target any) (any, error) {
		if fields, ok := target.(map[string]any); ok {
			return fields[name], nil
		}
		return nil, fmt.Errorf("cannot get field %q", name)
	}
}

// NewValue makes an object or an operation.
func (p patchProvider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	switch {
	case name == operationTypeName:
		return newOperation(fields)
	case isObject(name):
		return &Object{types.NewObjectType(name), fields}
	}
	return p.Provider.NewValue(name, fields)
}

// PropertyNames returns the sorted names of the fields of an object type, as far as they are known.
func (p patchProvider) PropertyNames(name string) []string {
	if name == operationTypeName {
		return []string{"from", "op", "path", "value"}
	}
	if base, ok := p.Provider.(interface{ PropertyNames(string) []string }); ok {
		return base.PropertyNames(name)
	}
	return nil
}
