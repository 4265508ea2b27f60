package library

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// object is a CEL value that holds a Go value. The values of all types of this
// package are objects, and this is the one place with the methods of CEL.
type object[T content[T]] struct{ v T }

// content is a Go value for an object. Its class is the same for all values.
type content[T any] interface{ class() *class[T] }

// class is what the values of a CEL type have in common.
type class[T any] struct {
	typ *cel.Type
	// name is what errors of conversions to Go types call the type.
	name string
	// value returns what Value returns. If it is nil, that is the object.
	value func(T) any
	// text returns the value as text. If it is nil, the value converts to no Go
	// type.
	text func(T) string
	// label names the value for [object.Text] if it has no text.
	label func(T) string
	// toString says that the CEL type string is a text too, as for ConvertToType.
	toString bool
	// equal is ==. If it is nil or not ok, == is an error: no such overload.
	equal func(x, y T) (equal, ok bool)
	// size is the size for the cost model. If it is nil, the size is 1.
	size func(T) int
}

// ConvertToNative converts to the type of Value, to a Go string, and to what strings
// convert to: an interface, the JSON of protocol buffers, a type that reads text.
func (o object[T]) ConvertToNative(to reflect.Type) (any, error) {
	native, err := o.AsServer().ConvertToNative(to)
	if c := o.v.class(); err != nil && c.text != nil {
		if native, other := types.String(c.text(o.v)).ConvertToNative(to); other == nil {
			return native, nil
		}
	}
	return native, err
}

// AsServer returns the value as a server has it: it converts to less.
func (o object[T]) AsServer() ref.Val { return serverObject[T]{o} }

type serverObject[T content[T]] struct{ object[T] }

// ConvertToNative converts to the type of Value or to a Go string.
func (o serverObject[T]) ConvertToNative(to reflect.Type) (any, error) {
	c := o.v.class()
	if c.text != nil {
		for _, form := range []any{o.Value(), c.text(o.v)} {
			if reflect.TypeOf(form).AssignableTo(to) {
				return form, nil
			}
		}
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", c.name, to)
}

// ConvertToType converts to the type itself, to the type of types, and to a
// string if the class says so.
func (o object[T]) ConvertToType(to ref.Type) ref.Val {
	c := o.v.class()
	switch {
	case to == c.typ:
		return o
	case to == types.TypeType:
		return c.typ
	case to == types.StringType && c.toString:
		return types.String(c.text(o.v))
	}
	return types.NewErr("type conversion error from '%s' to '%s'", c.typ, to)
}

// Equal compares with a value of the same type. Any other is an error.
func (o object[T]) Equal(other ref.Val) ref.Val {
	if y, ok := other.(object[T]); ok && o.v.class().equal != nil {
		if equal, ok := o.v.class().equal(o.v, y.v); ok {
			return types.Bool(equal)
		}
	}
	return types.MaybeNoSuchOverloadErr(other)
}

// Type returns the CEL type.
func (o object[T]) Type() ref.Type { return o.v.class().typ }

// Value returns the Go value.
func (o object[T]) Value() any {
	if value := o.v.class().value; value != nil {
		return value(o.v)
	}
	return o
}

// Size returns the size for the cost model.
func (o object[T]) Size() ref.Val {
	if size := o.v.class().size; size != nil {
		return types.Int(size(o.v))
	}
	return types.IntOne
}

// String returns the text, or the name of the type if there is no text.
func (o object[T]) String() string {
	if text := o.v.class().text; text != nil {
		return text(o.v)
	}
	return o.v.class().typ.String()
}

// Text returns the value as data has it: its text or its name. It is false if there is
// neither.
func (o object[T]) Text() (text string, ok bool) {
	switch c := o.v.class(); {
	case c.text != nil:
		return c.text(o.v), true
	case c.label != nil:
		return c.label(o.v), true
	}
	return "", false
}

// parser implements a function that parses a string.
func parser[R ref.Val](parse func(string) (R, error)) Impl {
	return Unary(func(s types.String) (R, error) { return parse(string(s)) })
}

// accepts implements a function that tells whether a string can be parsed.
func accepts[R any](parse func(string) (R, error)) Impl {
	return Unary(func(s types.String) (types.Bool, error) {
		_, err := parse(string(s))
		return err == nil, nil
	})
}

// reader implements a function that reads a value of an object and cannot fail.
func reader[T content[T], R ref.Val](read func(T) R) Impl {
	return Unary(func(o object[T]) (R, error) { return read(o.v), nil })
}

// comparer implements a function of two objects and their order: -1, 0 or 1.
func comparer[T content[T], R ref.Val](compare func(x, y T) int, of func(order int) R) Impl {
	return Binary(func(x, y object[T]) (R, error) { return of(compare(x.v, y.v)), nil })
}

func greater(order int) types.Bool { return order > 0 }

func less(order int) types.Bool { return order < 0 }

func ordering(order int) types.Int { return types.Int(order) }
