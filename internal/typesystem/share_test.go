package typesystem_test

import (
	"testing"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// Equal parts of a schema are one schema, and parts that differ in anything that
// can be seen are not.
func TestSharing(t *testing.T) {
	const base = "type: object, properties: {s: {type: string, maxLength: 5}}"
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{base, base, true},
		{base, "type: object, description: words, properties: {s: {type: string, maxLength: 5, pattern: x}}", true},
		{base, "type: object, properties: {s: {type: string, maxLength: 6}}", false},
		{base, "type: object, properties: {t: {type: string, maxLength: 5}}", false},
		{base, "type: object, properties: {s: {type: string, maxLength: 5, nullable: true}}", false},
		{base, "type: object, properties: {s: {type: string, maxLength: 5, default: x}}", false},
		{base, "type: object, nullable: true, properties: {s: {type: string, maxLength: 5}}", false},
		{"type: number, default: 1", "type: number, default: '1'", false},
		{"type: number, default: 1", "type: number, default: 1", true},
		{"type: array, items: {type: string}", "type: array, items: {type: string}", true},
		{"type: array, items: {type: string}", "type: array, items: {type: integer}", false},
		{"type: array, x-kubernetes-list-type: set, items: {type: string}", "type: array, items: {type: string}", false},
		{"type: object, additionalProperties: {type: string}", "type: object, additionalProperties: {type: boolean}", false},
		{
			"type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}}",
			"type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, properties: {b: {type: string}}}}",
			false,
		},
		{"x-kubernetes-int-or-string: true", "x-kubernetes-preserve-unknown-fields: true", false},
	} {
		doc, err := typesystem.ParseOpenAPI([]byte("{type: object, properties: {a: {" + tt.a + "}, b: {" + tt.b + "}}}"))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := typesystem.Compile(doc, true)
		if err != nil {
			t.Fatal(err)
		}
		a := schema.Property("a")
		b := schema.Property("b")
		if same := a == b; same != tt.same {
			t.Errorf("%s\n%s\none schema: %v, want %v", tt.a, tt.b, same, tt.same)
		}
	}
}
