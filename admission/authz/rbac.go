package authz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/kubecel/kubecel/library"
)

// rbac decides by roles and bindings. It is read-only.
type rbac struct {
	// everywhere are the bindings of the cluster, in the order of the manifests; local
	// are those of a namespace.
	everywhere []grant
	local      map[string][]grant
}

// grant is a binding with the rules of its role.
type grant struct {
	binding   binding
	namespace string
	rules     []rule
	// missing says why there are no rules.
	missing error
}

// authorize looks for a rule that allows the request, first among the bindings of the cluster.
// Its answers and reasons are those of the authorizer of a server (k8s.io/kubernetes
// plugin/pkg/auth/authorizer/rbac): there are only allowances, and bindings of roles that do not exist
// are named if nothing allows the request.
func (r *rbac) authorize(ctx context.Context, question library.Attributes) (library.Decision, string, error) {
	if ctx.Err() != nil {
		return failed(ended(ctx)).parts()
	}
	var missing []error
	grants := [][]grant{r.everywhere, nil}
	if question.Path == "" && question.Namespace != "" {
		grants[1] = r.local[question.Namespace]
	}
	for _, g := range slices.Concat(grants...) {
		subject := slices.IndexFunc(g.binding.Subjects, func(s subject) bool { return s.is(question.User, g.namespace) })
		switch {
		case subject < 0:
		case g.missing != nil:
			missing = append(missing, g.missing)
		case slices.ContainsFunc(g.rules, func(r rule) bool { return r.allows(question) }):
			return library.Allow, "RBAC: allowed by " + g.describe(g.binding.Subjects[subject]), nil
		}
	}
	if err := utilerrors.NewAggregate(missing); err != nil {
		return library.NoOpinion, fmt.Sprintf("RBAC: %v", err), nil
	}
	return library.NoOpinion, "", nil
}

// describe names the binding as a server does.
func (g grant) describe(s subject) string {
	kind, name := "ClusterRoleBinding", g.binding.Metadata.Name
	if g.namespace != "" {
		kind, name = "RoleBinding", name+"/"+g.namespace
	}
	who := s.Name
	if s.Kind == "ServiceAccount" {
		who += "/" + s.home(g.namespace)
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", kind, name, g.binding.RoleRef.Kind, g.binding.RoleRef.Name, s.Kind, who)
}

// home is the namespace of a service account: its own, or that of the binding.
func (s subject) home(binding string) string {
	if s.Namespace != "" {
		return s.Namespace
	}
	return binding
}

func (s subject) is(user library.UserInfo, namespace string) bool {
	switch s.Kind {
	case "User":
		return user.Name == s.Name
	case "Group":
		return slices.Contains(user.Groups, s.Name)
	case "ServiceAccount":
		home := s.home(namespace)
		return home != "" && user.Name == "system:serviceaccount:"+home+":"+s.Name
	}
	return false
}

// allows tells whether the rule alone allows a request. It does not look at selectors.
func (r rule) allows(a library.Attributes) bool {
	if !has(r.Verbs, a.Verb) {
		return false
	}
	if a.Path != "" {
		return slices.ContainsFunc(r.NonResourceURLs, func(url string) bool {
			stem, prefix := strings.CutSuffix(url, "*")
			return url == a.Path || prefix && strings.HasPrefix(a.Path, strings.TrimRight(stem, "*"))
		})
	}
	resource, anySuch := a.Resource, ""
	if a.Subresource != "" {
		resource, anySuch = a.Resource+"/"+a.Subresource, "*/"+a.Subresource
	}
	return has(r.APIGroups, a.Group) &&
		(has(r.Resources, resource) || anySuch != "" && slices.Contains(r.Resources, anySuch)) &&
		(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, a.Name))
}

// has tells whether a list has an entry, or the one for all.
func has(list []string, entry string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, entry)
}

// bind finds the rules of bindings.
func (m *manifests) bind() *rbac {
	r := &rbac{local: map[string][]grant{}}
	for _, b := range m.clusterRoleBindings {
		r.everywhere = append(r.everywhere, m.grant(b, ""))
	}
	for _, b := range m.roleBindings {
		r.local[b.Metadata.Namespace] = append(r.local[b.Metadata.Namespace], m.grant(b, b.Metadata.Namespace))
	}
	return r
}

func (m *manifests) grant(b binding, namespace string) grant {
	g := grant{binding: b, namespace: namespace}
	switch b.RoleRef.Kind {
	case "ClusterRole":
		g.rules, g.missing = find(m.clusterRoles, "clusterrole", key{name: b.RoleRef.Name})
	case "Role":
		if namespace == "" {
			g.missing = errors.New("a ClusterRoleBinding cannot bind a Role")
			break
		}
		g.rules, g.missing = find(m.roles, "role", key{namespace, b.RoleRef.Name})
	default:
		g.missing = fmt.Errorf("unsupported role reference kind: %q", b.RoleRef.Kind)
	}
	return g
}

func find(roles []role, resource string, k key) ([]rule, error) {
	i := slices.IndexFunc(roles, func(r role) bool { return r.key() == k })
	if i < 0 {
		return nil, fmt.Errorf("%s.%s %q not found", resource, group, k.name)
	}
	return roles[i].Rules, nil
}
