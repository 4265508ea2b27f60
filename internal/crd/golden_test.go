package crd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// The goldens are what the API server of Kubernetes 1.37 (module v0.37.2) answers.

// goldenErrors are errors of an API server.
type goldenErrors struct {
	// Ordered tells whether several runs gave the same order. If not, the
	// errors are sorted by text.
	Ordered bool `json:"ordered"`
	Errors  []goldenError
}

type goldenError struct {
	Type, Field, Text string
}

func load(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "crd", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		t.Fatal(name, err)
	}
}

// schemaCase is a CRD by the schemas of its versions.
type schemaCase struct {
	Name    string            `json:"name"`
	Schema  json.RawMessage   `json:"schema"`
	Schemas []json.RawMessage `json:"schemas"`
	Status  []bool            `json:"status"`
	// Versions are the names of the versions, v1 and so on if there are none.
	Versions []string `json:"versions"`
	// Hidden tells which versions are not served.
	Hidden []bool `json:"hidden"`
	// Preserve is preserveUnknownFields.
	Preserve bool `json:"preserve"`
}

func (c schemaCase) definition(t testing.TB) *Definition {
	t.Helper()
	schemas := c.Schemas
	if schemas == nil {
		schemas = []json.RawMessage{c.Schema}
	}
	var versions []map[string]any
	for i, s := range schemas {
		v := map[string]any{"name": fmt.Sprintf("v%d", i+1), "served": i >= len(c.Hidden) || !c.Hidden[i], "storage": i == 0}
		if i < len(c.Versions) {
			v["name"] = c.Versions[i]
		}
		if string(s) != "null" {
			v["schema"] = map[string]any{"openAPIV3Schema": s}
		}
		if i < len(c.Status) && c.Status[i] {
			v["subresources"] = map[string]any{"status": map[string]any{}}
		}
		versions = append(versions, v)
	}
	data, err := json.Marshal(map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "names": map[string]any{"plural": "things", "kind": "Thing"}, "versions": versions,
			"preserveUnknownFields": c.Preserve,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// compare compares errors with those of the API server.
func (want goldenErrors) compare(t *testing.T, got field.ErrorList) {
	t.Helper()
	have := make([]goldenError, len(got))
	for i, e := range got {
		have[i] = goldenError{Type: string(e.Type), Field: e.Field, Text: e.Error()}
	}
	if !want.Ordered {
		slices.SortStableFunc(have, func(a, b goldenError) int { return strings.Compare(a.Text, b.Text) })
	}
	for i := range max(len(have), len(want.Errors)) {
		switch {
		case i >= len(have):
			t.Errorf("error %d is missing:\n\t%s", i, want.Errors[i].Text)
		case i >= len(want.Errors):
			t.Errorf("error %d is too much:\n\t%s", i, have[i].Text)
		case have[i] != want.Errors[i]:
			t.Errorf("error %d is\n\t%s\nnot\n\t%s", i, have[i].Text, want.Errors[i].Text)
		}
	}
}

func errorsOf(findings []diag.Finding) (list field.ErrorList) {
	for _, f := range findings {
		list = append(list, f.Server)
	}
	return list
}

func TestCheckSchemas(t *testing.T) { checkGolden(t, "schemas", nil) }

func TestCheckRules(t *testing.T) { checkGolden(t, "rules", testRules(t)) }

// checkGolden checks the CRDs of a file as the API server did.
func checkGolden(t *testing.T, name string, env *compile.Rules) {
	t.Helper()
	var cases []schemaCase
	load(t, name+".yaml", &cases)
	golden := map[string]goldenErrors{}
	load(t, name+".golden.json", &golden)
	if len(cases) != len(golden) {
		t.Errorf("%d cases, %d goldens", len(cases), len(golden))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			want, ok := golden[c.Name]
			if !ok {
				t.Fatal("no golden")
			}
			findings := Check(c.definition(t), env)
			want.compare(t, errorsOf(findings))
			for _, f := range findings {
				if f.Code == "" {
					t.Errorf("no code: %v", f.Server)
				}
			}
		})
	}
}
