package authz_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
)

const roles = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader, labels: {edit: "true"}}
rules: [{verbs: [get], apiGroups: [""], resources: [pods], resourceNames: [web]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: sum}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {edit: "true"}}, {matchLabels: {all: "true"}}]}
rules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ring, labels: {all: "true"}}
aggregationRule: {clusterRoleSelectors: [{matchExpressions: [{key: all, operator: DoesNotExist}]}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: sum}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: sum}
subjects: [{kind: User, name: ann}]
---
kind: ConfigMap
apiVersion: v1
metadata: {name: other}
`

func question(user, verb, resource, name string) library.Attributes {
	return library.Attributes{
		User: library.UserInfo{Name: user}, Verb: verb, RequestResource: library.RequestResource{Resource: resource, Name: name}, APIVersion: "*",
	}
}

// TestAggregation holds that an aggregated role has the rules of the roles that it selects, none of
// its own, and that roles may select each other.
func TestAggregation(t *testing.T) {
	a, err := authz.ReadRBAC([]byte(roles))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		question library.Attributes
		want     library.Decision
	}{
		{question("ann", "get", "pods", "web"), library.Allow},
		{question("ann", "get", "pods", "db"), library.NoOpinion},
		{question("ann", "get", "pods", ""), library.NoOpinion},
		{question("ann", "delete", "pods", "web"), library.NoOpinion},
		{question("bob", "get", "pods", "web"), library.NoOpinion},
	} {
		decision, reason, err := a(context.Background(), tt.question)
		if decision != tt.want || err != nil {
			t.Errorf("%+v: %v %q %v, want %v", tt.question, decision, reason, err, tt.want)
		}
		if want := `RBAC: allowed by ClusterRoleBinding "sum" of ClusterRole "sum" to User "ann"`; decision == library.Allow && reason != want {
			t.Errorf("reason %q, want %q", reason, want)
		}
	}
}

// TestUnreadableManifests holds where manifests are wrong.
func TestUnreadableManifests(t *testing.T) {
	head := func(kind string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + kind + "\nmetadata: {name: a, namespace: b}\n"
	}
	for name, tt := range map[string]struct{ text, path string }{
		"no document":        {"a: b\n---\n{", "document 2"},
		"no object":          {"[]", "document 1"},
		"unknown version":    {"apiVersion: rbac.authorization.k8s.io/v2\nkind: Role", "document 1: apiVersion"},
		"no name":            {"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role", "document 1: metadata.name"},
		"no namespace":       {"apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}", "document 1: metadata.namespace"},
		"wrong type":         {head("Role") + "rules: [{verbs: get}]", "document 1"},
		"no verbs":           {head("Role") + "rules: [{apiGroups: ['']}]", "document 1: rules[0].verbs"},
		"no groups":          {head("Role") + "rules: [{verbs: [get], resources: [pods]}]", "document 1: rules[0].apiGroups"},
		"no resources":       {head("Role") + "rules: [{verbs: [get], apiGroups: ['']}]", "document 1: rules[0].resources"},
		"path in namespace":  {head("Role") + "rules: [{verbs: [get], nonResourceURLs: [/a]}]", "document 1: rules[0].nonResourceURLs"},
		"path and resources": {head("ClusterRole") + "rules: [{verbs: [get], nonResourceURLs: [/a], resources: [pods]}]", "document 1: rules[0].nonResourceURLs"},
		"in a list":          {"kind: List\napiVersion: v1\nitems:\n- {}\n- {apiVersion: rbac.authorization.k8s.io/v1, kind: Role}", "document 1: items[1]: metadata.name"},
		"selector": {head("ClusterRole") + "aggregationRule: {clusterRoleSelectors: [{}, {matchExpressions: [{key: a, operator: Is}]}]}",
			"document 1: aggregationRule.clusterRoleSelectors[1]"},
	} {
		a, err := authz.ReadRBAC([]byte(tt.text))
		var input *diag.InputError
		if a != nil || !errors.As(err, &input) || input.Code != diag.DocumentUnreadable || input.Path != tt.path {
			t.Errorf("%s: %v, want an InputError at %s", name, err, tt.path)
		}
	}
}

// TestMissingRole holds that a binding of a role that is not there is named only where
// it matters.
func TestMissingRole(t *testing.T) {
	gone := strings.ReplaceAll(roles[strings.LastIndex(roles, "apiVersion: rbac"):], "sum", "gone")
	a, err := authz.ReadRBAC([]byte(gone), []byte(roles))
	if err != nil {
		t.Fatal(err)
	}
	if decision, reason, err := a(context.Background(), question("ann", "get", "pods", "web")); decision != library.Allow || err != nil {
		t.Errorf("with a binding that holds: %v %q %v", decision, reason, err)
	}
	want := `RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`
	if decision, reason, err := a(context.Background(), question("ann", "get", "pods", "")); decision != library.NoOpinion || reason != want || err != nil {
		t.Errorf("with none: %v %q %v, want %q", decision, reason, err, want)
	}
}
