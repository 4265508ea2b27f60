package typesystem_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// documents are decoded, or refused, by an API server in the same way; the wording of errors is ours.
var documents = []struct {
	doc, err string
}{
	{`{}`, ``},
	{`{"type": "object", "Type": "string", "typo": 1}`, ``},
	{`{"maxLength": 5, "maximum": 5, "minimum": 0.5, "multipleOf": 1e2}`, ``},
	{`{"type": null, "maxLength": null, "properties": null, "items": null, "enum": null, "default": null}`, ``},
	{`{"properties": {"a": null}, "allOf": [null], "enum": [null, 1, 1.5, "x", {"a": [1]}]}`, ``},
	{`{"items": {"type": "string"}}`, ``},
	{`{"items": []}`, ``},
	{`{"items": [{"type": "string"}]}`, ``},
	{`{"items": true}`, ``},
	{`{"items": "text"}`, ``},
	{`{"additionalProperties": true, "additionalItems": {"type": "string"}}`, ``},
	{`{"dependencies": {"a": ["b"], "c": {"type": "string"}, "d": 1, "e": null}}`, ``},
	{`{"default": {"a": 1}, "example": [1], "externalDocs": {"url": "x"}}`, ``},
	{`{"x-kubernetes-validations": [{"rule": "true", "reason": "FieldValueInvalid", "optionalOldSelf": true, "extra": 1}]}`, ``},
	{`{"description": "\ud800 \u00e9"}`, ``},
	{`{"type": ["string"]}`, `type: cannot use an array as a string`},
	{`{"type": 1}`, `type: cannot use a whole number as a string`},
	{`{"maxLength": 1.5}`, `maxLength: cannot use the number 1.5 as a whole number`},
	{`{"maxLength": 1.0}`, `maxLength: cannot use the number 1 as a whole number`},
	{`{"maxLength": 9223372036854775808}`, `maxLength: cannot use the number 9.223372036854776e+18 as a whole number`},
	{`{"maxLength": "1"}`, `maxLength: cannot use a string as a whole number`},
	{`{"maximum": "1"}`, `maximum: cannot use a string as a number`},
	{`{"nullable": "true"}`, `nullable: cannot use a string as a boolean`},
	{`{"required": "a"}`, `required: cannot use a string as an array`},
	{`{"required": ["a", 1]}`, `required[1]: cannot use a whole number as a string`},
	{`{"properties": []}`, `properties: cannot use an array as an object`},
	{`{"properties": {"b": {"type": 1}, "a": {"items": {"format": true}}}}`, `properties[a].items.format: cannot use a boolean as a string`},
	{`{"items": [{}, {"type": 1}]}`, `items[1].type: cannot use a whole number as a string`},
	{`{"additionalProperties": 1}`, `additionalProperties: boolean or JSON schema expected`},
	{`{"additionalProperties": []}`, `additionalProperties: boolean or JSON schema expected`},
	{`{"additionalProperties": {"type": 1}}`, `additionalProperties.type: cannot use a whole number as a string`},
	{`{"dependencies": {"a": [1]}}`, `dependencies[a][0]: cannot use a whole number as a string`},
	{`{"x-kubernetes-validations": [{"rule": 1}]}`, `x-kubernetes-validations[0].rule: cannot use a whole number as a string`},
	{`{"allOf": {"type": "string"}}`, `allOf: cannot use an object as an array`},
	{`[]`, `cannot use an array as an object`},
	{`"x"`, `cannot use a string as an object`},
	{`{"type": }`, ``},
}

func TestParseOpenAPI(t *testing.T) {
	for _, c := range documents {
		_, err := typesystem.ParseOpenAPI([]byte(c.doc))
		if text := errorText(err); text != c.err {
			t.Errorf("%s: %q, want %q", c.doc, text, c.err)
		}
		if _, ok := errs.As[*diag.InputError](err); err != nil && !ok {
			t.Errorf("%s: error of type %T", c.doc, err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestParsedFields(t *testing.T) {
	doc, err := typesystem.ParseOpenAPI([]byte(`
type: object
maximum: 2
maxLength: 3
enum: [1, 1.5, null]
items: [{type: string}]
additionalProperties: {type: integer}
dependencies: {a: [b], c: {type: string}}
x-kubernetes-preserve-unknown-fields: true
x-kubernetes-validations: [{rule: "true", message: m, messageExpression: "''", fieldPath: .a, reason: r, optionalOldSelf: true}]
`))
	if err != nil {
		t.Fatal(err)
	}
	maximum, maxLength, yes, reason := 2.0, int64(3), true, "r"
	want := &typesystem.OpenAPI{
		Type: "object", Maximum: &maximum, MaxLength: &maxLength, PreserveUnknownFields: &yes,
		Enum:                 []typesystem.JSON{{Value: int64(1)}, {Value: 1.5}, {}},
		Items:                &typesystem.SchemaOrArray{Array: []typesystem.OpenAPI{{Type: "string"}}},
		AdditionalProperties: &typesystem.SchemaOrBool{Allows: true, Schema: &typesystem.OpenAPI{Type: "integer"}},
		Dependencies: map[string]typesystem.Dependency{
			"a": {Property: []string{"b"}}, "c": {Schema: &typesystem.OpenAPI{Type: "string"}},
		},
		Validations: []typesystem.Rule{{Expr: "true", Message: "m", MessageExpression: "''", FieldPath: ".a",
			Reason: &reason, OptionalOldSelf: &yes}},
	}
	if !reflect.DeepEqual(doc, want) {
		t.Errorf("got  %+v\nwant %+v", doc, want)
	}
}

func TestParseRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"items":`, n) + "{}" + strings.Repeat("}", n) }
	for name, doc := range map[string]string{
		"nothing":       "",
		"null":          "null",
		"broken":        `{"type": "object"`,
		"not text":      "\x00\xff",
		"tab":           "a:\n\t- b",
		"deep JSON":     deep(20000),
		"deep YAML":     strings.Repeat("[", 20000),
		"deeper blocks": strings.Repeat("- ", 20000),
		"yaml bomb":     "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]",
	} {
		if parsed, err := typesystem.ParseOpenAPI([]byte(doc)); err == nil {
			t.Errorf("%s: %+v", name, parsed)
		}
	}
	if _, err := typesystem.ParseOpenAPI([]byte(deep(9000))); err != nil {
		t.Errorf("9,000 deep: %.80v", err)
	}
}

// TestExhaustiveDepth compiles and uses a schema as deep as documents may be, and
// one less deep under the race detector.
func TestExhaustiveDepth(t *testing.T) {
	depth, lists := 4900, 9000
	if race.Enabled {
		depth, lists = 490, 900
	}
	doc := strings.Repeat(`{"type":"object","properties":{"a":`, depth) + `{"type":"string"}` + strings.Repeat("}}", depth)
	s := compile(t, doc, true)
	p := typesystem.NewProvider(types.NewEmptyRegistry(), s, "T")
	if _, ok := p.FindStructFieldType("T"+strings.Repeat(".a", depth-1), "a"); !ok {
		t.Error("no field at the bottom")
	}
	var data any = "x"
	for range depth {
		data = map[string]any{"a": data}
	}
	value := s.Value(data)
	if eq := value.Equal(s.Value(data)); eq != types.True {
		t.Error(eq)
	}
	list := compile(t, strings.Repeat(`{"type":"array","items":`, lists)+`{"type":"object"}`+strings.Repeat("}", lists), false)
	if name := typesystem.NewProvider(types.NewEmptyRegistry(), list, "T").Type().String(); len(name) < lists*6 {
		t.Error("the type of a deep list is short")
	}
}

func FuzzParseOpenAPI(f *testing.F) {
	for _, c := range documents {
		f.Add([]byte(c.doc))
	}
	f.Add([]byte("type: array\nitems: {type: string, maxLength: 3}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := typesystem.ParseOpenAPI(data)
		if (doc == nil) != (err != nil) {
			t.Fatalf("%v and %v", doc, err)
		}
		if s, err := typesystem.Compile(doc, true); err == nil {
			s.Sizes(release.Newest()).SizeOf([]string{"self", "metadata", "name"})
			s.Value(map[string]any{"a": "b"}).Equal(types.NullValue)
		}
	})
}

func TestHugeDocument(t *testing.T) {
	const n = 20000
	var b strings.Builder
	b.WriteString(`{"type": "object", "properties": {"p": {}`)
	for i := range n {
		fmt.Fprintf(&b, `, "p%d": {"type": "string"}`, i)
	}
	b.WriteString("}}")
	s := compile(t, b.String(), true)
	for i := range n {
		if s.Field(fmt.Sprint("p", i)) == nil {
			t.Fatalf("no field p%d", i)
		}
	}
}
