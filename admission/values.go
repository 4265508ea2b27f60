package admission

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/library"
)

// value is `request` as the server shows it to expressions: the request as JSON has it,
// without what it does not tell them.
func (r *Request) value(as target) map[string]any {
	requestKind, requestResource := r.Kind, r.Resource
	if r.RequestKind != nil {
		requestKind = *r.RequestKind
	}
	if r.RequestResource != nil {
		requestResource = *r.RequestResource
	}
	value := map[string]any{
		"uid":             "",
		"kind":            as.kind.value(),
		"resource":        as.resource.value(),
		"requestKind":     requestKind.value(),
		"requestResource": requestResource.value(),
		"operation":       string(r.Operation),
		"userInfo":        r.UserInfo.value(),
		"object":          nil,
		"oldObject":       nil,
		"dryRun":          r.DryRun != nil && *r.DryRun,
		"options":         nil,
	}
	if r.Options != nil {
		value["options"] = r.Options
	}
	sub := r.RequestSubResource
	if sub == "" {
		sub = r.SubResource
	}
	setTexts(value, map[string]string{"subResource": r.SubResource, "requestSubResource": sub, "name": r.Name, "namespace": r.Namespace})
	return value
}

// shown returns the value when it is first needed.
func (r *Request) shown(as target) func() ref.Val {
	return sync.OnceValue(func() ref.Val { return policy.Shown(r.value(as)) })
}

// setTexts leaves out what is empty.
func setTexts(value map[string]any, texts map[string]string) {
	for name, text := range texts {
		if text != "" {
			value[name] = text
		}
	}
}

func (k GroupVersionKind) value() map[string]any {
	return map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind}
}

func (r GroupVersionResource) value() map[string]any {
	return map[string]any{"group": r.Group, "version": r.Version, "resource": r.Resource}
}

func (u UserInfo) value() map[string]any {
	value := map[string]any{}
	setTexts(value, map[string]string{"username": u.Username, "uid": u.UID})
	if len(u.Groups) > 0 {
		value["groups"] = anyList(u.Groups)
	}
	if len(u.Extra) > 0 {
		extra := map[string]any{}
		for key, values := range u.Extra {
			extra[key] = anyList(values)
		}
		value["extra"] = extra
	}
	return value
}

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// shownParam is a parameter as expressions see it: with its kind, and whole numbers as
// integers, because the server shows it as JSON writes it.
func shownParam(param map[string]any, kind *paramKind) map[string]any {
	if param == nil {
		return nil
	}
	shown, _ := whole(param).(map[string]any)
	if shown["apiVersion"] == nil && shown["kind"] == nil {
		shown["apiVersion"], shown["kind"] = kind.APIVersion, kind.Kind
	}
	return shown
}

// whole copies data, with whole numbers as integers.
func whole(data any) any {
	switch value := data.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for key, elem := range value {
			copied[key] = whole(elem)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, elem := range value {
			copied[i] = whole(elem)
		}
		return copied
	case float64:
		// JSON writes larger ones with an exponent.
		if value == math.Trunc(value) && math.Abs(value) < 1e21 && math.Abs(value) < math.MaxInt64 {
			return int64(value)
		}
	}
	return data
}

// inputs are the variables of the expressions for a request.
func (m *matcher) inputs(ctx context.Context, as target) (*policy.Inputs, error) {
	r := m.request
	object, err := as.converted(r.Object)
	if err != nil {
		return nil, err
	}
	oldObject, err := as.converted(r.OldObject)
	if err != nil {
		return nil, err
	}
	in := &policy.Inputs{Object: policy.Value(object), OldObject: policy.Value(oldObject), Request: r.shown(as)}
	if m.authorizer != nil {
		user := library.UserInfo{Name: r.UserInfo.Username, UID: r.UserInfo.UID, Groups: r.UserInfo.Groups, Extra: r.UserInfo.Extra}
		resource := library.RequestResource{
			Group: r.Resource.Group, Resource: r.Resource.Resource, Subresource: r.SubResource, Namespace: r.Namespace, Name: r.Name,
		}
		if err := in.Authorize(ctx, m.authorizer, user, resource); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// converted is an object of the request as the target has it.
func (t target) converted(object map[string]any) (map[string]any, error) {
	if t.convert == nil || object == nil {
		return object, nil
	}
	converted, err := t.convert(object)
	if err != nil {
		return nil, fmt.Errorf("failed to convert object version: %w", err)
	}
	return converted, nil
}
