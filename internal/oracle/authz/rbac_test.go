package authz

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/library"
)

// world holds the roles and bindings as the types of k8s.io/api.
type world struct {
	roles               map[string]rbacv1.Role
	clusterRoles        map[string]rbacv1.ClusterRole
	roleBindings        []rbacv1.RoleBinding
	clusterRoleBindings []rbacv1.ClusterRoleBinding
}

func readWorld(t *testing.T) *world {
	t.Helper()
	w := &world{roles: map[string]rbacv1.Role{}, clusterRoles: map[string]rbacv1.ClusterRole{}}
	for dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(World), 4096); ; {
		var raw struct {
			metav1.TypeMeta
			Items []item `json:"items"`
		}
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, item := range raw.Items {
			kind := item.kind()
			if kind == "" {
				kind = strings.TrimSuffix(raw.Kind, "List")
			}
			switch kind {
			case "ClusterRole":
				role := decode[rbacv1.ClusterRole](t, item)
				w.clusterRoles[role.Name] = role
			case "Role":
				role := decode[rbacv1.Role](t, item)
				w.roles[role.Namespace+"/"+role.Name] = role
			case "ClusterRoleBinding":
				w.clusterRoleBindings = append(w.clusterRoleBindings, decode[rbacv1.ClusterRoleBinding](t, item))
			case "RoleBinding":
				w.roleBindings = append(w.roleBindings, decode[rbacv1.RoleBinding](t, item))
			default:
				t.Fatalf("kind %q", kind)
			}
		}
	}
	w.aggregate(t)
	return w
}

// item is an item of a list, as JSON.
type item []byte

func (y *item) UnmarshalJSON(text []byte) error { *y = slices.Clone(text); return nil }

func (y item) kind() string {
	var meta metav1.TypeMeta
	_ = yaml.Unmarshal(y, &meta)
	return meta.Kind
}

func decode[T any](t *testing.T, it item) (to T) {
	t.Helper()
	if err := yaml.UnmarshalStrict(it, &to); err != nil {
		t.Fatal(err)
	}
	return to
}

// aggregate does what the controller of a cluster does, as often as the longest chain needs.
func (w *world) aggregate(t *testing.T) {
	for range w.clusterRoles {
		for name, role := range w.clusterRoles {
			if role.AggregationRule == nil {
				continue
			}
			role.Rules = nil
			for _, s := range role.AggregationRule.ClusterRoleSelectors {
				selector, err := metav1.LabelSelectorAsSelector(&s)
				if err != nil {
					t.Fatal(err)
				}
				for other, r := range w.clusterRoles {
					if other != name && selector.Matches(labels.Set(r.Labels)) {
						role.Rules = append(role.Rules, r.Rules...)
					}
				}
			}
			w.clusterRoles[name] = role
		}
	}
}

// rulesFor are the rules of a user.
func (w *world) rulesFor(user library.UserInfo, namespace string) (all []rbacv1.PolicyRule) {
	for _, b := range w.clusterRoleBindings {
		if b.RoleRef.Kind == "ClusterRole" && applies(b.Subjects, user, "") {
			all = append(all, w.clusterRoles[b.RoleRef.Name].Rules...)
		}
	}
	for _, b := range w.roleBindings {
		if namespace == "" || b.Namespace != namespace || !applies(b.Subjects, user, namespace) {
			continue
		}
		if b.RoleRef.Kind == "ClusterRole" {
			all = append(all, w.clusterRoles[b.RoleRef.Name].Rules...)
		} else {
			all = append(all, w.roles[namespace+"/"+b.RoleRef.Name].Rules...)
		}
	}
	return all
}

func applies(subjects []rbacv1.Subject, user library.UserInfo, namespace string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.UserKind:
			return s.Name == user.Name
		case rbacv1.GroupKind:
			return slices.Contains(user.Groups, s.Name)
		case rbacv1.ServiceAccountKind:
			if s.Namespace != "" {
				namespace = s.Namespace
			}
			return namespace != "" && serviceaccount.MatchesUsername(namespace, s.Name, user.Name)
		}
		return false
	})
}

// asRule is the rule that allows a request and no other.
func asRule(a library.Attributes) rbacv1.PolicyRule {
	if a.Path != "" {
		return rbacv1.PolicyRule{Verbs: []string{a.Verb}, NonResourceURLs: []string{a.Path}}
	}
	rule := rbacv1.PolicyRule{Verbs: []string{a.Verb}, APIGroups: []string{a.Group}, Resources: []string{a.Resource}}
	if a.Subresource != "" {
		rule.Resources[0] += "/" + a.Subresource
	}
	if a.Name != "" {
		rule.ResourceNames = []string{a.Name}
	}
	return rule
}

// TestRBAC compares the decisions on every question of the table with whether the rules of the user
// cover a rule for that request alone (k8s.io/component-helpers/auth/rbac/validation).
func TestRBAC(t *testing.T) {
	a, err := authz.ReadRBAC(World)
	if err != nil {
		t.Fatal(err)
	}
	w := readWorld(t)
	counts := map[library.Decision]int{}
	for _, question := range Questions() {
		covered, _ := validation.Covers(w.rulesFor(question.User, question.Namespace), []rbacv1.PolicyRule{asRule(question)})
		decision, reason, err := a(context.Background(), question)
		counts[decision]++
		if err != nil || decision == library.Deny || (decision == library.Allow) != covered {
			t.Errorf("%+v: %v %q %v, covered %v", question, decision, reason, err, covered)
		}
	}
	t.Logf("%d questions, %d allowed", counts[library.Allow]+counts[library.NoOpinion], counts[library.Allow])
	if counts[library.Allow] < 1000 || counts[library.NoOpinion] < 1000 {
		t.Errorf("the table says little: %v", counts)
	}
}
