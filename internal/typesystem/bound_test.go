package typesystem

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel/release"
)

const boundsDocument = `{"type": "object", "properties": {
	"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}},
	"list": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "maxLength": 7}, "n": {"type": "integer"}}}},
	"same": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "maxLength": 7}, "n": {"type": "integer"}}}},
	"map": {"type": "object", "maxProperties": 9, "additionalProperties": {"type": "array", "maxItems": 4, "items": {"type": "string", "format": "byte"}}},
	"kind-of": {"type": "string", "enum": ["a", "bcd"]}, "port": {"x-kubernetes-int-or-string": true, "maxLength": 5},
	"day": {"type": "string", "format": "date"}, "text": {"type": "string"}, "less": {"type": "array", "maxItems": -2, "items": {"type": "boolean"}},
	"huge": {"type": "string", "maxLength": 4611686018427387904}, "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	"pod": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}}`

// TestBound takes sizes from the reference's formulas: 3 MiB less two bytes,
// divided by what an element takes with a comma.
func TestBound(t *testing.T) {
	doc, err := ParseOpenAPI([]byte(boundsDocument))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := Compile(doc, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path    string
		kind    BoundKind
		keyword string
		size    uint64
		place   string
	}{
		{"self.list", BoundMissing, "maxItems", (3<<20 - 2) / 11, "properties[list]"},
		{"self.list.@items", BoundNone, "", 0, "properties[list].items"},
		{"self.list.@items.id", BoundDeclared, "maxLength", 28, "properties[list].items.properties[id]"},
		{"self.same.@items.id", BoundDeclared, "maxLength", 28, "properties[same].items.properties[id]"},
		{"self.list.@items.n", BoundNone, "", 0, "properties[list].items.properties[n]"},
		{"self.map", BoundDeclared, "maxProperties", 9, "properties[map]"},
		{"self.map.@keys", BoundNone, "", 0, "properties[map]"},
		{"self.map.@values", BoundDeclared, "maxItems", 4, "properties[map].additionalProperties"},
		{"self.map.@values.@items", BoundMissing, "maxLength", 3<<20 - 2, "properties[map].additionalProperties.items"},
		{"self.kind__dash__of", BoundFixed, "enum", 3, "properties[kind-of]"},
		{"self.port", BoundDeclared, "maxLength", 20, "properties[port]"},
		{"self.day", BoundFixed, "format", 12, "properties[day]"},
		{"self.text", BoundMissing, "maxLength", 3<<20 - 2, "properties[text]"},
		{"self.less", BoundDeclared, "maxItems", 0, "properties[less]"},
		{"self.huge", BoundDeclared, "maxLength", 0, "properties[huge]"},
		{"self.metadata.name", BoundImplicit, "", 80, "properties[metadata].properties[name]"},
		{"self.kind", BoundImplicit, "", 3<<20 - 2, "properties[kind]"},
		{"self.pod.metadata.generateName", BoundImplicit, "", 252 * 4, "properties[pod].properties[metadata].properties[generateName]"},
		{"self", BoundNone, "", 0, ""},
	} {
		path := strings.Split(test.path, ".")
		b, ok := schema.Bound(doc, path, release.Newest())
		size, sized := schema.Sizes(release.Newest()).SizeOf(path)
		if !ok || !sized || b.Size != size.Max {
			t.Errorf("%s: size %d, want that of SizeOf, %d", test.path, b.Size, size.Max)
		}
		if b.Kind != test.kind || b.Keyword != test.keyword || b.Size != test.size || b.Place.String() != test.place {
			t.Errorf("%s: %s %q %d at %q, want %+v", test.path, b.Kind, b.Keyword, b.Size, b.Place, test)
		}
		if !b.Adjustable() {
			continue
		}
		// The size that a bound promises is the one that the changed document gives.
		for _, v := range []int64{1, 17, 3 << 20} {
			changed, err := doc.WithBound(b.Place, b.Keyword, v)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Compile(changed, true)
			if err != nil {
				t.Fatal(err)
			}
			if size, _ := again.Sizes(release.Newest()).SizeOf(path); size.Max != b.At(v) {
				t.Errorf("%s: with %s %d the size is %d, promised %d", test.path, b.Keyword, v, size.Max, b.At(v))
			}
		}
	}
	if _, ok := schema.Bound(doc, []string{"self", "nope"}, release.Newest()); ok {
		t.Error("a field that is not there has a bound")
	}
	if b, ok := schema.Bound(nil, []string{"self", "list"}, release.Newest()); !ok || b.Kind != BoundMissing {
		t.Errorf("without the document: %+v", b)
	}
	if b, ok := schema.Bound(nil, []string{"self", "map"}, release.Newest()); !ok || b.Kind != BoundDeclared || *b.Value != 9 {
		t.Errorf("without the document: %+v", b)
	}
	if doc.Properties["list"].MaxItems != nil {
		t.Error("the document was changed")
	}
}

func TestWithBoundErrors(t *testing.T) {
	doc := &OpenAPI{Type: "object"}
	for _, test := range []struct {
		place   Place
		keyword string
	}{
		{Place{{Keyword: "properties", Name: "x"}}, "maxItems"}, {Place{{Keyword: "items"}}, "maxItems"},
		{Place{{Keyword: "additionalProperties"}}, "maxItems"}, {Place{{Keyword: "not"}}, "maxItems"}, {nil, "minimum"},
	} {
		if _, err := doc.WithBound(test.place, test.keyword, 1); err == nil {
			t.Errorf("%v %s: no error", test.place, test.keyword)
		}
	}
	if _, err := (*OpenAPI)(nil).WithBound(nil, "maxItems", 1); err == nil {
		t.Error("no error for no document")
	}
}

func TestPlaceData(t *testing.T) {
	p := Place{{"properties", "spec"}, {"properties", "a.b"}, {"items", ""}, {"additionalProperties", ""}, {"properties", "c"}}
	if p.Data() != "spec.a.b[*]{*}.c" || p.String() != "properties[spec].properties[a.b].items.additionalProperties.properties[c]" {
		t.Errorf("%s, %s", p.Data(), p)
	}
}
