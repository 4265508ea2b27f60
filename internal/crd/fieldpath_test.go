package crd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/internal/typesystem"
)

func TestFieldPath(t *testing.T) {
	schema, paths := fieldPathCases(t)
	golden := map[string]struct{ Path, Error string }{}
	load(t, "fieldpaths.golden.json", &golden)
	for _, text := range paths {
		want, ok := golden[text]
		if !ok {
			t.Errorf("%q: no golden", text)
		}
		if want.Error == "panic" {
			want.Error = errNoField.Error()
		}
		path, err := FieldPath(text, schema)
		switch {
		case err == nil && want.Error != "":
			t.Errorf("%q: want error %q, got path %q", text, want.Error, path)
		case err != nil && err.Error() != want.Error:
			t.Errorf("%q: error %q, want %q", text, err, want.Error)
		case err == nil && path.String() != want.Path:
			t.Errorf("%q: path %q, want %q", text, path, want.Path)
		}
	}
}

func fieldPathCases(t testing.TB) (*typesystem.OpenAPI, []string) {
	t.Helper()
	var cases struct {
		Schema json.RawMessage `json:"schema"`
		Paths  []string        `json:"paths"`
	}
	load(t, "fieldpaths.yaml", &cases)
	schema, err := typesystem.ParseOpenAPI(cases.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return schema, cases.Paths
}

// The reference reads tokens through a buffer of 64 KiB and takes what does not
// fit for the end of the path.
func TestFieldPathLongToken(t *testing.T) {
	leaf := &typesystem.OpenAPI{Type: "string"}
	fits, tooLong := strings.Repeat("x", 1<<16-1), strings.Repeat("x", 1<<16)
	s := &typesystem.OpenAPI{Properties: map[string]*typesystem.OpenAPI{fits: leaf, tooLong: leaf, "a": {Properties: map[string]*typesystem.OpenAPI{fits: leaf}}}}
	for _, tt := range []struct {
		text, path, err string
	}{
		{text: "." + fits, path: fits},
		{text: ".a." + fits, path: "a." + fits},
		{text: "." + tooLong, err: errPathEnds.Error()},
		{text: ".a" + tooLong, err: errPathEnds.Error()},
		{text: ".a['" + tooLong + "']", err: errPathEnds.Error()},
		{text: tooLong, path: "<nil>"},
	} {
		path, err := FieldPath(tt.text, s)
		if err != nil && err.Error() != tt.err || err == nil && path.String() != tt.path {
			t.Errorf("%.10q...: %v, %v", tt.text, path, err)
		}
	}
}

func FuzzFieldPath(f *testing.F) {
	schema, paths := fieldPathCases(f)
	for _, text := range paths {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := FieldPath(text, schema)
		if err != nil && path != nil {
			t.Errorf("%q: a path beside the error %v", text, err)
		}
	})
}
