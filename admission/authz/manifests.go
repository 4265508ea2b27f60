package authz

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
	"github.com/kubecel/kubecel/library"
)

// group is the API group of roles and bindings.
const group = "rbac.authorization.k8s.io"

// ReadRBAC makes an authorizer of the roles and bindings in manifests: YAML or JSON, each of one
// document, of many, or of Lists. Documents of other kinds are left out. What is there
// twice counts as it was read last, as if the manifests were applied in their order.
//
// It decides as a server with the authorization mode RBAC does, for which selectors of a request do
// not matter. The rules of an aggregated ClusterRole are those of the ClusterRoles that it selects; rules of
// its own do not count, because the controller of a cluster replaces them. The roles that every cluster
// has, such as cluster-admin and view, are those of the manifests too, or there are none, and
// nobody is exempt: not system:masters either.
//
// The error is an *InputError (package diag) with the document and the field. What a server would
// refuse is an error too: rules without verbs, rules that mix resources and paths, paths in a
// Role. A Role or RoleBinding needs a namespace.
func ReadRBAC(texts ...[]byte) (library.Authorizer, error) {
	var m manifests
	for _, data := range texts {
		all, unread, err := document.Read(data, nil)
		if err != nil {
			return nil, &diag.InputError{
				Code: diag.DocumentUnreadable, Path: fmt.Sprintf("document %d", unread.Number), Detail: err.Error(), Cause: err,
			}
		}
		for _, d := range all {
			if err := m.add(fmt.Sprintf("document %d", d.Number), "", d.Value); err != nil {
				return nil, err
			}
		}
	}
	if err := m.aggregate(); err != nil {
		return nil, err
	}
	return m.bind().authorize, nil
}

// manifests are the roles and bindings, in the order in which they were read.
type manifests struct {
	roles, clusterRoles               []role
	roleBindings, clusterRoleBindings []binding
}

// key names a role or binding.
type key struct{ namespace, name string }

type metadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

type role struct {
	path            string
	Metadata        metadata `json:"metadata"`
	Rules           []rule   `json:"rules"`
	AggregationRule *struct {
		Selectors []selector `json:"clusterRoleSelectors"`
	} `json:"aggregationRule"`
}

// selector is a label selector.
type selector struct {
	Labels       map[string]string `json:"matchLabels"`
	Requirements []requirement     `json:"matchExpressions"`
}

type rule struct {
	Verbs           []string `json:"verbs"`
	APIGroups       []string `json:"apiGroups"`
	Resources       []string `json:"resources"`
	ResourceNames   []string `json:"resourceNames"`
	NonResourceURLs []string `json:"nonResourceURLs"`
}

type binding struct {
	Metadata metadata  `json:"metadata"`
	Subjects []subject `json:"subjects"`
	RoleRef  struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"roleRef"`
}

type subject struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

func (r role) key() key    { return key{r.Metadata.Namespace, r.Metadata.Name} }
func (b binding) key() key { return key{b.Metadata.Namespace, b.Metadata.Name} }

// unreadable says what is wrong at a place.
func unreadable(path, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &diag.InputError{Code: diag.DocumentUnreadable, Path: path, Detail: err.Error(), Cause: errors.Unwrap(err)}
}

// add reads a document, or an item of a list of a kind.
func (m *manifests) add(path, kind string, value any) error {
	object, ok := value.(map[string]any)
	if !ok {
		return unreadable(path, "it is not an object")
	}
	if own, ok := object["kind"].(string); ok {
		kind = own
	}
	version, _ := object["apiVersion"].(string)
	itemKind, isList := strings.CutSuffix(kind, "List")
	items, hasItems := object["items"].([]any)
	if isList && hasItems && (itemKind == "" || strings.HasPrefix(version, group+"/")) {
		for i, item := range items {
			if o, ok := item.(map[string]any); ok && o["apiVersion"] == nil && itemKind != "" {
				o["apiVersion"] = version
			}
			if err := m.add(fmt.Sprintf("%s: items[%d]", path, i), itemKind, item); err != nil {
				return err
			}
		}
		return nil
	}
	in, version, _ := strings.Cut(version, "/")
	if in != group {
		return nil
	}
	if version != "v1" && version != "v1beta1" {
		return unreadable(path+": apiVersion", "%s/%s is not known, use %s/v1", group, version, group)
	}
	return m.addKind(path, kind, object)
}

func (m *manifests) addKind(path, kind string, object map[string]any) (err error) {
	var r role
	var b binding
	switch kind {
	case "Role", "ClusterRole":
		if err = decode(path, object, &r, &r.Metadata, kind == "Role"); err == nil {
			r.path = path
			err = r.check(path, kind)
		}
	case "RoleBinding", "ClusterRoleBinding":
		err = decode(path, object, &b, &b.Metadata, kind == "RoleBinding")
	}
	if err != nil {
		return err
	}
	switch kind {
	case "Role":
		m.roles = put(m.roles, r)
	case "ClusterRole":
		m.clusterRoles = put(m.clusterRoles, r)
	case "RoleBinding":
		m.roleBindings = put(m.roleBindings, b)
	case "ClusterRoleBinding":
		m.clusterRoleBindings = put(m.clusterRoleBindings, b)
	}
	return nil
}

// put replaces an entry of the same key, or appends.
func put[T interface{ key() key }](all []T, entry T) []T {
	if i := slices.IndexFunc(all, func(other T) bool { return other.key() == entry.key() }); i >= 0 {
		all[i] = entry
		return all
	}
	return append(all, entry)
}

// decode reads an object. The namespace of an object of the cluster does not count.
func decode(path string, object map[string]any, to any, meta *metadata, namespaced bool) error {
	text, err := stdjson.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	switch {
	case err != nil:
		return unreadable(path, "%w", err)
	case meta.Name == "":
		return unreadable(path+": metadata.name", "it is missing")
	case !namespaced:
		meta.Namespace = ""
	case meta.Namespace == "":
		return unreadable(path+": metadata.namespace", "it is missing")
	}
	return nil
}

// check finds what a server refuses in rules.
func (r role) check(path, kind string) error {
	for i, rule := range r.Rules {
		at := fmt.Sprintf("%s: rules[%d]", path, i)
		paths := len(rule.NonResourceURLs) > 0
		switch {
		case len(rule.Verbs) == 0:
			return unreadable(at+".verbs", "a rule needs verbs")
		case paths && kind == "Role":
			return unreadable(at+".nonResourceURLs", "rules of a namespace cannot apply to paths")
		case paths && len(rule.APIGroups)+len(rule.Resources)+len(rule.ResourceNames) > 0:
			return unreadable(at+".nonResourceURLs", "a rule cannot apply to both resources and paths")
		case !paths && len(rule.APIGroups) == 0:
			return unreadable(at+".apiGroups", "a rule for resources needs API groups")
		case !paths && len(rule.Resources) == 0:
			return unreadable(at+".resources", "a rule needs resources or paths")
		}
	}
	return nil
}

// aggregate gives aggregated roles the rules of the roles that they select, as often as that
// changes something: a role may select aggregated ones, and they each other.
func (m *manifests) aggregate() error {
	selectors := map[int][]labels.Selector{}
	for i, r := range m.clusterRoles {
		if r.AggregationRule == nil {
			continue
		}
		m.clusterRoles[i].Rules, selectors[i] = nil, []labels.Selector{}
		for k := range r.AggregationRule.Selectors {
			s, err := r.AggregationRule.Selectors[k].compile()
			if err != nil {
				return unreadable(fmt.Sprintf("%s: aggregationRule.clusterRoleSelectors[%d]", r.path, k), "%w", err)
			}
			selectors[i] = append(selectors[i], s)
		}
	}
	for changed := true; changed; {
		changed = false
		for i, all := range selectors {
			changed = m.collect(i, all) || changed
		}
	}
	return nil
}

// collect adds to a role what the roles that it selects have and it lacks.
func (m *manifests) collect(i int, selectors []labels.Selector) (changed bool) {
	for k, other := range m.clusterRoles {
		if k == i || !slices.ContainsFunc(selectors, func(s labels.Selector) bool { return s.Matches(labels.Set(other.Metadata.Labels)) }) {
			continue
		}
		for _, add := range other.Rules {
			if !slices.ContainsFunc(m.clusterRoles[i].Rules, func(r rule) bool { return reflect.DeepEqual(r, add) }) {
				m.clusterRoles[i].Rules = append(m.clusterRoles[i].Rules, add)
				changed = true
			}
		}
	}
	return changed
}

// compile reads the selector. An empty one selects everything.
func (s selector) compile() (labels.Selector, error) {
	compiled := labels.NewSelector()
	required := slices.Clone(s.Requirements)
	for _, k := range slices.Sorted(maps.Keys(s.Labels)) {
		required = append(required, requirement{k, "In", []string{s.Labels[k]}})
	}
	for _, r := range required {
		operator, ok := map[string]selection.Operator{
			"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
		}[r.Operator]
		if !ok {
			return nil, fmt.Errorf("%q is not a valid label selector operator", r.Operator)
		}
		one, err := labels.NewRequirement(r.Key, operator, r.Values)
		if err != nil {
			return nil, err
		}
		compiled = compiled.Add(*one)
	}
	return compiled, nil
}
