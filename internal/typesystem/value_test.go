package typesystem_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/internal/data"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// goValues are the data of testdata/typesystem/values.yaml, by name.
var goValues = []struct {
	name  string
	value any
}{
	{"none", nil},
	{"string", "x"},
	{"empty string", ""},
	{"base64", "aGk="},
	{"base64 url", "_-8="},
	{"base64 std", "/+8="},
	{"duration", "1h30m"},
	{"duration 0", "0"},
	{"duration days", "2 days"},
	{"duration bad", "1x"},
	{"date", "2024-02-29"},
	{"date bad", "2023-02-29"},
	{"date-time", "2024-02-29T12:00:00.123456789+02:00"},
	{"date-time local", "2024-02-29T12:00:00"},
	{"int64", int64(5)},
	{"int", int(6)},
	{"int32", int32(7)},
	{"float64", 1.5},
	{"whole float64", 2.0},
	{"float32", float32(2.5)},
	{"uint64", uint64(8)},
	{"int8", int8(9)},
	{"bool", true},
	{"list", []any{int64(1), int64(2)}},
	{"empty list", []any{}},
	{"nil list", []any(nil)},
	{"mixed list", []any{"a", nil, 1.5}},
	{"[]string", []string{"a"}},
	{"map", map[string]any{"a": int64(1)}},
	{"empty map", map[string]any{}},
	{"nil map", map[string]any(nil)},
	{"map of null", map[string]any{"a": nil}},
	{"map[any]any", map[any]any{"a": 1}},
	{"map[string]string", map[string]string{"a": "b"}},
	{"time", time.Time{}},
	{"pointer", new(int)},
	{"func", func() {}},
}

func TestValues(t *testing.T) {
	data, err := os.ReadFile("../../testdata/typesystem/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Schema string
		Want   map[string]string
	}
	if err := yaml.UnmarshalStrict(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := compile(t, c.Schema, false)
		for _, v := range goValues {
			got := s.Value(v.value)
			text := describe(got)
			if got.Type() == types.UnknownType {
				text = fmt.Sprintf("unknown %T", got.Value())
			}
			if want, ok := c.Want[v.name]; !ok || text != want {
				t.Errorf("%s of %s: got  %s\nwant %s", c.Schema, v.name, text, want)
			}
		}
	}
}

// TestEqualOrder: where some values differ and others cannot be compared, the outcome does not depend
// on the order of Go maps.
func TestEqualOrder(t *testing.T) {
	s := compile(t, `{type: object, additionalProperties: {type: integer}}`, false)
	data := map[string]any{"a": "x", "b": int64(1), "c": 1.5, "d": int64(2), "e": true}
	other := map[string]any{"a": "x", "b": int64(1), "c": 1.5, "d": int64(2), "e": true}
	for range 100 {
		eq := s.Value(data).Equal(s.Value(other))
		if text := describe(eq); text != "error: invalid data, expected int, got string" {
			t.Fatal(text)
		}
	}
	other["d"] = int64(3)
	for range 100 {
		if eq := s.Value(data).Equal(s.Value(other)); eq != types.False {
			t.Fatal(describe(eq))
		}
	}
}

func TestConvertToNative(t *testing.T) {
	texts := compile(t, `{type: array, items: {type: string}}`, false)
	numbers := compile(t, `{type: array, items: {type: integer}}`, false)
	object := compile(t, `{type: object, properties: {a: {type: integer}}}`, false)
	preserved := compile(t, `{x-kubernetes-preserve-unknown-fields: true}`, false)
	for _, c := range []struct {
		schema       *typesystem.Schema
		data         any
		to           reflect.Type
		want, server string
	}{
		{texts, []any{"a", "b"}, reflect.TypeFor[[]string](), `[]string{"a", "b"}`, ""},
		{texts, []any{}, reflect.TypeFor[[]any](), `[]interface {}{}`, `[]string(nil)`},
		{texts, []any{"a", 1}, reflect.TypeFor[[]string](), `expected all elements to be of type string, but got int`, ""},
		{texts, []any{"a"}, reflect.TypeFor[string](),
			`type conversion error from 'list' to 'string': a list cannot be stored in the Go type string`,
			`type conversion error from 'list(dyn)' to 'string'`},
		{texts, []any{"a"}, reflect.TypeFor[any](), `[]interface {}{"a"}`, `type conversion error from 'list(dyn)' to 'interface {}'`},
		{numbers, []any{1}, reflect.TypeFor[[]int64](), `[]int64{1}`, `[]interface {}{1}`},
		{object, map[string]any{"a": 1}, reflect.TypeFor[map[string]int](), `map[string]int{"a":1}`, `map[string]interface {}{"a":1}`},
		{object, map[string]any{"a": 1}, reflect.TypeFor[struct{}](), `struct {}{}`, `type conversion error from 'map(dyn, dyn)' to 'struct {}'`},
		{preserved, 1, reflect.TypeFor[int](), `1`,
			`type conversion to 'int' not supported for values preserved by x-kubernetes-preserve-unknown-fields`},
	} {
		v := c.schema.Value(c.data)
		for view, want := range map[ref.Val]string{v: c.want, data.AsServer(v): cmp.Or(c.server, c.want)} {
			got, err := view.ConvertToNative(c.to)
			text := fmt.Sprintf("%#v", got)
			if err != nil {
				text = err.Error()
			}
			if text != want {
				t.Errorf("%v to %v: %s, want %s", c.data, c.to, text, want)
			}
		}
	}
}

// TestConvertToMessages holds that data converts to the messages of JSON, alone and in the lists and
// maps of cel-go.
func TestConvertToMessages(t *testing.T) {
	s := compile(t, `{type: object, properties: {env: {type: array, items: {type: object, properties: {n: {type: integer}}}},
		any: {x-kubernetes-preserve-unknown-fields: true}}}`, false)
	v := s.Value(map[string]any{"env": []any{map[string]any{"n": int64(1)}}, "any": map[string]any{"a": "b"}})
	env, _ := v.(traits.Mapper).Find(types.String("env"))
	const list, whole = `[{"n":1}]`, `{"any":{"a":"b"},"env":[{"n":1}]}`
	nested := types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{types.String("x"): env})
	for _, c := range []struct {
		value ref.Val
		to    reflect.Type
		want  string
	}{
		{v, reflect.TypeFor[*structpb.Value](), whole},
		{v, reflect.TypeFor[*structpb.Struct](), whole},
		{env, reflect.TypeFor[*structpb.Value](), list},
		{env, reflect.TypeFor[*structpb.ListValue](), list},
		{nested, reflect.TypeFor[*structpb.Struct](), `{"x":` + list + `}`},
		{nested, reflect.TypeFor[map[string]any](), `{"x":` + list + `}`},
		{v, reflect.TypeFor[*anypb.Any](), `{"@type":"type.googleapis.com/google.protobuf.Struct","value":` + whole + `}`},
	} {
		got, err := c.value.ConvertToNative(c.to)
		var text []byte
		if m, ok := got.(proto.Message); ok {
			text, err = protojson.Marshal(m)
		} else if err == nil {
			text, err = json.Marshal(got)
		}
		if compact := strings.ReplaceAll(string(text), " ", ""); err != nil || compact != c.want {
			t.Errorf("to %v: %s, %v; want %s", c.to, compact, err, c.want)
		}
	}
}

// TestNullDefault: a default of null, which no document decodes to, is none.
func TestNullDefault(t *testing.T) {
	doc := func(def *typesystem.JSON) *typesystem.OpenAPI {
		return &typesystem.OpenAPI{Type: "object", Required: []string{"a"},
			Properties: map[string]*typesystem.OpenAPI{"a": {Type: "string", Default: def}}}
	}
	for def, want := range map[*typesystem.JSON]uint64{nil: 314572, {}: 314572, {Value: "x"}: 1048576} {
		s, err := typesystem.Compile(doc(def), false)
		if err != nil {
			t.Fatal(err)
		}
		if n := s.MaxCardinality(); n != want {
			t.Errorf("default %v: cardinality %d, want %d", def, n, want)
		}
	}
}

// TestListKeyOfWrongType: the evaluation ends in a panic, as in an API server.
func TestListKeyOfWrongType(t *testing.T) {
	s := compile(t, `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object}}`, false)
	list := []any{map[string]any{"k": []any{"a"}}}
	for _, own := range [][]any{list, {map[string]any{"k": "a"}}} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != "runtime error: hash of unhashable type []interface {}" {
					t.Error(got)
				}
			}()
			s.Value(own).Equal(s.Value(list))
		}()
	}
}
