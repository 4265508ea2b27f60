package admission

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/kubecel/kubecel/admission/authz"
	"github.com/kubecel/kubecel/library"
)

// target is the resource that a policy sees a request as: its own, or an equivalent.
type target struct {
	resource GroupVersionResource
	kind     GroupVersionKind
	convert  func(map[string]any) (map[string]any, error)
}

// matcher matches one request.
type matcher struct {
	request *Request
	cluster *Cluster
	// authorizer is that of the cluster, which is asked each question once for a request
	// and never fails open. It is nil if there is none.
	authorizer library.Authorizer
}

func newMatcher(request *Request, cluster *Cluster) matcher {
	m := matcher{request: request, cluster: cluster}
	if cluster != nil && cluster.Authorizer != nil {
		m.authorizer = authz.Memoize(cluster.Authorizer)
	}
	return m
}

var selectionOperators = map[string]selection.Operator{
	"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
}

// compiled returns the selector, with the errors of a server.
func (s *labelSelector) compiled() (labels.Selector, error) {
	if s == nil {
		return labels.Nothing(), nil
	}
	selector := labels.NewSelector()
	for _, key := range sorted(s.MatchLabels) {
		r, err := labels.NewRequirement(key, selection.Equals, []string{s.MatchLabels[key]})
		if err != nil {
			return nil, err
		}
		selector = selector.Add(*r)
	}
	for _, e := range s.MatchExpressions {
		operator, ok := selectionOperators[e.Operator]
		if !ok {
			return nil, fmt.Errorf("%q is not a valid label selector operator", e.Operator)
		}
		r, err := labels.NewRequirement(e.Key, operator, append([]string(nil), e.Values...)) // nil if there are none, which shows in the error
		if err != nil {
			return nil, err
		}
		selector = selector.Add(*r)
	}
	return selector, nil
}

// statusError is an error with a status of HTTP.
type statusError struct {
	code   int
	reason string
	text   string
	cause  error
}

func (e *statusError) Error() string { return e.text }
func (e *statusError) Unwrap() error { return e.cause }

func internalError(err error) *statusError {
	return &statusError{500, "InternalError", fmt.Sprintf("Internal error occurred: %v", err), err}
}

func notFound(resource, name string) *statusError {
	return &statusError{404, "NotFound", fmt.Sprintf("%s %q not found", resource, name), nil}
}

// matches tells whether match constraints select the request, and as what.
func (m *matcher) matches(ctx context.Context, c *matchResources) (target, bool, error) {
	ok, namespaceErr := m.namespaceSelected(ctx, c.NamespaceSelector)
	if !ok && namespaceErr == nil {
		return target{}, false, nil
	}
	ok, objectErr := m.objectSelected(c.ObjectSelector)
	if !ok && objectErr == nil {
		return target{}, false, nil
	}
	if _, excluded, err := m.rulesMatch(c.ExcludeResourceRules, c.MatchPolicy); excluded || err != nil {
		return target{}, false, err
	}
	as, matched, err := target{resource: m.request.Resource, kind: m.request.Kind}, true, error(nil)
	if len(c.ResourceRules) > 0 {
		as, matched, err = m.rulesMatch(c.ResourceRules, c.MatchPolicy)
	}
	if err != nil || !matched {
		return target{}, false, err
	}
	// An error of a selector only counts if all else matches.
	if namespaceErr != nil {
		return target{}, false, namespaceErr
	}
	if objectErr != nil {
		return target{}, false, objectErr
	}
	return as, true, nil
}

func (m *matcher) namespaceSelected(ctx context.Context, s *labelSelector) (bool, error) {
	if m.request.Namespace == "" && m.request.Resource.Resource != "namespaces" {
		return true, nil
	}
	selector, err := s.compiled()
	if err != nil {
		return false, internalError(err)
	}
	if selector.Empty() {
		return true, nil
	}
	found, err := m.namespaceLabels(ctx)
	var status *statusError
	if err != nil && !errors.As(err, &status) {
		return false, internalError(err)
	}
	if err != nil {
		return false, err
	}
	return selector.Matches(found), nil
}

// namespaceLabels are those of the new object, if that is a namespace.
func (m *matcher) namespaceLabels(ctx context.Context) (labels.Set, error) {
	r := m.request
	if r.Resource.Resource == "namespaces" && r.SubResource == "" && (r.Operation == Create || r.Operation == Update) {
		if r.Object == nil {
			return nil, errors.New("object does not implement the Object interfaces")
		}
		return labelsOf(r.Object), nil
	}
	namespace, err := m.cluster.namespace(ctx, r.Namespace)
	return labelsOf(namespace), err
}

func (m *matcher) objectSelected(s *labelSelector) (bool, error) {
	selector, err := s.compiled()
	if err != nil {
		return false, internalError(err)
	}
	if selector.Empty() {
		return true, nil
	}
	return slices.ContainsFunc([]map[string]any{m.request.Object, m.request.OldObject}, func(object map[string]any) bool {
		return object != nil && selector.Matches(labelsOf(object))
	}), nil
}

// labelsOf returns the labels of an object. As in an unstructured object of
// apimachinery, labels that are not all strings are none.
func labelsOf(object map[string]any) labels.Set {
	metadata, _ := object["metadata"].(map[string]any)
	found, _ := metadata["labels"].(map[string]any)
	set := labels.Set{}
	for key, value := range found {
		s, ok := value.(string)
		if !ok {
			return nil
		}
		set[key] = s
	}
	return set
}

// rulesMatch finds the first rule that matches the request, or else an equivalent of it.
func (m *matcher) rulesMatch(rules []namedRule, policy *string) (target, bool, error) {
	r := m.request
	own := target{resource: r.Resource, kind: r.Kind}
	for _, rule := range rules {
		if rule.matches(r, own.resource) && rule.names(r.Name) {
			return own, true, nil
		}
	}
	if or(policy, exact) == exact || m.cluster == nil || m.cluster.Equivalents == nil {
		return target{}, false, nil
	}
	others := m.cluster.Equivalents(r.Resource, r.SubResource)
	for _, rule := range rules {
		for _, other := range others {
			if other.Resource == r.Resource || !rule.matches(r, other.Resource) {
				continue
			}
			if other.Kind == (GroupVersionKind{}) {
				return target{}, false, fmt.Errorf("unable to convert to %v: unknown kind", other.Resource)
			}
			if rule.names(r.Name) {
				return target{other.Resource, other.Kind, other.Convert}, true, nil
			}
		}
	}
	return target{}, false, nil
}

func (n *namedRule) names(name string) bool {
	return len(n.ResourceNames) == 0 || slices.Contains(n.ResourceNames, name)
}

// namespaces is the resource that counts as one of the cluster.
var namespaces = GroupVersionResource{Version: "v1", Resource: "namespaces"}

func (n *namedRule) matches(r *Request, resource GroupVersionResource) bool {
	clusterWide := resource == namespaces || r.Namespace == ""
	switch or(n.Scope, anyScope) {
	case anyScope:
	case "Namespaced":
		if clusterWide {
			return false
		}
	case "Cluster":
		if !clusterWide {
			return false
		}
	default:
		return false
	}
	return wild(n.Operations, string(r.Operation)) && wild(n.APIGroups, resource.Group) && wild(n.APIVersions, resource.Version) &&
		slices.ContainsFunc(n.Resources, func(pattern string) bool {
			name, sub, _ := strings.Cut(pattern, "/")
			return (name == "*" || name == resource.Resource) && (sub == "*" || sub == r.SubResource)
		})
}

func wild(patterns []string, s string) bool {
	return slices.Contains(patterns, "*") || slices.Contains(patterns, s)
}
