package crd

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
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
	if d.Name != "things.example.com" || len(d.Versions) != 3 {
		t.Errorf("%+v", d)
	}
	v1, v3 := d.Versions[0], d.Versions[2]
	if !v1.Storage || !v1.Status || v1.Schema.Properties["a"].Type != "integer" {
		t.Errorf("%+v", v1)
	}
	if v3.Storage || v3.Status || v3.Schema == nil {
		t.Errorf("%+v", v3)
	}
	for name, want := range map[string]struct {
		index int
		err   string
	}{
		"": {0, ""}, "v1": {0, ""}, "v3": {2, ""},
		"v2": {0, `SchemaMissing: version "v2" has no schema`},
		"v4": {0, `VersionMissing: no version "v4", there are ["v1" "v2" "v3"]`},
	} {
		if i, err := d.Version(name); i != want.index || codeAndText(err) != want.err {
			t.Errorf("version %q: %d, %v", name, i, err)
		}
	}
}

func codeAndText(err error) string {
	if e, ok := errs.As[*diag.InputError](err); ok {
		return string(e.Code) + ": " + e.Error()
	}
	return ""
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       diag.Code
	}{
		{"no YAML", "a: b: c", diag.DocumentUnreadable},
		{"bad indentation", "a:\n\t- b", diag.DocumentUnreadable},
		{"not UTF-8", "a: \xff", diag.DocumentUnreadable},
		{"bad JSON", `{"apiVersion": `, diag.DocumentUnreadable},
		{"a scalar", "just text", diag.DocumentUnreadable},
		{"a list", "[1, 2]", diag.DocumentUnreadable},
		{"empty", "", diag.NotCRD},
		{"only a comment", "# nothing\n---\n", diag.NotCRD},
		{"null", "null", diag.NotCRD},
		{"no kind", "a: b", diag.NotCRD},
		{"another kind", "apiVersion: v1\nkind: Pod", diag.NotCRD},
		{"an old version", strings.Replace(thingCRD, "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1", 1), diag.NotCRD},
		{"field names in another case", strings.Replace(thingCRD, "kind: Custom", "Kind: Custom", 1), diag.NotCRD},
		{"two", thingCRD + "---\n" + thingCRD, diag.NotCRD},
		{"beside another kind", thingCRD + "---\nkind: Pod", diag.NotCRD},
		{"versions of the wrong type", strings.Replace(thingCRD, "versions:", "versions: 1\n  others:", 1), diag.DocumentUnreadable},
		{"schema of the wrong type", strings.Replace(thingCRD, "schema: {}", "schema: {openAPIV3Schema: {type: [a]}}", 1), diag.DocumentUnreadable},
		{"schema that is text", strings.Replace(thingCRD, "schema: {}", "schema: {openAPIV3Schema: text}", 1), diag.DocumentUnreadable},
		{"a separator that is none", "--- {a: b}\n", diag.DocumentUnreadable},
		{"a directive", "%YAML 1.1\n---\n" + thingCRD, diag.DocumentUnreadable},
		{"a list of a scalar", "apiVersion: v1\nkind: List\nitems: [a]", diag.DocumentUnreadable},
		{"a bad document after a CRD", thingCRD + "---\na: b: c", diag.DocumentUnreadable},
		{"aliases without end", "a: &a [x, *a]", diag.DocumentUnreadable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d, err := Read([]byte(tt.text)); !strings.HasPrefix(codeAndText(err), string(tt.want)+": ") {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
	if _, err := Read([]byte("---\n---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1")); err == nil || !strings.Contains(err.Error(), "since 1.22") {
		t.Errorf("no hint: %v", err)
	}
}

// TestReadStreams holds what of a stream is read.
func TestReadStreams(t *testing.T) {
	list := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: {name: things.example.com}\n"
	for name, text := range map[string]string{
		"list": list, "after a comment": "# c\n---\n# d\n---\n" + thingCRD + "---\n# the end\n", "CRLF": "---\r\n" + strings.ReplaceAll(thingCRD, "\n", "\r\n"),
		"list of CRDs": strings.Replace(strings.Replace(list, "kind: List", "kind: CustomResourceDefinitionList", 1), "apiVersion: v1", "apiVersion: "+apiVersion, 1),
	} {
		if d, err := Read([]byte(text)); err != nil || d.Name != "things.example.com" {
			t.Errorf("%s: %v, %v", name, d, err)
		}
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
	env := testRules(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(data)
		if err != nil {
			return
		}
		for _, finding := range Check(d, env) {
			_ = finding.Server.Error()
		}
		for _, v := range d.Versions {
			if v.Schema != nil {
				_, _ = NewValidator(v.Schema, true, env)
			}
		}
	})
}
