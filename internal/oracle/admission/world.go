package admission

import (
	"context"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/kubecel/kubecel/library"
)

type object = map[string]any

type list = []any

// NewWorld is the cluster of the comparison.
func NewWorld() *World {
	return &World{
		Namespaces: []map[string]any{
			{"metadata": object{
				"name": "web", "uid": "1-2", "resourceVersion": "7", "generation": int64(2), "creationTimestamp": "2024-01-02T03:04:05Z",
				"labels": object{"tier": "front", "env": "prod"}, "annotations": object{"owner": "team-a"}, "finalizers": list{"example.com/keep"},
				"managedFields": list{object{"manager": "kubectl", "operation": "Apply"}},
			}, "spec": object{"finalizers": list{"kubernetes"}}, "status": object{"phase": "Active", "conditions": list{
				object{"type": "Ready", "status": "True", "reason": "ok", "message": "fine", "lastTransitionTime": "2024-01-02T03:04:05Z"}}}},
			{"metadata": object{"name": "bare"}},
		},
		Params: []map[string]any{
			param("v1", "ConfigMap", "web", "limits", object{"limit": "3", "names": "a,b"}, object{"kind": "limit"}),
			param("v1", "ConfigMap", "web", "other", object{"limit": "100"}, object{"kind": "limit", "other": "yes"}),
			param("v1", "ConfigMap", "shared", "limits", object{"limit": "50"}, nil),
			{"apiVersion": "example.com/v1", "kind": "Limit", "metadata": object{"name": "cluster", "labels": object{"kind": "limit"}},
				"spec": object{"max": int64(4), "ratio": 0.5, "whole": 2.0, "list": list{"a", int64(1), nil}}},
		},
		Kinds: map[schema.GroupVersionKind]bool{
			{Version: "v1", Kind: "ConfigMap"}:                       true,
			{Group: "example.com", Version: "v1", Kind: "Limit"}:     false,
			{Group: "example.com", Version: "v1", Kind: "Unwritten"}: false,
		},
		Authorizer: answering{},
		Equivalents: map[schema.GroupVersionResource]map[schema.GroupVersionResource]schema.GroupVersionKind{
			widgets("v1"): {widgets("v2"): {Group: "example.com", Version: "v2", Kind: "Widget"}},
			gadgets("v1"): {gadgets("v2"): {}},
		},
	}
}

func widgets(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "widgets"}
}

func gadgets(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "gadgets"}
}

func param(apiVersion, kind, namespace, name string, data, labels object) map[string]any {
	metadata := object{"name": name, "namespace": namespace}
	if labels != nil {
		metadata["labels"] = labels
	}
	return object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "data": data}
}

// answer is the authorizer of both sides.
func answer(verb, name string, path string) (library.Decision, string, error) {
	switch {
	case verb == "deny":
		return library.Deny, "forbidden by rule", nil
	case verb == "fail":
		return library.NoOpinion, "webhook", errors.New("connection refused")
	case strings.HasPrefix(name, "secret"), path == "/closed":
		return library.NoOpinion, "", nil
	}
	return library.Allow, "", nil
}

type answering struct{}

func (answering) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := answer(a.GetVerb(), a.GetName(), a.GetPath())
	return map[library.Decision]authorizer.Decision{
		library.Deny: authorizer.DecisionDeny, library.Allow: authorizer.DecisionAllow, library.NoOpinion: authorizer.DecisionNoOpinion,
	}[decision], reason, err
}

// widget is an object of the requests.
func widget(name string, spec object) object {
	return object{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": object{
			"name": name, "namespace": "web", "labels": object{"app": name, "tier": "front", "a/b-c.d": "x"},
			"annotations": object{"note": "x"}, "creationTimestamp": nil, "finalizers": list{},
		},
		"spec": spec,
	}
}

func spec(replicas int64) object {
	return object{
		"replicas": replicas, "ratio": 0.5, "whole": 2.0, "enabled": true, "name": "abc", "none": nil, "empty": object{}, "nothing": list{},
		"names": list{"a", "b", "c"}, "numbers": list{int64(1), int64(2), int64(3)}, "mixed": list{int64(1), "a", nil, 1.5, true, list{}, object{}},
		"map":        object{"x": int64(1), "y": int64(2)},
		"containers": list{object{"name": "main", "image": "registry/a:1", "ports": list{int64(80), int64(443)}}, object{"name": "side", "image": "b"}},
		"namespace":  "kept", "if": "word", "with-dash": int64(7), "quantity": "100m", "ip": "10.0.0.1", "time": "2024-01-02T03:04:05Z", "duration": "1h",
	}
}

// Requests are those that every policy of the comparison gets.
func Requests() []*Request {
	alice := &user.DefaultInfo{Name: "alice", UID: "7", Groups: []string{"dev", "system:authenticated"}, Extra: map[string][]string{"scopes": {"a", "b"}}}
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	base := Request{Kind: kind, Resource: widgets("v1"), ObjectName: "w", Namespace: "web", Operation: admission.Create, User: alice}
	with := func(name string, change func(*Request)) *Request {
		r := base
		r.Name, r.Object = name, widget("w", spec(2))
		change(&r)
		return &r
	}
	return []*Request{
		with("create", func(r *Request) {}),
		with("create large", func(r *Request) { r.Object = widget("w", spec(9)) }),
		with("create generated", func(r *Request) {
			r.ObjectName, r.Object = "", object{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": object{"generateName": "w-"}}
		}),
		with("create nameless", func(r *Request) {
			r.ObjectName, r.Object = "", object{"apiVersion": "example.com/v1", "kind": "Widget"}
		}),
		with("update", func(r *Request) { r.Operation, r.OldObject = admission.Update, widget("old", spec(5)) }),
		with("update same", func(r *Request) { r.Operation, r.OldObject = admission.Update, widget("w", spec(2)) }),
		with("update status", func(r *Request) {
			r.Operation, r.Subresource, r.OldObject = admission.Update, "status", widget("w", spec(1))
			r.Options = object{"apiVersion": "meta.k8s.io/v1", "kind": "UpdateOptions", "fieldManager": "kubectl", "number": int64(3)}
		}),
		with("delete", func(r *Request) { r.Operation, r.Object, r.OldObject = admission.Delete, nil, widget("w", spec(2)) }),
		with("connect", func(r *Request) {
			r.Operation, r.Subresource, r.Object = admission.Connect, "exec", object{"apiVersion": "example.com/v1", "kind": "Widget", "command": "sh"}
		}),
		with("dry run", func(r *Request) { r.DryRun = true }),
		with("no user", func(r *Request) { r.User = &user.DefaultInfo{} }),
		with("secret", func(r *Request) { r.ObjectName = "secret-1" }),
		with("bare namespace", func(r *Request) { r.Namespace = "bare" }),
		with("missing namespace", func(r *Request) { r.Namespace = "gone" }),
		with("cluster", func(r *Request) { r.Namespace = "" }),
		with("other version", func(r *Request) {
			r.Resource, r.Kind.Version = widgets("v2"), "v2"
			r.Object["apiVersion"] = "example.com/v2"
		}),
		with("gadget", func(r *Request) {
			r.Resource, r.Kind.Kind, r.Object["kind"] = gadgets("v1"), "Gadget", "Gadget"
		}),
		with("core", func(r *Request) {
			r.Resource, r.Kind = schema.GroupVersionResource{Version: "v1", Resource: "pods"}, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
			r.Object["apiVersion"], r.Object["kind"] = "v1", "Pod"
		}),
		with("namespace", func(r *Request) {
			r.Resource, r.Kind = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
			r.ObjectName, r.Namespace = "web", "web"
			r.Object = object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "web", "labels": object{"tier": "new"}}}
		}),
		with("delete namespace", func(r *Request) {
			r.Resource, r.Kind = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
			r.ObjectName, r.Namespace, r.Operation, r.Object = "web", "web", admission.Delete, nil
		}),
		with("odd labels", func(r *Request) {
			r.Object = object{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": object{"labels": object{"tier": int64(1)}}, "spec": "text"}
		}),
	}
}
