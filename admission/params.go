package admission

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// param is a parameter, and nil content if there is none.
type param struct {
	name    string
	content map[string]any
}

// unknownKind says that the cluster does not have the paramKind of a policy.
func (m *matcher) unknownKind(kind *paramKind) error {
	if kind == nil {
		return nil
	}
	if m.cluster != nil && m.cluster.Params != nil && m.cluster.Params.Namespaced != nil {
		if _, known := m.cluster.Params.Namespaced(kind.APIVersion, kind.Kind); known {
			return nil
		}
	}
	return fmt.Errorf("failed to find resource referenced by paramKind: '%v'", kind.groupVersionKind())
}

func (k *paramKind) groupVersionKind() GroupVersionKind {
	group, version, found := strings.Cut(k.APIVersion, "/")
	if !found {
		group, version = "", k.APIVersion
	}
	return GroupVersionKind{group, version, k.Kind}
}

// params are the parameters of a binding. Without a parameter to look for, it is one
// that is nil.
func (m *matcher) params(ctx context.Context, kind *paramKind, r *paramRef) ([]param, error) {
	if kind == nil || r == nil {
		return []param{{}}, nil
	}
	query := ParamQuery{APIVersion: kind.APIVersion, Kind: kind.Kind, Name: r.Name}
	namespaced, _ := m.cluster.Params.Namespaced(kind.APIVersion, kind.Kind)
	switch {
	case namespaced && r.Namespace == "" && m.request.Namespace == "":
		return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	case !namespaced && r.Namespace != "":
		return nil, errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case r.Name != "" && r.Selector != nil:
		return nil, errors.New("paramRef.name and paramRef.selector are mutually exclusive")
	case r.Name == "" && r.Selector == nil:
		return nil, errors.New("one of name or selector must be provided")
	}
	if namespaced {
		query.Namespace = m.request.Namespace
		if r.Namespace != "" {
			query.Namespace = r.Namespace
		}
	}
	if r.Selector != nil {
		selector, err := r.Selector.compiled()
		if err != nil {
			return nil, err
		}
		query.Selector = selector
	}
	found, err := m.find(ctx, query)
	if err != nil {
		return nil, err
	}
	var params []param
	for _, object := range found {
		metadata, _ := object["metadata"].(map[string]any)
		name := nameOf(metadata)
		if query.Namespace != "" {
			name = query.Namespace + "/" + name
		}
		params = append(params, param{name, shownParam(object, kind)})
	}
	if len(params) == 0 && or(r.ParameterNotFoundAction, allow) == deny {
		return nil, errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return params, nil
}

func (m *matcher) find(ctx context.Context, query ParamQuery) ([]map[string]any, error) {
	if m.cluster.Params.Find == nil {
		return nil, nil
	}
	return m.cluster.Params.Find(ctx, query)
}
