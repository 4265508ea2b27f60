package admission_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/release"
)

func mustPolicy(t *testing.T, spec string) *admission.Policy {
	t.Helper()
	p, err := admission.ParsePolicy([]byte("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  " +
		strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const constraints = "matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}\n"

// TestCheck holds that each field that a server rejects is found, at its place.
func TestCheck(t *testing.T) {
	for spec, want := range map[string][]string{
		constraints + "validations: [{expression: 'true'}]": nil,
		"validations: [{expression: 'true'}]":               {"spec.matchConstraints: Required value"},
		constraints:                                         {"spec.validations: Required value: validations or auditAnnotations must contain at least one item", "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item"},
		constraints + "validations: [{expression: 'true'}]\nvalidation: []\nfailurePolicy: fail": {
			`spec.validation: Forbidden: unknown field "spec.validation"`, `spec.failurePolicy: Unsupported value: "fail": supported values: "Fail", "Ignore"`},
		constraints + "validations: [{expression: ' '}, {expression: x}, {expression: '1', messageExpression: '1', reason: Other}]": {
			`spec.validations[2].reason: Unsupported value: "Other": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"`,
			"spec.validations[0].expression: Required value",
			"spec.validations[1].expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
			`spec.validations[2].expression: Invalid value: "1": must evaluate to bool but got int`,
			`spec.validations[2].messageExpression: Invalid value: "1": must evaluate to string but got int`},
		constraints + "validations: [{expression: 'true', message: \"a\\nb\"}]": {`spec.validations[0].message: Invalid value: "a\nb": message must not contain line breaks`},
		constraints + "auditAnnotations: [{key: a, valueExpression: '1'}, {key: a, valueExpression: \"'x'\"}, {key: a b, valueExpression: \"'x'\"}]": {
			`spec.auditAnnotations[1].key: Duplicate value: "a"`, "spec.auditAnnotations[2].key: Invalid value: \"a b\": name part must consist of",
			`spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int`},
		constraints + "variables: [{name: a, expression: '1'}, {name: a, expression: '2'}, {name: a-b, expression: '3'}]\nvalidations: [{expression: variables.a == 1}]": {
			`spec.variables[1].name: Duplicate value: "a": spec.variables[0] is the variable already`, `spec.variables[2].name: Invalid value: "a-b": name is not a valid CEL identifier`},
		constraints + "variables: [{name: a, expression: variables.b}, {name: b, expression: variables.a}]\nvalidations: [{expression: variables.a}]": {
			`spec.variables[0].expression: Invalid value: "variables.b": compilation failed: ERROR: <input>:1:10: undefined field 'b'`,
			`spec.validations[0].expression: Invalid value: "variables.a": must evaluate to bool but got dyn`},
		constraints + "matchConditions: [{name: m, expression: 'true'}, {name: m, expression: ''}]\nvalidations: [{expression: 'true'}]": {
			`spec.matchConditions[1].name: Duplicate value: "m"`, "spec.matchConditions[1].expression: Required value"},
	} {
		findings, err := mustPolicy(t, spec).Check()
		if err != nil {
			t.Fatal(err)
		}
		if len(findings) != len(want) {
			t.Errorf("%s\n%d findings, want %d: %v", spec, len(findings), len(want), findings)
			continue
		}
		for i, f := range findings {
			if !strings.HasPrefix(f.Error(), want[i]) {
				t.Errorf("%s\nfinding %q, want %q", spec, f.Error(), want[i])
			}
		}
	}
}

// TestCheckPosition holds that a finding tells the place in an expression, and its code.
func TestCheckPosition(t *testing.T) {
	findings, err := mustPolicy(t, constraints+"validations: [{expression: 'true'}, {expression: 'object.spec == nothing'}]").Check()
	if err != nil || len(findings) != 1 {
		t.Fatal(findings, err)
	}
	var failed *diag.CompileError
	if f := findings[0]; f.Path != "spec.validations[1].expression" || f.Code != diag.ExpressionInvalid || !errors.As(f, &failed) ||
		failed.Issues[0].Position != (diag.Position{Line: 1, Column: 16}) || failed.Issues[0].Code != diag.UndeclaredReference {
		t.Errorf("finding %+v: %v", f, failed)
	}
}

func TestBindingCheck(t *testing.T) {
	b, err := admission.ParseBinding([]byte(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b},
  spec: {validationActions: [Deny, Warn, Warn, Other], paramRef: {name: x, selector: {}}, matchResources: {objectSelector: {matchExpressions: [{key: a, operator: Like}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := b.Check()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range findings {
		paths = append(paths, f.Path)
	}
	want := []string{"spec.policyName", "spec.paramRef.name", "spec.paramRef.parameterNotFoundAction", "spec.matchResources.objectSelector",
		"spec.validationActions[2]", "spec.validationActions[3]", "spec.validationActions"}
	if !slices.Equal(paths, want) {
		t.Errorf("findings at %q, want %q", paths, want)
	}
}

// TestRead holds that what cannot be read is an *InputError that says what is wrong.
func TestRead(t *testing.T) {
	for document, want := range map[string]struct {
		code diag.Code
		text string
	}{
		"a: [":                              {diag.DocumentUnreadable, "yaml"},
		"- a":                               {diag.DocumentUnreadable, "the document is no object"},
		"kind: Pod":                         {diag.NotPolicy, `kind "Pod" and apiVersion "": expected ValidatingAdmissionPolicy of admissionregistration.k8s.io, version v1, v1beta1, v1alpha1`},
		policyOf("v2", "{}"):                {diag.NotPolicy, "admissionregistration.k8s.io/v2"},
		policyOf("v1", "text"):              {diag.DocumentUnreadable, "spec"},
		policyOf("v1", "{validations: {}}"): {diag.DocumentUnreadable, "spec.validations"},
		policyOf("v1", "{validations: [{expression: 1}]}"): {diag.DocumentUnreadable, "expression"},
	} {
		_, err := admission.ParsePolicy([]byte(document))
		var unusable *diag.InputError
		if !errors.As(err, &unusable) || unusable.Code != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: error %v, want %v with %q", document, err, want.code, want.text)
		}
	}
	_, _, err := admission.ParseAll([]byte(policyOf("v1", "{}") + "\n---\n" + policyOf("v3", "{}")))
	if err == nil || !strings.Contains(err.Error(), "document 2") {
		t.Errorf("error %v, want one of document 2", err)
	}
}

func policyOf(version, spec string) string {
	return "apiVersion: admissionregistration.k8s.io/" + version + "\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec: " + spec
}

// TestAcceptedBy holds that releases need both the version of the API and the functions.
func TestAcceptedBy(t *testing.T) {
	for _, c := range []struct {
		version, expression string
		lowest, newest      release.Release
	}{
		{"v1", "true", release.Minor(30), release.Newest()},
		{"v1", "cidr('10.0.0.0/8').containsIP('10.0.0.1')", release.Minor(31), release.Newest()},
		{"v1beta1", "true", release.Minor(28), release.Minor(33)},
		{"v1beta1", "cidr('10.0.0.0/8').containsIP('10.0.0.1')", release.Minor(31), release.Minor(33)},
		{"v1alpha1", "true", release.Minor(26), release.Minor(32)},
		{"v1", "x", release.Release{}, release.Release{}},
	} {
		p, err := admission.ParsePolicy([]byte(policyOf(c.version, "{validations: [{expression: \""+c.expression+"\"}]}")))
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.AcceptedBy()
		if err != nil {
			t.Fatal(err)
		}
		var newest release.Release
		for _, v := range a.Verdicts {
			if v.Accepted {
				newest = v.Release
			}
		}
		if a.Lowest() != c.lowest || newest != c.newest {
			t.Errorf("%s, %s: from %v to %v, want %v to %v", c.version, c.expression, a.Lowest(), newest, c.lowest, c.newest)
		}
	}
}
