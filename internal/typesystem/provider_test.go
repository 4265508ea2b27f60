package typesystem_test

import (
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/typesystem"
)

const providerSchema = `
type: object
properties:
  namespace: {type: string}
  spec:
    type: object
    properties:
      list: {type: array, items: {type: object, properties: {a-b: {type: number}}}}
      map: {type: object, additionalProperties: {type: array, items: {type: object, properties: {x: {type: boolean}}}}}
      hidden: {x-kubernetes-preserve-unknown-fields: true}
`

func TestProviderFields(t *testing.T) {
	p := typesystem.NewProvider(types.NewEmptyRegistry(), compile(t, providerSchema, false), "T")
	for _, c := range []struct{ object, field, want string }{
		{"T", "spec", "T.spec"},
		{"T", "__namespace__", "string"},
		{"T", "namespace", "string"},
		{"T", "metadata", ""},
		{"T.spec", "list", "list(T.spec.list.@idx)"},
		{"T.spec", "map", "map(string, list(T.spec.map.@elem.@idx))"},
		{"T.spec", "hidden", ""},
		{"T.spec.list.@idx", "a__dash__b", "double"},
		{"T.spec.list.@idx", "a-b", ""},
		{"T.spec.list", "a__dash__b", ""},
		{"T.spec.map", "any", "list(T.spec.map.@elem.@idx)"},
		{"T.spec.map.@elem.@idx", "x", "bool"},
		{"map", "any", "google.protobuf.Any"},
		{"string", "any", ""},
		{"Tspec", "list", ""},
		{"T.", "", ""},
		{"", "", ""},
	} {
		got := ""
		if f, ok := p.FindStructFieldType(c.object, c.field); ok {
			got = f.Type.String()
		}
		if got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.field, c.object, got, c.want)
		}
	}
	old := p.WithoutKeywordFields()
	if _, ok := old.FindStructFieldType("T", "namespace"); ok {
		t.Error("namespace is a field without keyword fields")
	}
	if _, ok := old.FindStructFieldType("T", "__namespace__"); !ok {
		t.Error("__namespace__ is no field without keyword fields")
	}
	if names, ok := p.FindStructFieldNames("T"); ok || len(names) > 0 {
		t.Errorf("field names %v", names)
	}
}

func TestProviderTypes(t *testing.T) {
	base, err := types.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	p := typesystem.NewProvider(base, compile(t, providerSchema, false), "T")
	for name, want := range map[string]string{
		"T": "type(T)", "T.spec": "type(T.spec)", "T.namespace": "",
		"T.spec.list": "type(list(T.spec.list.@idx))", "T.spec.list.@elem": "",
		"duration": "type(google.protobuf.Duration)", "timestamp": "type(google.protobuf.Timestamp)",
		"null_type": "type(null_type)", "list": "type(list(google.protobuf.Any))", "dyn": "",
		// The base knows protobuf messages.
		"google.protobuf.Struct": "type(map(string, dyn))",
	} {
		got := ""
		if found, ok := p.FindStructType(name); ok {
			got = found.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if v := p.NativeToValue(int64(3)); v != types.Int(3) {
		t.Errorf("NativeToValue(3) = %v", v)
	}
	if v := p.NewValue("T", nil); !types.IsError(v) {
		t.Errorf("an object was made: %v", v)
	}
	if got := typesystem.NewProvider(base, compile(t, "{}", false), "T").Type(); got != types.DynType {
		t.Errorf("type of what is not exposed: %v", got)
	}
}

// TestListRoot: the places of lists and maps below a list start at list, and those of objects at the
// name, as in an API server.
func TestListRoot(t *testing.T) {
	s := compile(t, `{type: array, items: {type: array, items: {type: object, properties: {l: {type: array, items: {type: string}}}}}}`, false)
	p := typesystem.NewProvider(types.NewEmptyRegistry(), s, "T")
	for name, want := range map[string]string{
		"T": "", "T.@idx": "", "T.@idx.@idx": "type(T.@idx.@idx)", "list": "type(list(list(T.@idx.@idx)))",
		"list.@idx": "type(list(T.@idx.@idx))", "list.@idx.@idx": "", "list.@idx.@idx.l": "type(list(string))",
	} {
		got := ""
		if found, ok := p.FindStructType(name); ok {
			got = found.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	m := typesystem.NewProvider(types.NewEmptyRegistry(), compile(t, `{type: object, additionalProperties: {type: integer}}`, false), "T")
	if f, ok := m.FindStructFieldType("map", "x"); !ok || f.Type != types.IntType {
		t.Errorf("a field of map is %v", f)
	}
	if _, ok := m.FindStructType("T"); ok {
		t.Error("the root is found by its name")
	}
}
