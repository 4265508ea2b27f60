package crd

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const thingCRD = `# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {plural: things, kind: Thing}
  scope: Namespaced
  unknown: ignored
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {a: {type: integer}}}}
    subresources: {status: {}}
  - name: v2
    served: true
    schema: {}
  - name: v3
    schema: {openAPIV3Schema: {type: object}}
    subresources: {status: null}
`

func TestRead(t *testing.T) {
	d, err := Read([]byte(thingCRD))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "things.example.com" || d.Group != "example.com" || d.Kind != "Thing" || d.Plural != "things" || len(d.Versions) != 3 {
		t.Errorf("%+v", d)
	}
	v1, err := d.Version("v1")
	if err != nil {
		t.Fatal(err)
	}
	if !v1.Served || !v1.Storage || !v1.Status || v1.Schema.Properties["a"].Type != "integer" {
		t.Errorf("%+v", v1)
	}
	if v3, err := d.Version("v3"); err != nil || v3.Served || v3.Storage || v3.Status {
		t.Errorf("%+v, %v", v3, err)
	}
	if _, err := d.Version("v2"); !errors.Is(err, ErrNoSchema) {
		t.Errorf("a version without schema: %v", err)
	}
	_, err = d.Version("v4")
	if !errors.Is(err, ErrNoVersion) || !strings.Contains(err.Error(), `["v1" "v2" "v3"]`) {
		t.Errorf("no such version: %v", err)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"no YAML", "a: b: c", ErrSyntax},
		{"bad indentation", "a:\n\t- b", ErrSyntax},
		{"not UTF-8", "a: \xff", ErrSyntax},
		{"bad JSON", `{"apiVersion": `, ErrSyntax},
		{"a scalar", "just text", ErrSyntax},
		{"a list", "[1, 2]", ErrSyntax},
		{"empty", "", ErrNotCRD},
		{"only a comment", "# nothing\n---\n", ErrNotCRD},
		{"null", "null", ErrNotCRD},
		{"no kind", "a: b", ErrNotCRD},
		{"another kind", "apiVersion: v1\nkind: Pod", ErrNotCRD},
		{"an old version", strings.Replace(thingCRD, "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1", 1), ErrNotCRD},
		{"field names in another case", strings.Replace(thingCRD, "kind: Custom", "Kind: Custom", 1), ErrNotCRD},
		{"two", thingCRD + "---\n" + thingCRD, ErrSeveral},
		{"beside another kind", thingCRD + "---\nkind: Pod", ErrNotCRD},
		{"versions of the wrong type", strings.Replace(thingCRD, "versions:", "versions: 1\n  others:", 1), ErrSyntax},
		{"schema of the wrong type", strings.Replace(thingCRD, "schema: {}", "schema: {openAPIV3Schema: {type: [a]}}", 1), ErrSyntax},
		{"schema that is text", strings.Replace(thingCRD, "schema: {}", "schema: {openAPIV3Schema: text}", 1), ErrSyntax},
		{"aliases without end", "a: &a [x, *a]", ErrSyntax},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d, err := Read([]byte(tt.text)); !errors.Is(err, tt.want) || err.Error() == "" {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
	if _, err := Read([]byte("---\n---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1")); err == nil || !strings.Contains(err.Error(), "since 1.22") {
		t.Errorf("no hint: %v", err)
	}
}

func TestDocuments(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"a", []string{"a"}},
		{"a\n---\nb", []string{"a\n", "---\nb"}},
		{"---\na\n---", []string{"---\na\n", "---"}},
		{"---\n---\n# c\n---\na\n", []string{"---\n", "---\n# c\n", "---\na\n"}},
		{"%YAML 1.1\n--- # c\na\n--- {b: c}\n---\r\nd", []string{"%YAML 1.1\n--- # c\na\n", "--- {b: c}\n", "---\r\nd"}},
		{"a: |\n  ---\n----\n---b\n", []string{"a: |\n  ---\n----\n---b\n"}},
	} {
		var got []string
		for _, d := range documents([]byte(tt.text)) {
			got = append(got, string(d))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, not %q", tt.text, got, tt.want)
		}
	}
}

func TestReadAll(t *testing.T) {
	list := "apiVersion: v1\nkind: List\nitems:\n- {kind: Pod}\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: {name: other}\n"
	all, err := ReadAll([]byte("---\nkind: Pod\n---\n" + thingCRD + "---\n" + list + "---\n# the end\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "things.example.com other" {
		t.Error(got)
	}
	if _, err := ReadAll([]byte("kind: Pod")); !errors.Is(err, ErrNotCRD) {
		t.Error(err)
	}
}

// FuzzDocument: nothing that is read makes reading, checking or compiling panic.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(thingCRD))
	for _, name := range []string{"schemas.yaml", "rules.yaml"} {
		var cases []schemaCase
		load(f, name, &cases)
		for _, c := range cases {
			schemas := c.Schemas
			if schemas == nil {
				schemas = append(schemas, c.Schema)
			}
			for _, s := range schemas {
				f.Add([]byte(strings.Replace(thingCRD, "schema: {}", `schema: {"openAPIV3Schema": `+string(s)+`}`, 1)))
			}
		}
	}
	env := newTestEnvironment()
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ReadAll(data)
		if err != nil {
			return
		}
		for _, d := range all {
			for _, finding := range Check(d, env) {
				_ = finding.Error.Error()
			}
			for _, v := range d.Versions {
				if v.Schema != nil {
					_, _ = NewValidator(v.Schema, true, env)
				}
			}
		}
	})
}
