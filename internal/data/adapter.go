package data

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/proto"
)

// adapter makes CEL values of Go values.
type adapter struct{ base types.Adapter }

// Adapter returns an adapter that also takes what another one does not know: unstructured
// objects, numbers of JSON, and Go structs, as what their JSON is. Maps and lists are
// converted when an expression looks into them. Its errors show no values.
func Adapter(base types.Adapter) types.Adapter { return adapter{base} }

// NativeToValue is part of types.Adapter.
func (a adapter) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case nil:
		return types.NullValue
	case string:
		return types.String(v)
	case bool:
		return types.Bool(v)
	case int64:
		return types.Int(v)
	case int:
		return types.Int(v)
	case float64:
		return types.Double(v)
	case map[string]any:
		return types.NewStringInterfaceMap(a, v)
	case []any:
		return types.NewDynamicList(a, v)
	case ref.Val, []byte, time.Time, time.Duration, proto.Message:
		return a.base.NativeToValue(v)
	case stdjson.Number:
		return a.plain(v)
	}
	return a.other(value)
}

func (a adapter) other(value any) ref.Val {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return types.NullValue
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() != reflect.Uint8 && !marshals(v.Type()) {
			return types.NewDynamicList(a, value)
		}
	case reflect.Map:
		if !marshals(v.Type()) {
			return types.NewDynamicMap(a, value)
		}
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return unsupported(value)
	}
	if object, ok := value.(content); ok {
		return a.NativeToValue(object.UnstructuredContent())
	}
	if v.Kind() == reflect.Pointer && v.Elem().Kind() != reflect.Struct && !marshals(v.Type()) {
		return a.NativeToValue(v.Elem().Interface())
	}
	known := a.base.NativeToValue(value)
	if !types.IsError(known) {
		return known
	}
	return a.plain(value)
}

// plain makes a CEL value of what a Go value is as data.
func (a adapter) plain(value any) ref.Val {
	plain, _, err := Plain(value, "")
	if err != nil {
		return types.WrapErr(fmt.Errorf("unsupported conversion to ref.Val: %w", err))
	}
	return a.NativeToValue(plain)
}

func unsupported(value any) ref.Val {
	return types.NewErr("unsupported conversion to ref.Val: (%T)", value)
}
