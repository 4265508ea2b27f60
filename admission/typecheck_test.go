package admission_test

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/diag"
)

func mustSchema(t *testing.T, kind, document string, partial bool) *admission.TypeSchema {
	t.Helper()
	s, err := admission.NewTypeSchema(admission.GroupVersionKind{Group: "example.com", Version: "v1", Kind: kind}, []byte(document), partial)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTypeCheck holds that a policy is checked against each schema, strict or partial, and
// that every warning says which schema, which expression and where.
func TestTypeCheck(t *testing.T) {
	p := mustPolicy(t, constraints+`
paramKind: {apiVersion: example.com/v1, kind: Limit}
variables: [{name: spec, expression: object.spec}, {name: count, expression: object.spec.count}]
validations:
- {expression: object.spec.replicas < 3 && object.spec.extra == 1, messageExpression: "'has ' + object.metadata.name"}
- {expression: variables.count > params.max}
`)
	widget := "{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {replicas: {type: integer}, count: {type: integer}}}}}"
	gadget := "{type: object, properties: {spec: {type: object, properties: {replicas: {type: string}, extra: {type: integer}, count: {type: integer}}}}}"
	limit := mustSchema(t, "Limit", "{type: object, properties: {max: {type: string}}}", false)
	warnings, err := p.TypeCheck([]*admission.TypeSchema{
		mustSchema(t, "Widget", widget, false), mustSchema(t, "Open", widget, true), mustSchema(t, "Gadget", gadget, false),
	}, limit)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind, path, text string
		code             diag.Code
		column           int
	}{
		{"Widget", "spec.validations[0].expression", "example.com/v1, Kind=Widget: ERROR: <input>:1:40: undefined field 'extra'", diag.UndefinedField, 40},
		{"Widget", "spec.validations[1].expression", "found no matching overload for '_>_' applied to '(int, string)'", diag.NoMatchingOverload, 17},
		{"Open", "spec.validations[1].expression", "applied to '(int, string)'", diag.NoMatchingOverload, 17},
		{"Gadget", "spec.validations[0].expression", "found no matching overload for '_<_' applied to '(string, int)'", diag.NoMatchingOverload, 22},
		{"Gadget", "spec.validations[1].expression", "applied to '(int, string)'", diag.NoMatchingOverload, 17},
	}
	if len(warnings) != len(want) {
		t.Fatalf("%d warnings, want %d: %+v", len(warnings), len(want), warnings)
	}
	for i, w := range warnings {
		issue := w.Err.Issues[0]
		if w.Kind.Kind != want[i].kind || w.Path != want[i].path || !strings.Contains(w.Message, want[i].text) || issue.Code != want[i].code || issue.Position.Column != want[i].column {
			t.Errorf("warning %+v at %v, want %+v", w, issue.Position, want[i])
		}
	}
	if _, err := p.TypeCheck([]*admission.TypeSchema{nil}, nil); err == nil {
		t.Error("a nil schema is checked")
	}
}
