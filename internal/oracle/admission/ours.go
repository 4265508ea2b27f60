package admission

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	authentication "k8s.io/apiserver/pkg/authentication/user"

	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/library"
)

// Ours holds policies compiled by package admission.
type Ours struct {
	set     *admission.Set
	cluster *admission.Cluster
}

// NewOurs compiles policies.
func NewOurs(c Case, w *World) (*Ours, error) {
	var policies []*admission.Policy
	var bindings []*admission.Binding
	for _, d := range c.Policies {
		p, err := admission.NewPolicy(d)
		if err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	for _, d := range c.Bindings {
		b, err := admission.NewBinding(d)
		if err != nil {
			return nil, err
		}
		bindings = append(bindings, b)
	}
	set, err := admission.NewSet(policies, bindings)
	return &Ours{set: set, cluster: w.cluster()}, err
}

func (w *World) cluster() *admission.Cluster {
	c := &admission.Cluster{
		Namespace: func(_ context.Context, name string) (map[string]any, error) {
			for _, n := range w.Namespaces {
				if n["metadata"].(object)["name"] == name {
					return n, nil
				}
			}
			return nil, nil
		},
		Params: admission.StaticParams(w.Params...),
		Equivalents: func(r admission.GroupVersionResource, _ string) (all []admission.EquivalentResource) {
			for other, kind := range w.Equivalents[schema.GroupVersionResource(r)] {
				all = append(all, admission.EquivalentResource{
					Resource: admission.GroupVersionResource(other), Kind: admission.GroupVersionKind(kind),
					Convert: func(o map[string]any) (map[string]any, error) {
						converted := object{"converted": true}
						for k, v := range o {
							converted[k] = v
						}
						converted["apiVersion"], converted["kind"] = kind.GroupVersion().String(), kind.Kind
						return converted, nil
					},
				})
			}
			return all
		},
	}
	find := c.Params.Find
	c.Params = &admission.Params{Find: find, Namespaced: func(apiVersion, kind string) (bool, bool) {
		gv, _ := schema.ParseGroupVersion(apiVersion)
		namespaced, known := w.Kinds[gv.WithKind(kind)]
		return namespaced, known
	}}
	if w.Authorizer != nil {
		c.Authorizer = func(_ context.Context, a library.Attributes) (library.Decision, string, error) {
			return answer(a.Verb, a.Name, a.Path)
		}
	}
	return c
}

func (r *Request) ours() *admission.Request {
	dryRun := r.DryRun
	return &admission.Request{
		Kind: admission.GroupVersionKind(r.Kind), Resource: admission.GroupVersionResource(r.Resource), SubResource: r.Subresource,
		Name: r.ObjectName, Namespace: r.Namespace, Operation: admission.Operation(r.Operation), UserInfo: oursUser(r.User),
		Object: r.Object, OldObject: r.OldObject, DryRun: &dryRun, Options: r.Options,
	}
}

func oursUser(u authentication.Info) admission.UserInfo {
	return admission.UserInfo{Username: u.GetName(), UID: u.GetUID(), Groups: u.GetGroups(), Extra: u.GetExtra()}
}

// Decide decides about a request.
func (o *Ours) Decide(ctx context.Context, r *Request) (Outcome, *admission.Decision, error) {
	d, err := o.set.Evaluate(ctx, r.ours(), o.cluster)
	if err != nil {
		return Outcome{}, nil, err
	}
	out := Outcome{Allowed: d.Allowed, Warnings: d.Warnings, Annotations: d.AuditAnnotations}
	if d.Status != nil {
		out.Message, out.Reason, out.Code = d.Status.Message, d.Status.Reason, d.Status.Code
	}
	return out, d, nil
}
