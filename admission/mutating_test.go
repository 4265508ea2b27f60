package admission_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

func mustMutatingPolicy(t *testing.T, name, spec string) *admission.MutatingPolicy {
	t.Helper()
	p, err := admission.ParseMutatingPolicy([]byte("apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: " +
		name + "}\nspec:\n  " + strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// mutable is a request with a spec of any type.
func mutable(spec any) *admission.Request {
	r := request(nil)
	r.Object = map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}
	return r
}

// mutatingSet binds each of the policies.
func mutatingSet(t *testing.T, policies ...*admission.MutatingPolicy) *admission.MutatingSet {
	t.Helper()
	var bindings []*admission.MutatingBinding
	for _, p := range policies {
		b, err := admission.ParseMutatingBinding([]byte(fmt.Sprintf(
			"{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: b-%s}, spec: {policyName: %[1]s}}", p.Name())))
		if err != nil {
			t.Fatal(err)
		}
		bindings = append(bindings, b)
	}
	set, err := admission.NewMutatingSet(policies, bindings)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func patchSpec(expression string) string {
	return constraints + "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '" + strings.ReplaceAll(expression, "'", "''") + "'}}]"
}

func applySpec(expression string) string {
	return constraints + "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: '" + strings.ReplaceAll(expression, "'", "''") + "'}}]"
}

// TestMutate holds what mutations make of an object, and that the request's own stays as
// it was.
func TestMutate(t *testing.T) {
	for spec, want := range map[string]any{
		patchSpec(`[JSONPatch{op: "replace", path: "/spec", value: 2}]`):                                      int64(2),
		patchSpec(`[JSONPatch{op: "test", path: "/spec", value: 9}, JSONPatch{op: "remove", path: "/spec"}]`): int64(1),
		patchSpec(`[JSONPatch{op: "add", path: "/spec", value: Object.spec{a: "b"}}]`):                        map[string]any{"a": "b"},
		patchSpec(`[JSONPatch{op: "add", path: "/spec", value: {jsonpatch.escapeKey("a/b"): [1]}}]`):          map[string]any{"a~1b": []any{int64(1)}},
		applySpec(`Object{spec: 3}`): int64(3),
		applySpec(`Object{apiVersion: "x", kind: "y", spec: object.spec + 4}`): int64(5),
		applySpec(`Object{spec: [1]}`):                                         []any{int64(1)},
		applySpec(`Object{spec: Object.other{}}`):                              `unexpected type name "Object.other", expected "Object.spec"`,
		patchSpec(`[JSONPatch{op: "remove", path: "/none"}]`):                  "Unable to remove nonexistent key: none",
		patchSpec(`[JSONPatch{op: "remove", path: "/kind"}]`):                  "Object 'Kind' is missing",
		patchSpec(`[1]`): "must evaluate to list(JSONPatch) but got list(int)",
	} {
		r := mutable(int64(1))
		before := fmt.Sprint(r.Object)
		m, err := mutatingSet(t, mustMutatingPolicy(t, "p", spec)).Mutate(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, denied := want.(string)
		switch {
		case denied && (m.Allowed || m.Object != nil || !strings.Contains(m.Status.Message, text)):
			t.Errorf("%s: %+v, want an error with %q", spec, m, text)
		case !denied && (!m.Allowed || !reflect.DeepEqual(m.Object["spec"], want)):
			t.Errorf("%s: %+v, want spec %v", spec, m, want)
		case fmt.Sprint(r.Object) != before:
			t.Errorf("%s: the object of the request has become %v", spec, r.Object)
		}
	}
}

// TestReinvocation holds that only policies that ask for it are invoked again.
func TestReinvocation(t *testing.T) {
	add := func(name, policy string) *admission.MutatingPolicy {
		return mustMutatingPolicy(t, name, patchSpec(`[JSONPatch{op: "replace", path: "/spec", value: object.spec + "`+name+`"}]`)+"\nreinvocationPolicy: "+policy)
	}
	for _, c := range []struct{ a, b, want string }{
		{"Never", "Never", "ab"}, {"IfNeeded", "Never", "aba"}, {"Never", "IfNeeded", "abb"}, {"IfNeeded", "IfNeeded", "abab"},
	} {
		m, err := mutatingSet(t, add("a", c.a), add("b", c.b)).Mutate(t.Context(), mutable(""), nil)
		if err != nil || m.Object["spec"] != c.want || len(m.Invocations) != 4 {
			t.Errorf("%s, %s: %+v, %v; want %s", c.a, c.b, m, err, c.want)
		}
	}
}

// TestMutateInput holds that bad input is an error, and that failurePolicy decides about
// the end of the context.
func TestMutateInput(t *testing.T) {
	set := mutatingSet(t, mustMutatingPolicy(t, "p", patchSpec("[]")))
	var unusable *diag.InputError
	if _, err := set.Mutate(t.Context(), nil, nil); !errors.As(err, &unusable) {
		t.Errorf("no request: %v", err)
	}
	if _, err := (*admission.MutatingSet)(nil).Mutate(t.Context(), mutable(""), nil); !errors.As(err, &unusable) {
		t.Errorf("no set: %v", err)
	}
	if _, err := set.Mutate(t.Context(), mutable(make(chan int)), nil); !errors.As(err, &unusable) {
		t.Errorf("a channel in the object: %v", err)
	}
	if _, err := admission.ParseMutatingPolicy([]byte(policyOf("v1", "{}"))); !errors.As(err, &unusable) || unusable.Code != diag.NotPolicy {
		t.Errorf("a validating policy: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long := patchSpec(`[JSONPatch{op: "add", path: "/x", value: [1,2,3,4,5,6,7,8,9,0].all(a, [1,2,3,4,5,6,7,8,9,0].all(b, [1,2,3,4,5,6,7,8,9,0].all(c, a+b+c >= 0)))}]`)
	for policy, allowed := range map[string]bool{"Fail": false, "Ignore": true} {
		m, err := mutatingSet(t, mustMutatingPolicy(t, "p", long+"\nfailurePolicy: "+policy)).Mutate(ctx, mutable(int64(1)), nil)
		if !errors.Is(err, context.Canceled) || m == nil || m.Allowed != allowed {
			t.Errorf("%s: %+v, %v", policy, m, err)
		}
	}
}

// TestMergeSchemas holds that schemas decide how lists are merged.
func TestMergeSchemas(t *testing.T) {
	schemas, err := admission.ParseMergeSchemas([]byte(`
components:
  schemas:
    D:
      type: object
      x-kubernetes-group-version-kind: [{group: apps, version: v1, kind: Deployment}]
      properties:
        apiVersion: {type: string}
        kind: {type: string}
        spec: {type: array, x-kubernetes-list-type: set, items: {type: string}}
        atomic: {type: array, items: {type: string}}
`))
	if err != nil {
		t.Fatal(err)
	}
	cluster := &admission.Cluster{Schemas: schemas}
	for expression, want := range map[string]string{
		`Object{spec: ["a", "b"]}`: "[x a b]",
		`Object{atomic: ["a"]}`:    "may not mutate atomic arrays, maps or structs: .atomic",
		`Object{other: 1}`:         ".other: field not declared in schema",
	} {
		m, err := mutatingSet(t, mustMutatingPolicy(t, "p", applySpec(expression))).Mutate(t.Context(), mutable([]any{"x"}), cluster)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(m.Object["spec"]); got != want && (m.Allowed || !strings.Contains(m.Status.Message, want)) {
			t.Errorf("%s: %+v, want %s", expression, m, want)
		}
	}
	for document, want := range map[string]string{
		"a: [": "yaml", "{}": "components.schemas", "components: {schemas: {A: 1}}": "[A] is no object",
		"components: {schemas: {A: {type: array}}}": "schemas[A]: items is missing", "components: {schemas: {A: {type: odd}}}": `schemas[A]: the type "odd"`,
	} {
		_, err := admission.ParseMergeSchemas([]byte(document))
		var unusable *diag.InputError
		if !errors.As(err, &unusable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// TestMutatingCheck holds that findings have their places, and what releases accept.
func TestMutatingCheck(t *testing.T) {
	p := mustMutatingPolicy(t, "p", constraints+`variables: [{name: a, expression: "Object{}"}]
mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: none}]"}}, {patchType: ApplyConfiguration}, {patchType: Other}]`)
	findings, err := p.Check()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range findings {
		paths = append(paths, f.Path)
	}
	want := "[spec.reinvocationPolicy spec.mutations[1].applyConfiguration spec.mutations[2].patchType spec.variables[0].expression spec.mutations[0].jsonPatch.expression]"
	if fmt.Sprint(paths) != want {
		t.Errorf("findings at %v, want %s", paths, want)
	}
	a, err := mustMutatingPolicy(t, "p", patchSpec("[JSONPatch{op: jsonpatch.escapeKey('a')}]")).AcceptedBy()
	if err != nil || a.Lowest() != release.Minor(36) {
		t.Errorf("accepted from %v, %v", a.Lowest(), err)
	}
}

// TestMutateAuthorizer holds that mutations ask the authorizer of the cluster.
func TestMutateAuthorizer(t *testing.T) {
	p := mustMutatingPolicy(t, "p", applySpec("Object{spec: authorizer.path('/x').check('get').allowed()}"))
	m, err := mutatingSet(t, p).Mutate(t.Context(), mutable(false), &admission.Cluster{
		Authorizer: func(context.Context, library.Attributes) (library.Decision, string, error) {
			return library.Allow, "", nil
		},
	})
	if err != nil || m.Object["spec"] != true {
		t.Errorf("%+v, %v", m, err)
	}
}
