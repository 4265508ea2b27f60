package typesystem

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel/cost"
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
		kind    cost.Source
		keyword string
		size    uint64
		place   string
	}{
		{"self.list", cost.SourceMissing, "maxItems", (3<<20 - 2) / 11, "properties[list]"},
		{"self.list.@items", cost.SourceNone, "", 0, "properties[list].items"},
		{"self.list.@items.id", cost.SourceDeclared, "maxLength", 28, "properties[list].items.properties[id]"},
		{"self.same.@items.id", cost.SourceDeclared, "maxLength", 28, "properties[same].items.properties[id]"},
		{"self.list.@items.n", cost.SourceNone, "", 0, "properties[list].items.properties[n]"},
		{"self.map", cost.SourceDeclared, "maxProperties", 9, "properties[map]"},
		{"self.map.@keys", cost.SourceNone, "", 0, "properties[map]"},
		{"self.map.@values", cost.SourceDeclared, "maxItems", 4, "properties[map].additionalProperties"},
		{"self.map.@values.@items", cost.SourceMissing, "maxLength", 3<<20 - 2, "properties[map].additionalProperties.items"},
		{"self.kind__dash__of", cost.SourceFixed, "enum", 3, "properties[kind-of]"},
		{"self.port", cost.SourceDeclared, "maxLength", 20, "properties[port]"},
		{"self.day", cost.SourceFixed, "format", 12, "properties[day]"},
		{"self.text", cost.SourceMissing, "maxLength", 3<<20 - 2, "properties[text]"},
		{"self.less", cost.SourceDeclared, "maxItems", 0, "properties[less]"},
		{"self.huge", cost.SourceDeclared, "maxLength", 0, "properties[huge]"},
		{"self.metadata.name", cost.SourceImplicit, "", 80, "properties[metadata].properties[name]"},
		{"self.kind", cost.SourceImplicit, "", 3<<20 - 2, "properties[kind]"},
		{"self.pod.metadata.generateName", cost.SourceImplicit, "", 252 * 4, "properties[pod].properties[metadata].properties[generateName]"},
		{"self", cost.SourceNone, "", 0, ""},
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
	if b, ok := schema.Bound(nil, []string{"self", "list"}, release.Newest()); !ok || b.Kind != cost.SourceMissing {
		t.Errorf("without the document: %+v", b)
	}
	if b, ok := schema.Bound(nil, []string{"self", "map"}, release.Newest()); !ok || b.Kind != cost.SourceDeclared || *b.Value != 9 {
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
