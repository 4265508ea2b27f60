package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
)

// GroupVersionKind names a kind of objects.
type GroupVersionKind struct {
	// Group is the API group, empty for the core group.
	Group string `json:"group"`
	// Version is the version of the API.
	Version string `json:"version"`
	// Kind is the name of the kind.
	Kind string `json:"kind"`
}

// String returns group/version, Kind=kind, as Kubernetes writes it.
func (k GroupVersionKind) String() string {
	return k.Group + "/" + k.Version + ", Kind=" + k.Kind
}

// apiVersion is the group and the version as objects have them.
func (k GroupVersionKind) apiVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// GroupVersionResource names a resource, by its lower case plural.
type GroupVersionResource struct {
	// Group is the API group, empty for the core group.
	Group string `json:"group"`
	// Version is the version of the API.
	Version string `json:"version"`
	// Resource is the lower case plural.
	Resource string `json:"resource"`
}

// String returns group/version, Resource=resource, as Kubernetes writes it.
func (r GroupVersionResource) String() string {
	return r.Group + "/" + r.Version + ", Resource=" + r.Resource
}

// UserInfo is who makes a request (authentication.k8s.io/v1).
type UserInfo struct {
	// Username identifies the user among all that are active.
	Username string `json:"username,omitempty"`
	// UID tells apart users who had the same name at different times.
	UID string `json:"uid,omitempty"`
	// Groups are the groups of the user.
	Groups []string `json:"groups,omitempty"`
	// Extra is what else the authenticator knows of the user.
	Extra map[string][]string `json:"extra,omitempty"`
}

// Operation is what a request does.
type Operation string

// The operations.
const (
	// Create creates an object.
	Create Operation = "CREATE"
	// Update replaces or patches an object.
	Update Operation = "UPDATE"
	// Delete deletes an object.
	Delete Operation = "DELETE"
	// Connect opens a connection to an object, as exec does.
	Connect Operation = "CONNECT"
)

// Request is a request to an API server, in the form of admission.k8s.io/v1
// AdmissionRequest. [ParseRequest] reads one. It is not changed, and must not change as
// long as it is evaluated.
type Request struct {
	// UID identifies the request in an AdmissionReview. Expressions see it empty.
	UID string `json:"uid"`
	// Kind is that of Object and OldObject.
	Kind GroupVersionKind `json:"kind"`
	// Resource is that of Object and OldObject, which rules are matched with.
	Resource GroupVersionResource `json:"resource"`
	// SubResource is empty if the request is for none.
	SubResource string `json:"subResource,omitempty"`
	// RequestKind is that of the original request, nil if it is Kind.
	RequestKind *GroupVersionKind `json:"requestKind,omitempty"`
	// RequestResource is that of the original request, nil if it is Resource.
	RequestResource *GroupVersionResource `json:"requestResource,omitempty"`
	// RequestSubResource is that of the original request, empty if it is SubResource.
	RequestSubResource string `json:"requestSubResource,omitempty"`
	// Name may be empty for an object whose name the server generates.
	Name string `json:"name,omitempty"`
	// Namespace is empty for a resource of the whole cluster. For a namespace, it is its
	// own name.
	Namespace string `json:"namespace,omitempty"`
	// Operation is what the request does.
	Operation Operation `json:"operation"`
	// UserInfo is who makes it.
	UserInfo UserInfo `json:"userInfo"`
	// Object is the new object, nil if the operation has none. It is unstructured:
	// map[string]any, []any, string, bool, int64, float64 and nil.
	Object map[string]any `json:"object,omitempty"`
	// OldObject is the existing object, nil if the operation has none.
	OldObject map[string]any `json:"oldObject,omitempty"`
	// DryRun tells whether nothing is stored; nil is false.
	DryRun *bool `json:"dryRun,omitempty"`
	// Options are the options of the operation, nil if there are none.
	Options map[string]any `json:"options,omitempty"`
}

// ParseRequest reads an AdmissionReview of admission.k8s.io/v1, or the AdmissionRequest
// in one, in JSON or YAML. Whole numbers in objects become int64. The error is an
// *InputError.
func ParseRequest(data []byte) (*Request, error) {
	value, err := document.One(data, nil)
	if err != nil {
		return nil, unreadable("request", err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, unreadable("request", errors.New("the document is no object"))
	}
	if kind := fields["kind"]; kind == "AdmissionReview" {
		if version := fields["apiVersion"]; version != "admission.k8s.io/v1" {
			return nil, unreadable("request", fmt.Errorf("AdmissionReview of %v: only admission.k8s.io/v1 is known", version))
		}
		if fields, ok = fields["request"].(map[string]any); !ok {
			return nil, unreadable("request", errors.New("the AdmissionReview has no request"))
		}
	}
	return newRequest(fields)
}

// newRequest takes the objects as they are, so that whole numbers stay int64.
func newRequest(fields map[string]any) (*Request, error) {
	rest, objects := map[string]any{}, map[string]map[string]any{}
	for name, value := range fields {
		switch name {
		case "object", "oldObject", "options":
			object, ok := value.(map[string]any)
			if !ok && value != nil {
				return nil, unreadable("request", fmt.Errorf("%s is no object", name))
			}
			objects[name] = object
		default:
			rest[name] = value
		}
	}
	r := &Request{}
	if _, err := decode(rest, r); err != nil {
		return nil, unreadable("request", err)
	}
	r.Object, r.OldObject, r.Options = objects["object"], objects["oldObject"], objects["options"]
	return r, nil
}

// decode decodes unstructured data. As in an API server, names of fields are sensitive
// to case. It returns the paths of the fields that the target does not have.
func decode(data map[string]any, target any) (unknown []string, err error) {
	known := known(data, reflect.TypeOf(target).Elem(), "", &unknown)
	text, err := json.Marshal(known)
	if err == nil {
		err = json.Unmarshal(text, target)
	}
	return unknown, err
}

func unreadable(what string, err error) error {
	return &diag.InputError{Code: diag.DocumentUnreadable, Detail: what + ": " + err.Error(), Cause: err}
}
