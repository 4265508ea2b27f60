package typesystem_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// fuzzSchemas are what FuzzValue wraps data with.
var fuzzSchemas = []string{
	`{type: object, properties: {a: {type: string}, a-b: {type: array, items: {type: integer}}, if: {type: number}}}`,
	`{type: object, additionalProperties: {type: string, nullable: true}}`,
	`{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`,
	`{type: array, items: {type: object, properties: {a: {x-kubernetes-int-or-string: true}}}}`,
	`{type: array, x-kubernetes-list-type: set, items: {type: string, format: date-time}}`,
	`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, if], items: {type: object, properties: {a: {type: string}, if: {x-kubernetes-preserve-unknown-fields: true}}}}`,
	`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, additionalProperties: {type: array, items: {type: boolean}}}}`,
	`{type: string, format: byte}`,
	`{type: string, format: duration}`,
	`{x-kubernetes-preserve-unknown-fields: true}`,
	`{type: list}`,
}

func FuzzValue(f *testing.F) {
	for i, data := range []string{`{"a": "x", "a-b": [1, "y"], "if": 1.5, "c": null}`, `{"a": null}`, `{"kind": "K", "x": [{}]}`,
		`[{"a": 1}, {"a": "b"}]`, `["2020-01-01T00:00:00Z", 1]`, `[{"a": "x", "if": []}, {"a": {}}]`, `[{"a": [true]}, 1]`} {
		f.Add(i, data, `[1, "a"]`)
		f.Add(i, data, data)
	}
	f.Fuzz(func(t *testing.T, i int, data, other string) {
		s := compile(t, fuzzSchemas[uint(i)%uint(len(fuzzSchemas))], false)
		var x, y any
		if json.Unmarshal([]byte(data), &x) != nil || json.Unmarshal([]byte(other), &y) != nil {
			t.Skip()
		}
		exercise(s.Value(x), s.Value(y))
		exercise(s.Value(x), types.DefaultTypeAdapter.NativeToValue(y))
		exercise(types.DefaultTypeAdapter.NativeToValue(x), s.Value(y))
		hashed(func() {
			if eq := s.Value(x).Equal(s.Value(x)); eq == types.False && isObject(x) {
				t.Errorf("%s does not equal itself", data)
			}
		})
	})
}

// hashed runs what may panic on keys that Go cannot hash, as an API server does.
func hashed(f func()) {
	defer func() {
		if r := recover(); r != nil && !strings.HasPrefix(fmt.Sprint(r), "runtime error: hash of unhashable type ") {
			panic(r)
		}
	}()
	f()
}

func isObject(data any) bool {
	_, ok := data.(map[string]any)
	return ok
}

// exercise uses values in every way.
func exercise(x, y ref.Val) {
	compare := func(x, y ref.Val) { hashed(func() { x.Equal(y) }) }
	compare(x, y)
	x.ConvertToType(types.StringType)
	if a, ok := x.(traits.Adder); ok {
		sum := a.Add(y)
		compare(sum, x)
		compare(x, sum)
		if a, ok := sum.(traits.Adder); ok {
			compare(a.Add(x), sum)
		}
	}
	if m, ok := x.(traits.Mapper); ok {
		m.ConvertToNative(reflect.TypeFor[map[string]any]())
		m.Find(y)
		m.Contains(types.String("a"))
		for it := m.Iterator(); it.HasNext() == types.True; {
			m.Get(it.Next())
		}
	}
	if l, ok := x.(traits.Lister); ok {
		l.ConvertToNative(reflect.TypeFor[[]string]())
		hashed(func() { l.Contains(y) })
		l.Get(y)
		for it := l.Iterator(); it.HasNext() == types.True; {
			it.Next()
		}
	}
}
