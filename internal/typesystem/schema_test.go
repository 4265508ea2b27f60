package typesystem_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

func TestProperties(t *testing.T) {
	s := compile(t, `{type: object, properties: {b: {type: string}, a-b: {type: integer}, if: {}, 9: {type: string}, "": {type: string}}}`, false)
	var got []string
	for p := range s.Properties() {
		got = append(got, fmt.Sprintf("%s=%s:%s", p.Name, p.Ident, p.Schema.Type))
	}
	if text := strings.Join(got, " "); text != "=:string 9=:string a-b=a__dash__b:integer b=b:string if=__if__:" {
		t.Error(text)
	}
	for range s.Properties() {
		break
	}
	for ident, want := range map[string]bool{"b": true, "a__dash__b": true, "a-b": false, "9": false, "": false, "__if__": false, "if": false} {
		if got := s.Field(ident); (got != nil) != want {
			t.Errorf("Field(%q): %v", ident, got)
		}
	}
	for name, want := range map[string]bool{"b": true, "a-b": true, "a__dash__b": false, "9": true, "": true, "if": true, "c": false} {
		if got := s.Property(name); (got != nil) != want {
			t.Errorf("Property(%q): %v", name, got)
		}
	}
}

func TestSchemaFields(t *testing.T) {
	s := compile(t, `{type: array, nullable: true, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a-b, c],
		items: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true,
		additionalProperties: {x-kubernetes-int-or-string: true}}}`, false)
	items := s.Items
	if s.Type != "array" || !s.Nullable || s.ListType != "map" || fmt.Sprint(s.ListMapKeys) != "[a-b c]" ||
		!items.EmbeddedResource || !items.PreserveUnknownFields ||
		!items.AdditionalProperties.IntOrString || items.Nullable || s.EmbeddedResource {
		t.Errorf("%+v of %+v", s, items)
	}
}

func TestWithObjectMeta(t *testing.T) {
	const declared = `{type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: string}, apiVersion: {type: string},
		metadata: {type: object, properties: {name: {type: string}, generateName: {type: string}, labels: {type: object}}}}}`
	if s := compile(t, declared, true); s.WithObjectMeta() != s {
		t.Error("a schema that declares the fields is copied")
	}
	if s := compile(t, `{type: object}`, false); s.WithObjectMeta() != s {
		t.Error("a schema of no resource is copied")
	}
	for _, c := range []struct {
		schema string
		root   bool
	}{{`{type: object, properties: {spec: {type: object}}}`, true}, {`{type: object, x-kubernetes-embedded-resource: true}`, false}} {
		s := compile(t, c.schema, c.root)
		meta := s.WithObjectMeta()
		if meta == s || meta.WithObjectMeta() != meta {
			t.Errorf("%s: the implicit fields are not there once", c.schema)
		}
		for _, name := range []string{"kind", "apiVersion", "metadata"} {
			if s.Property(name) != nil {
				t.Errorf("%s: %s is a property", c.schema, name)
			}
			if field := s.Field(name); field == nil || field != meta.Property(name) {
				t.Errorf("%s: %s is no field", c.schema, name)
			}
		}
	}
}

const benchSchema = `{type: object, properties: {name: {type: string}, replicas: {type: integer},
	labels: {type: object, additionalProperties: {type: string}}, x-y: {type: string},
	items: {type: array, items: {type: object, properties: {name: {type: string}}}}}}`

var benchData = map[string]any{
	"name": "n", "replicas": int64(3), "labels": map[string]any{"a": "b"}, "x-y": "z",
	"items": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
}

// TestAllocations pins what a field selection allocates: the object and the field's value.
func TestAllocations(t *testing.T) {
	s := compile(t, benchSchema, false)
	for field, want := range map[ref.Val]float64{
		types.String("name"):        2,
		types.String("x__dash__y"):  2,
		types.String("replicas"):    1, // small integers take no memory
		types.String("labels"):      2,
		types.String("nosuch"):      1,
		types.String("a__dot__b"):   2, // unescaped in vain
		types.String("__dash__x__"): 2,
	} {
		got := testing.AllocsPerRun(100, func() { s.Value(benchData).(traits.Mapper).Find(field) })
		if got > want {
			t.Errorf("%v: %v allocations, want %v", field, got, want)
		}
	}
	sizes := s.Sizes(release.Newest())
	if n := testing.AllocsPerRun(100, func() { sizes.SizeOf([]string{"self", "items", "@items", "name"}) }); n > 0 {
		t.Errorf("SizeOf allocates %v times", n)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	s := compile(t, benchSchema, true)
	value := s.WithObjectMeta().Value(benchData)
	p := typesystem.NewProvider(types.NewEmptyRegistry(), s, "T")
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				if eq := value.Equal(s.WithObjectMeta().Value(benchData)); eq != types.True {
					t.Error(eq)
				}
				exercise(value, value)
				p.FindStructFieldType("T", "items")
				s.Sizes(release.Newest()).SizeOf([]string{"self", "labels", "@values"})
			}
		}()
	}
	wg.Wait()
}

func BenchmarkFieldSelection(b *testing.B) {
	s := compile(b, benchSchema, false)
	field := ref.Val(types.String("name"))
	b.ReportAllocs()
	for b.Loop() {
		s.Value(benchData).(traits.Mapper).Find(field)
	}
}

func BenchmarkEqual(b *testing.B) {
	s := compile(b, benchSchema, false)
	b.ReportAllocs()
	for b.Loop() {
		s.Value(benchData).Equal(s.Value(benchData))
	}
}

func BenchmarkCompile(b *testing.B) {
	doc, err := typesystem.ParseOpenAPI([]byte(benchSchema))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typesystem.Compile(doc, true); err != nil {
			b.Fatal(err)
		}
	}
}
