package kubecel_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
)

// named is a CRD of a name with a rule that does not compile.
func named(name string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + name + "}\n" +
		"spec:\n  versions:\n  - name: v1\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        x-kubernetes-validations:\n        - rule: |\n            self.x\n"
}

// TestReadCRDs reads streams, and finds each CRD in its place.
func TestReadCRDs(t *testing.T) {
	indent := func(text string) string {
		return "- " + strings.TrimSpace(strings.ReplaceAll(text, "\n", "\n  ")) + "\n"
	}
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":              {"", ""},
		"no CRD":               {"a: 1\n---\nkind: Pod\n", ""},
		"one":                  {named("a"), "a 1 13:17"},
		"several":              {named("a") + "---\n" + named("b"), "a 1 13:17; b 2 27:17"},
		"among others":         {"# first\n---\nkind: Pod\n---\n---\n# CRDs\n" + named("a") + "---\nkind: Pod\n--- # last\n" + named("b"), "a 2 19:17; b 4 35:17"},
		"list":                 {"kind: List\napiVersion: v1\nitems:\n" + indent(named("a")) + "- kind: Pod\n" + indent(named("b")), "a 1 16:19; b 1 30:19"},
		"with carriage return": {strings.ReplaceAll(named("a")+"---\n"+named("b"), "\n", "\r\n"), "a 1 13:17; b 2 27:17"},
		"another group":        {"kind: CustomResourceDefinition\napiVersion: example.com/v1\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			crds, err := kubecel.ReadCRDs(iotest.OneByteReader(strings.NewReader(tt.text)))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, crd := range crds {
				findings, err := crd.Check()
				if err != nil || len(findings) != 1 {
					t.Fatal(findings, err)
				}
				got = append(got, fmt.Sprintf("%s %d %v", crd.Name(), findings[0].Place.Document, findings[0].Place))
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("%v, want %s", got, tt.want)
			}
		})
	}
}

// TestReadCRDsErrors holds which document an error names.
func TestReadCRDsErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		code  diag.Code
		place diag.Place
	}{
		"no YAML":       {named("a") + "---\na: b: c\n", diag.DocumentUnreadable, diag.Place{Document: 2, Line: 15, Column: 1}},
		"no object":     {"---\na: 1\n---\n# c\n- 1\n", diag.DocumentUnreadable, diag.Place{Document: 2, Line: 4, Column: 1}},
		"not UTF-8":     {"a: 1\n---\nb: \xff\n", diag.DocumentUnreadable, diag.Place{Document: 2, Line: 3, Column: 1}},
		"a bad schema":  {"a: 1\n---\n" + strings.Replace(named("a"), "type: object", "type: 1", 1), diag.DocumentUnreadable, diag.Place{Document: 2, Line: 3, Column: 1}},
		"an old CRD":    {"a: 1\n---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1\n", diag.NotCRD, diag.Place{Document: 2, Line: 3, Column: 1}},
		"bad separator": {"a: 1\n--- b\n", diag.DocumentUnreadable, diag.Place{Document: 1, Line: 2, Column: 1}},
	} {
		_, err := kubecel.ReadCRDs(strings.NewReader(tt.text))
		var input *kubecel.InputError
		if !errors.As(err, &input) || input.Code != tt.code || input.Place != tt.place ||
			!strings.Contains(err.Error(), fmt.Sprintf("document %d at line %d: ", tt.place.Document, tt.place.Line)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := kubecel.ReadCRDs(nil); code(err) != diag.ArgumentInvalid {
		t.Errorf("nil: %v", err)
	}
	if _, err := kubecel.ReadCRDs(iotest.ErrReader(io.ErrUnexpectedEOF)); code(err) != diag.DocumentUnreadable || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken reader: %v", err)
	}
}
