package data

import (
	"encoding"
	"encoding/base64"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/json"
)

// other makes unstructured data of any other Go value: what a server would read from
// its JSON. The value has been counted.
func (n *normalizer) other(value any) (any, bool, *failure) {
	switch v := value.(type) {
	case int:
		return int64(v), true, nil
	case stdjson.Number:
		number, failed := Number(v)
		return number, true, failed
	case []byte:
		if v == nil {
			n.nulls = true
			return nil, true, nil
		}
		return base64.StdEncoding.EncodeToString(v), true, nil
	case ref.Val:
		w := walk{extent: n.extent, leaf: text}
		plain, failed := w.value(v)
		n.nulls = true // there may be some
		return plain, true, failed
	}
	v := reflect.ValueOf(value)
	switch kind := v.Kind(); {
	case nilable[kind] && v.IsNil():
		n.nulls = true
		return nil, true, nil
	case marshals(v.Type()) || kind == reflect.Struct:
		return n.marshalled(v)
	case kind == reflect.Pointer:
		plain, _, failed := n.value(v.Elem().Interface())
		return plain, true, failed
	case kind == reflect.Map:
		return n.goMap(v)
	case kind == reflect.Slice || kind == reflect.Array:
		return n.goList(v)
	}
	plain, failed := scalar(v)
	return plain, true, failed
}

// Number is a number of JSON: int64 if it is whole and fits, and otherwise float64.
func Number(text stdjson.Number) (any, *failure) {
	if i, err := text.Int64(); err == nil {
		return i, nil
	}
	f, err := text.Float64()
	if err != nil {
		return nil, fail("a json.Number is no number", err)
	}
	return f, nil
}

var nilable = map[reflect.Kind]bool{reflect.Pointer: true, reflect.Map: true, reflect.Slice: true}

// marshals tells whether a type makes its JSON itself.
func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[stdjson.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func scalar(v reflect.Value) (any, *failure) {
	switch {
	case v.Kind() == reflect.Bool:
		return v.Bool(), nil
	case v.Kind() == reflect.String:
		return v.String(), nil
	case v.CanInt():
		return v.Int(), nil
	case v.CanUint():
		return text(v.Uint())
	case v.Kind() == reflect.Float32: // the digits of its JSON
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', -1, 32), 64)
		return text(f)
	case v.CanFloat():
		return text(v.Float())
	}
	return nil, noData(v.Type())
}

func noData(t reflect.Type) *failure {
	return fail(fmt.Sprintf("a value of the Go type %s is no data", t), nil)
}

func (n *normalizer) goMap(v reflect.Value) (any, bool, *failure) {
	if v.Type().Key().Kind() != reflect.String || marshals(v.Type().Key()) {
		return nil, false, fail(fmt.Sprintf("a map of the Go type %s has keys that are no strings", v.Type()), nil)
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	object := make(map[string]any, len(keys))
	for _, key := range keys {
		value, _, failed := n.value(v.MapIndex(key).Interface())
		if failed != nil {
			return nil, false, failed.in(keyStep(key.String()))
		}
		object[key.String()] = value
	}
	return object, true, nil
}

func (n *normalizer) goList(v reflect.Value) (any, bool, *failure) {
	list := make([]any, v.Len())
	for i := range list {
		value, _, failed := n.value(v.Index(i).Interface())
		if failed != nil {
			return nil, false, failed.in(indexStep(i))
		}
		list[i] = value
	}
	return list, true, nil
}

// marshalled goes the way of JSON, as on the way to a server.
func (n *normalizer) marshalled(v reflect.Value) (plain any, changed bool, failed *failure) {
	// encoding/json names no place, and never ends on what is too deep.
	if failed := n.marshallable(v); failed != nil {
		return nil, false, failed
	}
	defer func() {
		if cause := recover(); cause != nil {
			failed = noJSON(v.Type(), nil) // what a program panics with may show a value
		}
	}()
	text, err := stdjson.Marshal(v.Interface())
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		return nil, false, noJSON(v.Type(), err)
	}
	plain, _, failed = n.value(plain)
	return plain, true, failed
}

func noJSON(t reflect.Type, err error) *failure {
	return fail(fmt.Sprintf("a value of the Go type %s gives no JSON", t), err)
}

// marshallable finds what JSON cannot have in a Go value.
func (n *normalizer) marshallable(v reflect.Value) *failure {
	if failed := n.enter(); failed != nil {
		return failed
	}
	defer n.leave()
	kind := v.Kind()
	switch {
	case (nilable[kind] || kind == reflect.Interface) && v.IsNil(), kind == reflect.Invalid, marshals(v.Type()):
		return nil
	case kind == reflect.Pointer || kind == reflect.Interface:
		return n.marshallable(v.Elem())
	case kind == reflect.Struct:
		for _, field := range n.fieldsOf(v.Type()) {
			if value, ok := field.of(v); ok && !(field.omit && value.IsZero()) {
				if failed := n.marshallable(value); failed != nil {
					return failed.in(keyStep(field.name))
				}
			}
		}
	case kind == reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return fail(fmt.Sprintf("a map of the Go type %s has keys that are no strings", v.Type()), nil)
		}
		for _, key := range v.MapKeys() {
			if failed := n.marshallable(v.MapIndex(key)); failed != nil {
				return failed.in(keyStep(key.String()))
			}
		}
	case kind == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8: // base64
	case kind == reflect.Slice || kind == reflect.Array:
		for i := range v.Len() {
			if failed := n.marshallable(v.Index(i)); failed != nil {
				return failed.in(indexStep(i))
			}
		}
	case kind == reflect.Chan, kind == reflect.Func, kind == reflect.UnsafePointer, kind == reflect.Complex64, kind == reflect.Complex128:
		return noData(v.Type())
	case v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return fail("a number that is not finite is no data", nil)
	}
	return nil
}

func (n *normalizer) fieldsOf(t reflect.Type) []goField {
	fields, ok := n.fields[t]
	if !ok {
		fields = fieldsOf(t)
		if n.fields == nil {
			n.fields = map[reflect.Type][]goField{}
		}
		n.fields[t] = fields
	}
	return fields
}

// goField is a field of a struct as encoding/json knows it.
type goField struct {
	name  string
	index []int
	omit  bool
}

// of returns the field of a struct. It is false if it is in an embedded struct that is
// not there.
func (f goField) of(v reflect.Value) (reflect.Value, bool) {
	value, err := v.FieldByIndexErr(f.index)
	return value, err == nil
}

// fieldsOf returns the fields of a struct by their json tags. Those of embedded structs
// are its own, unless it has one of that name.
func fieldsOf(t reflect.Type) []goField {
	fields := map[string]goField{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		embedded := f.Type
		if f.Anonymous && embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		if name == "-" && options == "" || !f.IsExported() || f.Anonymous && name == "" && embedded.Kind() == reflect.Struct || !inlined(t, f.Index) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if known, ok := fields[name]; !ok || len(f.Index) < len(known.index) {
			fields[name] = goField{name: name, index: f.Index, omit: strings.Contains(options, "omit")}
		}
	}
	return slices.SortedFunc(maps.Values(fields), func(a, b goField) int { return strings.Compare(a.name, b.name) })
}

// inlined tells whether the structs above a field have no name in JSON.
func inlined(t reflect.Type, index []int) bool {
	for i := 1; i < len(index); i++ {
		above := t.FieldByIndex(index[:i])
		if name, _, _ := strings.Cut(above.Tag.Get("json"), ","); name != "" {
			return false
		}
	}
	return true
}
