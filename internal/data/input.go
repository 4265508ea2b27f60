package data

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// Unstructured objects of Kubernetes give their content so.
type content interface{ UnstructuredContent() map[string]any }

// Content returns what a program passes for an object as data to look into: the
// content of unstructured objects, and everything else as it is. It returns nil for
// nil, and for a pointer or a map that is nil.
func Content(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v == nil {
			return nil
		}
		return v
	case nil, []any, string, bool, int64, float64:
		return value
	}
	if v := reflect.ValueOf(value); (v.Kind() == reflect.Pointer || v.Kind() == reflect.Map) && v.IsNil() {
		return nil
	}
	if object, ok := value.(content); ok {
		return object.UnstructuredContent()
	}
	return value
}

// Object returns an object as unstructured data: that of a map or an unstructured
// object itself if it is unstructured all through, and otherwise a copy. A Go struct is
// what its JSON is. The result is nil if there is no object, see [Content]. Nulls tells
// whether there is a null in it. The error is an *Error; name is what it calls the object.
func Object(value any, name string) (object map[string]any, nulls bool, err error) {
	value = Content(value)
	if value == nil {
		return nil, false, nil
	}
	plain, nulls, err := Plain(value, name)
	if err != nil {
		return nil, false, err
	}
	object, ok := plain.(map[string]any)
	if !ok {
		return nil, false, &Error{Path: name, Detail: fmt.Sprintf("a value of the Go type %T is no object", value)}
	}
	return object, nulls, nil
}

// Plain returns a Go value as unstructured data, as Object does.
func Plain(value any, name string) (plain any, nulls bool, err error) {
	n := normalizer{}
	plain, _, failed := n.value(value)
	if failed != nil {
		n = normalizer{sorted: true} // the same error each time
		_, _, failed = n.value(value)
	}
	if failed != nil {
		return nil, false, failed.located(name)
	}
	return plain, n.nulls, nil
}

// normalizer makes unstructured data of Go values. It copies only what is not
// unstructured, and what holds it.
type normalizer struct {
	extent
	// nulls tells whether there was a null.
	nulls bool
	// sorted visits maps in the order of their keys.
	sorted bool
	// fields are those of the structs that were seen.
	fields map[reflect.Type][]goField
}

// value returns a value as unstructured data, and whether that is another value.
func (n *normalizer) value(value any) (any, bool, *failure) {
	switch v := value.(type) {
	case string, bool, int64:
		n.values++
		return value, false, nil
	case nil:
		n.values++
		n.nulls = true
		return value, false, nil
	case float64:
		n.values++
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false, fail("a number that is not finite is no data", nil)
		}
		return value, false, nil
	}
	if failed := n.enter(); failed != nil {
		return nil, false, failed
	}
	plain, changed, failed := value, false, (*failure)(nil)
	switch v := value.(type) {
	case map[string]any:
		plain, changed, failed = n.entries(v)
	case []any:
		plain, changed, failed = n.elements(v, value)
	default:
		plain, changed, failed = n.other(value)
	}
	n.leave()
	return plain, changed, failed
}

// isPlain tells whether a value is one of those that most data consists of.
func isPlain(value any) bool {
	switch value.(type) {
	case string, bool, int64:
		return true
	}
	return false
}

func (n *normalizer) entries(object map[string]any) (any, bool, *failure) {
	if n.sorted {
		for _, key := range sortedKeys(object) {
			if _, _, failed := n.value(object[key]); failed != nil {
				return nil, false, failed.in(keyStep(key))
			}
		}
		return object, false, nil
	}
	copied, cloned := object, false
	for key, value := range object {
		if isPlain(value) {
			n.values++
			continue
		}
		plain, changed, failed := n.value(value)
		if failed != nil {
			return nil, false, failed
		}
		if changed {
			if !cloned {
				copied, cloned = maps.Clone(object), true
			}
			copied[key] = plain
		}
	}
	return copied, cloned, nil
}

// elements takes a list also as it is in an interface, so as not to allocate another one.
func (n *normalizer) elements(list []any, boxed any) (any, bool, *failure) {
	copied, cloned := list, false
	for i, value := range list {
		if isPlain(value) {
			n.values++
			continue
		}
		plain, changed, failed := n.value(value)
		if failed != nil {
			return nil, false, failed.in(indexStep(i))
		}
		if changed {
			if !cloned {
				copied, cloned = slices.Clone(list), true
			}
			copied[i] = plain
		}
	}
	if !cloned {
		return boxed, false, nil
	}
	return copied, true, nil
}
