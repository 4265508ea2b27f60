package data

import (
	"encoding"
	"encoding/base64"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/google/cel-go/common/types/ref"
)

// As stores a CEL value in what target points to. See kubecel.Result.As.
func As(v ref.Val, target any) error {
	to := reflect.ValueOf(target)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return &Error{Path: resultName, Detail: fmt.Sprintf("the target is of the Go type %T, want a pointer that is not nil", target)}
	}
	w := walk{leaf: func(leaf any) (any, *failure) { return leaf, nil }}
	tree, failed := w.value(v)
	if failed == nil {
		failed = assign(to.Elem(), tree)
	}
	if failed != nil {
		return failed.located(resultName)
	}
	return nil
}

// assign stores a tree of walk.
func assign(to reflect.Value, from any) *failure {
	switch {
	case to.Kind() == reflect.Pointer && from != nil:
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return assign(to.Elem(), from)
	case to.Kind() == reflect.Interface:
		return assignAny(to, from)
	case to.Type() == reflect.TypeFor[time.Time]():
		return assignParsed(to, from, func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) })
	case to.Type() == reflect.TypeFor[time.Duration]():
		return assignParsed(to, from, time.ParseDuration)
	case from == nil:
		to.SetZero()
		return nil
	}
	if known, failed := unmarshal(to, from); known {
		return failed
	}
	switch value := from.(type) {
	case map[string]any:
		return assignMap(to, value)
	case []any:
		return assignList(to, value)
	}
	return assignScalar(to, from)
}

// assignAny stores unstructured data.
func assignAny(to reflect.Value, from any) *failure {
	plain, failed := unstructured(from)
	switch {
	case failed != nil:
		return failed
	case plain == nil:
		to.SetZero()
	case !reflect.TypeOf(plain).AssignableTo(to.Type()):
		return mismatch(to, from)
	default:
		to.Set(reflect.ValueOf(plain))
	}
	return nil
}

// unstructured converts the leaves of a tree.
func unstructured(tree any) (any, *failure) {
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range sortedKeys(tree) {
			value, failed := unstructured(tree[key])
			if failed != nil {
				return nil, failed.in(keyStep(key))
			}
			tree[key] = value
		}
		return tree, nil
	case []any:
		for i, elem := range tree {
			value, failed := unstructured(elem)
			if failed != nil {
				return nil, failed.in(indexStep(i))
			}
			tree[i] = value
		}
		return tree, nil
	}
	return text(tree)
}

// assignParsed stores a value of T, also from its text.
func assignParsed[T any](to reflect.Value, from any, parse func(string) (T, error)) *failure {
	switch v := from.(type) {
	case nil:
		to.SetZero()
		return nil
	case T:
		to.Set(reflect.ValueOf(v))
		return nil
	case string:
		parsed, err := parse(v)
		if err != nil {
			return fail(fmt.Sprintf("a string is not one that the Go type %s takes", to.Type()), err)
		}
		to.Set(reflect.ValueOf(parsed))
		return nil
	}
	return mismatch(to, from)
}

// unmarshal lets a type that reads JSON or text do so.
func unmarshal(to reflect.Value, from any) (known bool, failed *failure) {
	defer func() {
		if cause := recover(); cause != nil {
			failed = mismatch(to, from) // what a program panics with may show a value
		}
	}()
	target := to.Addr().Interface()
	reader, isJSON := target.(stdjson.Unmarshaler)
	texts, isText := target.(encoding.TextUnmarshaler)
	if !isJSON && !isText {
		return false, nil
	}
	plain, failed := unstructured(from)
	if failed != nil {
		return true, failed
	}
	var err error
	if isJSON {
		var text []byte
		if text, err = stdjson.Marshal(plain); err == nil {
			err = reader.UnmarshalJSON(text)
		}
	} else if text, ok := plain.(string); ok {
		err = texts.UnmarshalText([]byte(text))
	} else {
		return true, mismatch(to, from)
	}
	if err != nil {
		return true, fail(fmt.Sprintf("%s is not one that the Go type %s takes", nameOf(from), to.Type()), err)
	}
	return true, nil
}

func assignMap(to reflect.Value, from map[string]any) *failure {
	t := to.Type()
	switch {
	case to.Kind() == reflect.Struct:
		for _, field := range fieldsOf(t) {
			value, ok := from[field.name]
			if !ok {
				continue
			}
			if failed := assign(settable(to, field.index), value); failed != nil {
				return failed.in(keyStep(field.name))
			}
		}
		return nil
	case to.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		to.Set(reflect.MakeMapWithSize(t, len(from)))
		for _, key := range sortedKeys(from) {
			value := reflect.New(t.Elem()).Elem()
			if failed := assign(value, from[key]); failed != nil {
				return failed.in(keyStep(key))
			}
			to.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), value)
		}
		return nil
	}
	return mismatch(to, from)
}

// settable returns a field of a struct, and makes the embedded structs above it.
func settable(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

func assignList(to reflect.Value, from []any) *failure {
	switch {
	case to.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), len(from), len(from)))
	case to.Kind() != reflect.Array:
		return mismatch(to, from)
	case to.Len() != len(from):
		return fail(fmt.Sprintf("a list of %d elements does not fit into the Go type %s", len(from), to.Type()), nil)
	}
	for i, elem := range from {
		if failed := assign(to.Index(i), elem); failed != nil {
			return failed.in(indexStep(i))
		}
	}
	return nil
}

func assignScalar(to reflect.Value, from any) *failure {
	if bytes := reflect.TypeFor[[]byte](); to.Kind() == reflect.Slice && to.Type().Elem() == bytes.Elem() {
		return assignParsed(to, from, base64.StdEncoding.DecodeString)
	}
	switch to.Kind() {
	case reflect.String:
		if plain, failed := text(from); failed == nil {
			if s, ok := plain.(string); ok {
				to.SetString(s)
				return nil
			}
		}
	case reflect.Bool:
		if b, ok := from.(bool); ok {
			to.SetBool(b)
			return nil
		}
	default:
		if _, isDuration := from.(time.Duration); !isDuration {
			return assignNumber(to, from)
		}
	}
	return mismatch(to, from)
}

var errRange = errors.New("it is out of range")

// assignNumber stores a number where it fits without loss. A float64 is an integer if
// it is whole, and an integer is a floating-point number.
func assignNumber(to reflect.Value, from any) *failure {
	v := reflect.ValueOf(from)
	fits := false
	switch {
	case !v.CanInt() && !v.CanUint() && !v.CanFloat(), !to.CanInt() && !to.CanUint() && !to.CanFloat():
		return mismatch(to, from)
	case to.CanFloat():
		var f float64
		switch {
		case v.CanInt():
			f = float64(v.Int())
		case v.CanUint():
			f = float64(v.Uint())
		default:
			f = v.Float()
		}
		if fits = !to.OverflowFloat(f); fits {
			to.SetFloat(f)
		}
	default:
		fits = assignInteger(to, v)
	}
	if !fits {
		return fail(fmt.Sprintf("%s does not fit into the Go type %s", nameOf(from), to.Type()), errRange)
	}
	return nil
}

func assignInteger(to, from reflect.Value) bool {
	var negative int64
	var positive uint64
	switch {
	case from.CanUint():
		positive = from.Uint()
	case from.CanInt():
		negative, positive = min(from.Int(), 0), uint64(max(from.Int(), 0))
	case from.Float() != math.Trunc(from.Float()) || from.Float() < math.MinInt64 || from.Float() >= math.MaxUint64:
		return false
	case from.Float() < 0:
		negative = int64(from.Float())
	default:
		positive = uint64(from.Float())
	}
	switch {
	case to.CanInt() && (positive > math.MaxInt64 || to.OverflowInt(int64(positive)) || to.OverflowInt(negative)):
		return false
	case to.CanInt():
		to.SetInt(negative + int64(positive))
	case negative < 0 || to.OverflowUint(positive):
		return false
	default:
		to.SetUint(positive)
	}
	return true
}

func mismatch(to reflect.Value, from any) *failure {
	return fail(fmt.Sprintf("%s cannot be stored in the Go type %s", nameOf(from), to.Type()), nil)
}

// nameOf names the type of a part of a tree.
func nameOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case bool:
		return "a bool"
	case int64:
		return "an int"
	case uint64:
		return "a uint"
	case float64:
		return "a double"
	case string:
		return "a string"
	case []byte:
		return "bytes"
	case time.Duration:
		return "a duration"
	}
	return "a timestamp"
}
