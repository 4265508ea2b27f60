package eval

import (
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// value is a value of which no CEL value is made before one is needed. It has four words:
// the compiler keeps no more in registers.
type value struct {
	// of tells by its shape what the value is. It is nil for a CEL value, and for a native
	// one that was not looked at. That of a map or list of data is its schema.
	of *typesystem.Schema
	// num is an int, or 1 for true.
	num int64
	// data is a CEL value, if there is one. Otherwise it is a string or a pointer to one,
	// or the map or list of data, or a *values.
	data any
}

// kind tells what a value is.
type kind = typesystem.Shape

// The kinds of values. Errors, and all that is not listed here, are boxed.
const (
	boxed      = typesystem.ShapeOther
	kindNull   = typesystem.ShapeNull
	kindBool   = typesystem.ShapeBool
	kindInt    = typesystem.ShapeInt
	kindString = typesystem.ShapeString
	kindMap    = typesystem.ShapeMap
	kindList   = typesystem.ShapeList
)

// values are the elements of a list that a comprehension made. They do not change once
// it ends. Their kind is boxed, as only few nodes know them.
type values struct{ elems []value }

func (v value) kind() kind {
	if v.of == nil {
		return boxed
	}
	return v.of.Shape()
}

func boolOf(b bool) value {
	if b {
		return value{of: typesystem.BoolShape, num: 1}
	}
	return value{of: typesystem.BoolShape}
}

func intOf(i int64) value       { return value{of: typesystem.IntShape, num: i} }
func stringOf(s string) value   { return value{of: typesystem.StringShape, data: s} }
func boxedOf(val ref.Val) value { return value{data: val} }
func (v value) isBool() bool    { return v.of == typesystem.BoolShape }
func (v value) is(b bool) bool  { return v.of == typesystem.BoolShape && (v.num == 1) == b }
func (v value) isInt() bool     { return v.of == typesystem.IntShape }
func (v value) isString() bool  { return v.of == typesystem.StringShape }
func (v value) isScalar() bool  { return v.isString() || v.isInt() || v.isBool() }
func (v value) isBoxed() bool   { return v.of == nil }
func (v value) list() []any     { l, _ := v.data.([]any); return l }
func (v value) values() *values { l, _ := v.data.(*values); return l }

func (v value) object() map[string]any { m, _ := v.data.(map[string]any); return m }

// text is the text of a string.
func (v value) text() string {
	switch s := v.data.(type) {
	case string:
		return s
	case types.String:
		return string(s)
	case *string:
		return *s
	}
	return ""
}

// dynamic tells whether a map or a list of data has no schema.
func (v value) dynamic() bool { return v.of == typesystem.MapShape || v.of == typesystem.ListShape }

// keyOf is a string that stays where it is.
func keyOf(key *string) value { return value{of: typesystem.StringShape, data: key} }

// failed tells whether a value ends the evaluation of a strict call.
func (v value) failed() bool {
	if v.of != nil {
		return false
	}
	val, _ := v.data.(ref.Val)
	return failed(val)
}

// size is the size of a value as prices have it.
func (v value) size() uint64 {
	switch v.kind() {
	case kindString:
		return uint64(utf8.RuneCountInString(v.text()))
	case kindList:
		return uint64(len(v.list()))
	case kindMap:
		return uint64(len(v.object()))
	case boxed:
		if list := v.values(); list != nil {
			return uint64(len(list.elems))
		}
	}
	return 1
}

// native is data with a schema, or without if that is nil.
func (f *frame) native(of *typesystem.Schema, data any) value {
	if of == nil {
		return f.unbox(data)
	}
	if below, num := of.Native(data); below != nil {
		return value{below, num, data}
	}
	return f.unbox(of.Value(data))
}

// unbox takes a CEL value or a native value apart.
func (f *frame) unbox(data any) value {
	switch d := data.(type) {
	case string, types.String:
		return value{of: typesystem.StringShape, data: data}
	case types.Bool:
		return boolOf(bool(d))
	case map[string]any:
		return value{of: typesystem.MapShape, data: data}
	case []any:
		return value{of: typesystem.ListShape, data: data}
	case int64:
		return intOf(d)
	case types.Int:
		return value{typesystem.IntShape, int64(d), data}
	case bool:
		return boolOf(d)
	case nil, types.Null:
		return value{of: typesystem.NullShape}
	case *types.Err, *types.Optional:
		return value{data: data}
	}
	val := f.adapt(data)
	switch v := val.(type) {
	case types.String:
		return value{of: typesystem.StringShape, data: val}
	case types.Int:
		return value{typesystem.IntShape, int64(v), val}
	case types.Bool:
		return boolOf(bool(v))
	}
	if of, data := typesystem.NativeOf(val); of != nil {
		if below, num := of.Native(data); below != nil {
			return value{below, num, data}
		}
	}
	return value{data: val}
}

// box makes a CEL value.
func (f *frame) box(v value) ref.Val {
	switch v.kind() {
	case kindString:
		if val, ok := v.data.(ref.Val); ok {
			return val
		}
		return types.String(v.text())
	case kindInt:
		if val, ok := v.data.(ref.Val); ok {
			return val
		}
		return types.Int(v.num)
	case kindBool:
		return types.Bool(v.num == 1)
	case kindNull:
		return types.NullValue
	case kindMap, kindList:
		if !v.dynamic() {
			return v.of.Value(v.data)
		}
		return f.prog.adapter.NativeToValue(v.data)
	}
	if list := v.values(); list != nil {
		elems := make([]ref.Val, len(list.elems))
		for i, e := range list.elems {
			elems[i] = f.box(e)
		}
		return types.NewRefValList(f.prog.adapter, elems)
	}
	return f.adapt(v.data)
}
