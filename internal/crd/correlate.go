package crd

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// pair is a value with its old value, where one could be found.
type pair struct {
	value, old any
	schema     *typesystem.Schema
	// index finds the old elements of a list.
	index elementIndex
	// same caches whether the value is as the old one, if compared is set.
	same, compared bool
}

// unchanged tells whether the value is as the old one. A nil pair is changed.
func (p *pair) unchanged() bool {
	if p == nil {
		return false
	}
	if !p.compared {
		p.same, p.compared = unchanged(p.value, p.old, p.schema), true
	}
	return p.same
}

// key writes to child the pair of a field. It is false if the field is not in
// both objects or has no schema.
func (p *pair) key(name string, child *pair) bool {
	value, _ := p.value.(map[string]any)
	old, _ := p.old.(map[string]any)
	var inValue, inOld bool
	child.value, inValue = value[name]
	child.old, inOld = old[name]
	child.schema = fieldOf(p.schema, name)
	return inValue && inOld && child.schema != nil
}

// element writes to child the pair of an element of a list. It is false if no
// old element has the same keys.
func (p *pair) element(value any, child *pair) bool {
	old, ok := p.old.([]any)
	if !ok || p.schema.ListType != "map" || p.schema.Items == nil {
		return false
	}
	child.value, child.old, child.schema = value, p.index.find(p.schema, old, value), p.schema.Items
	return child.old != nil
}

// unchanged compares as common.CorrelatedObject of an API server does. Elements of a
// list of type map are found by their keys. An object with a field that has no schema
// counts as changed.
func unchanged(value, old any, s *typesystem.Schema) bool {
	if value == nil || old == nil {
		return value == nil && old == nil
	}
	p, child := pair{value: value, old: old, schema: s}, pair{}
	switch value := value.(type) {
	case []any:
		old, ok := old.([]any)
		if !ok || len(old) != len(value) {
			return false
		}
		if len(value) > 0 && s.ListType != "map" {
			return same(old, value)
		}
		for _, element := range value {
			if !p.element(element, &child) || !unchanged(child.value, child.old, child.schema) {
				return false
			}
		}
		return true
	case map[string]any:
		old, ok := old.(map[string]any)
		if !ok || len(old) != len(value) {
			return false
		}
		for name := range value {
			if !p.key(name, &child) || !unchanged(child.value, child.old, child.schema) {
				return false
			}
		}
		return true
	}
	return same(old, value)
}

// same is reflect.DeepEqual, without reflection for the types of JSON.
func same(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case int64:
		b, ok := b.(int64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		for name, value := range a {
			if other, found := b[name]; !found || !same(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// elementIndex finds elements of a list of type map by the keys of another.
type elementIndex struct{ byKey map[any]any }

// fewElements is the length of a list up to which a scan is faster than an index.
const fewElements = 8

// find returns the first element of list that has the same keys as an element,
// nil if there is none or the list is not one of type map.
func (x *elementIndex) find(s *typesystem.Schema, list []any, element any) any {
	if s.Type != "array" || s.ListType != "map" || len(s.ListMapKeys) == 0 || len(list) == 0 {
		return nil
	}
	key, ok := keyOf(s.ListMapKeys, element)
	if !ok {
		return nil
	}
	if len(list) <= fewElements {
		for _, candidate := range list {
			if k, ok := keyOf(s.ListMapKeys, candidate); ok && k == key {
				return candidate
			}
		}
		return nil
	}
	if x.byKey == nil {
		x.byKey = make(map[any]any, len(list))
		for _, candidate := range list {
			k, ok := keyOf(s.ListMapKeys, candidate)
			if _, exists := x.byKey[k]; ok && !exists {
				x.byKey[k] = candidate
			}
		}
	}
	return x.byKey[key]
}

// keyOf is the key of an element: the value of a single key, or a text of the values of
// several. As in an API server, floating-point numbers that agree in six decimals have
// the same text.
func keyOf(names []string, element any) (any, bool) {
	object, ok := element.(map[string]any)
	if !ok {
		return nil, false
	}
	if len(names) == 1 {
		value := object[names[0]]
		switch value.(type) {
		case bool, float64, int64, string:
			return value, true
		}
		return nil, false
	}
	var key strings.Builder
	for _, name := range names {
		key.WriteByte(0)
		switch value := object[name].(type) {
		case bool, int64:
			fmt.Fprint(&key, value)
		case float64:
			key.WriteString(strconv.FormatFloat(value, 'f', 6, 64))
		case string:
			key.WriteString(strconv.Quote(value))
		default:
			return nil, false
		}
	}
	return key.String(), true
}

// ratchet tells whether a violation is an old one: whether its value is unchanged or,
// without an old value, the nearest value above that has one.
type ratchet struct{ current, nearest *pair }

func (r ratchet) holds() bool {
	if r.current != nil {
		return r.current.unchanged()
	}
	return r.nearest.unchanged()
}

// key is the ratchet of a field. Child is where its pair is kept.
func (r ratchet) key(name string, child *pair) ratchet {
	switch {
	case r.current == nil:
		return r
	case r.nearest == nil && (name == "apiVersion" || name == "kind"):
		// Old and new objects are converted to the same version before they are compared.
		return ratchet{}
	case r.current.key(name, child):
		return ratchet{current: child, nearest: r.current}
	}
	return ratchet{nearest: r.current}
}

// element is the ratchet of an element of a list.
func (r ratchet) element(value any, child *pair) ratchet {
	switch {
	case r.current == nil:
		return r
	case r.current.element(value, child):
		return ratchet{current: child, nearest: r.current}
	}
	return ratchet{nearest: r.current}
}
