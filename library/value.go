package library

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// native converts a value to the first of its Go forms that is assignable.
func native(name string, to reflect.Type, forms ...any) (any, error) {
	for _, form := range forms {
		if reflect.TypeOf(form).AssignableTo(to) {
			return form, nil
		}
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", name, to)
}

// convert converts a value to its own type and to the type of types.
func convert(v ref.Val, own *cel.Type, to ref.Type) ref.Val {
	switch to {
	case own:
		return v
	case types.TypeType:
		return own
	}
	return types.NewErr("type conversion error from '%s' to '%s'", own, to)
}
