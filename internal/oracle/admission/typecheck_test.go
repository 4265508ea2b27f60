package admission

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	openapi "k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/kubecel/kubecel/admission"
)

// typeSchemas are of the kinds of the comparison.
var typeSchemas = map[string]string{
	"Widget": `{"type": "object", "properties": {"converted": {"type": "boolean"}, "spec": {"type": "object", "properties": {
		"replicas": {"type": "integer"}, "ratio": {"type": "number"}, "enabled": {"type": "boolean"}, "name": {"type": "string"}, "names": {"type": "array", "items": {"type": "string"}},
		"numbers": {"type": "array", "items": {"type": "integer"}}, "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "namespace": {"type": "string"}, "if": {"type": "string"},
		"with-dash": {"type": "integer"}, "time": {"type": "string", "format": "date-time"}, "duration": {"type": "string", "format": "duration"}, "port": {"x-kubernetes-int-or-string": true},
		"containers": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "image": {"type": "string"}, "ports": {"type": "array", "items": {"type": "integer"}}}}}}}}}`,
	"Gadget": `{"type": "object", "properties": {"spec": {"type": "string"}}}`,
	"Limit":  `{"type": "object", "properties": {"data": {"type": "object", "properties": {"limit": {"type": "string"}}}, "spec": {"type": "object", "properties": {"max": {"type": "integer"}}}}}`,
}

// types resolves kinds of example.com.
type types struct{ meta.RESTMapper }

func (types) ResolveSchema(kind schema.GroupVersionKind) (*openapi.Schema, error) {
	s := &openapi.Schema{}
	return s, json.Unmarshal([]byte(typeSchemas[kind.Kind]), s)
}

func (types) KindsFor(r schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
	return []schema.GroupVersionKind{r.GroupVersion().WithKind(map[string]string{"widgets": "Widget", "gadgets": "Gadget"}[r.Resource])}, nil
}

// typeNames are the names of types, which have a number of their own in the server and say
// params here.
var typeNames = regexp.MustCompile(`\b(Widget|Gadget|Limit)(\d+|Params)\b`)

// TestTypeChecking compares the warnings about the validations and messages of policies.
func TestTypeChecking(t *testing.T) {
	var objects []*admission.TypeSchema
	typed := func(kind string) *admission.TypeSchema {
		s, err := admission.NewTypeSchema(admission.GroupVersionKind{Group: "example.com", Version: "v1", Kind: kind}, []byte(typeSchemas[kind]), false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, kind := range []string{"Gadget", "Widget"} {
		objects = append(objects, typed(kind))
	}
	checker := &validating.TypeChecker{SchemaResolver: types{}, RestMapper: types{}}
	var expressions []string
	for _, c := range conditions {
		// The server forgets to declare authorizer.requestResource.
		if !strings.Contains(c, "requestResource.") {
			expressions = append(expressions, c)
		}
	}
	expressions = append(expressions, "params.data.limit == 1", "params.spec.max > object.spec.replicas", "variables.n > 1", "variables.names[0] == 1", "variables.broken == 1", "variables.whole.name == 1",
		"object.spec.time > timestamp('2024-01-01T00:00:00Z')", "object.spec.port == 1 || object.spec.port == 'a'", "object.metadata.labels == {}", "object.kind == 1")
	compared, warned := 0, 0
	for i := 0; i < len(expressions); i += 20 {
		document := of(object{
			"paramKind":   object{"apiVersion": "example.com/v1", "kind": "Limit"},
			"validations": validations(expressions[i:min(i+20, len(expressions))]...),
			"variables": list{object{"name": "n", "expression": "object.spec.replicas"}, object{"name": "names", "expression": "object.spec.names"},
				object{"name": "broken", "expression": "object.nothing"}, object{"name": "whole", "expression": "object.spec"}},
			"matchConstraints": object{"resourceRules": list{object{"apiGroups": list{"example.com"}, "apiVersions": list{"v1"}, "operations": list{"*"}, "resources": list{"widgets", "gadgets"}}}},
		}).Policies[0]
		var policy v1.ValidatingAdmissionPolicy
		if err := convert(document, &policy); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, w := range checker.Check(&policy) {
			want[w.FieldRef] = typeNames.ReplaceAllString(w.Warning, "$1")
		}
		p, err := admission.NewPolicy(document)
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := p.TypeCheck(objects, typed("Limit"))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for _, w := range warnings {
			got[w.Path] = append(got[w.Path], typeNames.ReplaceAllString(w.Message, "$1")+"\n")
		}
		for j := range policy.Spec.Validations {
			path := fmt.Sprintf("spec.validations[%d].expression", j)
			compared++
			if want[path] != "" {
				warned++
			}
			if text := strings.Join(got[path], "\n"); text != want[path] {
				t.Errorf("%s: %q, server %q", policy.Spec.Validations[j].Expression, text, want[path])
			}
		}
	}
	t.Logf("%d expressions compared with two schemas, %d with warnings", compared, warned)
	if compared < 200 || warned < 50 || warned == compared {
		t.Error("too little was compared")
	}
}
