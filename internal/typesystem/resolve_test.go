package typesystem_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/internal/typesystem"
)

const components = `
components:
  schemas:
    example.Kind:
      type: object
      properties:
        apiVersion: {type: string}
        kind: {type: string}
        metadata: {allOf: [{$ref: '#/components/schemas/example.Meta'}], default: {}, description: metadata}
        spec: {$ref: '#/components/schemas/example.Spec'}
      x-kubernetes-group-version-kind:
      - {group: example.com, kind: Kind, version: v1}
      - {group: '', kind: Kind, version: v2}
    example.Meta:
      type: object
      properties:
        name: {type: string}
        generateName: {type: string}
        labels: {type: object, additionalProperties: {type: string, default: ''}}
    example.Spec:
      type: object
      properties:
        ports: {type: array, items: {$ref: '#/components/schemas/example.Port'}, x-kubernetes-list-type: set}
        byName: {type: object, additionalProperties: {$ref: '#/components/schemas/example.Port'}}
        more: {$ref: '#/components/schemas/example.Tree'}
        raw: {type: object}
        size: {$ref: '#/components/schemas/example.Quantity'}
    example.Port: {format: int-or-string, oneOf: [{type: integer}, {type: string}]}
    example.Quantity: {oneOf: [{type: string}, {type: number}]}
    example.Tree:
      type: object
      properties:
        name: {type: string}
        children: {type: array, items: {$ref: '#/components/schemas/example.Tree'}}
    example.Lost: {type: object, properties: {a: {type: array, items: {$ref: '#/components/schemas/nothing'}}}}
    example.Alias: {$ref: '#/components/schemas/example.Alias'}
    example.Wrong: {type: object, properties: {a: {type: 1}}}
`

func TestComponents(t *testing.T) {
	c, err := typesystem.ParseComponents([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.Kinds()); got != "[{example.com/v1 Kind} {v2 Kind}]" {
		t.Error(got)
	}
	for _, kind := range c.Kinds() {
		doc, err := c.Kind(kind)
		if err != nil {
			t.Fatal(err)
		}
		s, err := typesystem.Compile(doc, true)
		if err != nil {
			t.Fatal(err)
		}
		p := typesystem.NewProvider(types.NewEmptyRegistry(), s, "T")
		for place, want := range map[string]string{
			"T.metadata labels": "map(string, string)", "T.spec ports": "list(dyn)", "T.spec byName": "map(string, dyn)",
			"T.spec.more children": "list(T.spec.more.children.@idx)", "T.spec raw": "T.spec.raw", "T.spec size": "none",
			"T.spec.more.children.@idx name": "none", // as in an API server, a cycle ends in an object without fields
		} {
			of, name, _ := strings.Cut(place, " ")
			got := "none"
			if f, ok := p.FindStructFieldType(of, name); ok {
				got = f.Type.String()
			}
			if got != want {
				t.Errorf("%v: %s is %s, want %s", kind, place, got, want)
			}
		}
	}
}

func TestComponentsRefuse(t *testing.T) {
	c, err := typesystem.ParseComponents([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"example.Lost":  "properties[a].items: schema: #/components/schemas/nothing refers to no schema",
		"example.Wrong": "schema: properties[a].type: cannot use a whole number as a string",
		"example.None":  "schema: #/components/schemas/example.None refers to no schema",
	} {
		_, err := c.Schema(name)
		if _, ok := errs.As[*diag.InputError](err); !ok || err.Error() != want {
			t.Errorf("%s: %T %v, want %s", name, err, err, want)
		}
	}
	if _, err := c.Schema("example.Alias"); err != nil {
		t.Errorf("a reference to itself: %v", err)
	}
	if _, err := c.Kind(typesystem.Kind{APIVersion: "v1", Name: "None"}); errorText(err) != "no schema of kind None of v1 in the OpenAPI document" {
		t.Error(err)
	}
	for _, text := range []string{"", "1", "components: 1", "components: {schemas: []}", "a: ["} {
		if _, err := typesystem.ParseComponents([]byte(text)); err == nil {
			t.Errorf("%q is no document with schemas", text)
		}
	}
}

// TestResolveIsBounded gives references that double at each of many levels.
func TestResolveIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("components:\n  schemas:\n")
	for i := range 60 {
		ref := fmt.Sprintf("{$ref: '#/components/schemas/T%d'}", i+1)
		fmt.Fprintf(&b, "    T%d: {type: object, properties: {a: %s, b: %s}}\n", i, ref, ref)
	}
	b.WriteString("    T60: {type: string}\n")
	c, err := typesystem.ParseComponents([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Schema("T0"); err == nil || !strings.Contains(err.Error(), "more than 100000 places") {
		t.Errorf("error %.200v", err)
	}
}
