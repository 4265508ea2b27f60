// Package admission compares package admission with the admission plugin of the API
// server. The test of this package prints how much was compared.
package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	_ "unsafe" // for compilePolicy

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// compilePolicy compiles a policy as the plugin does.
//
//go:linkname compilePolicy k8s.io/apiserver/pkg/admission/plugin/policy/validating.compilePolicy
func compilePolicy(*v1.ValidatingAdmissionPolicy) validating.Validator

// World is what a cluster has, unstructured.
type World struct {
	Namespaces []map[string]any
	Params     []map[string]any
	// Kinds tells which kinds of params there are, and whether they are in namespaces.
	Kinds map[schema.GroupVersionKind]bool
	// Authorizer answers checks; nil is none.
	Authorizer authorizer.UnconditionalAuthorizer
	// Equivalents has for a resource those with the same objects.
	Equivalents map[schema.GroupVersionResource]map[schema.GroupVersionResource]schema.GroupVersionKind
}

// Case is policies with bindings, unstructured, in the order of their names.
type Case struct {
	Name               string
	Policies, Bindings []map[string]any
	// Few is true for policies that take long to evaluate.
	Few bool
}

// Outcome is what was decided.
type Outcome struct {
	Allowed     bool
	Message     string
	Reason      string
	Code        int32
	Warnings    []string
	Annotations map[string]string
}

// Server holds compiled policies.
type Server struct {
	world      *World
	dispatcher generic.Dispatcher[validating.PolicyHook]
	hooks      []validating.PolicyHook
}

// NewServer compiles policies. The names must be sorted.
func NewServer(c Case, w *World) (*Server, error) {
	lister := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, n := range w.Namespaces {
		var namespace corev1.Namespace
		if err := convert(n, &namespace); err != nil {
			return nil, err
		}
		namespace.TypeMeta = metav1.TypeMeta{}
		if err := lister.Add(&namespace); err != nil {
			return nil, err
		}
	}
	s := &Server{world: w}
	s.dispatcher = validating.NewDispatcher(w.Authorizer, generic.NewPolicyMatcher(matching.NewMatcher(corelisters.NewNamespaceLister(lister), client{})))
	for _, p := range c.Policies {
		h := validating.PolicyHook{Policy: &v1.ValidatingAdmissionPolicy{}}
		if err := convert(p, h.Policy); err != nil {
			return nil, err
		}
		defaulted(h.Policy.Spec.MatchConstraints)
		for _, b := range c.Bindings {
			binding := &v1.ValidatingAdmissionPolicyBinding{}
			if err := convert(b, binding); err != nil {
				return nil, err
			}
			defaulted(binding.Spec.MatchResources)
			if binding.Spec.PolicyName == h.Policy.Name {
				h.Bindings = append(h.Bindings, binding)
			}
		}
		if len(h.Bindings) == 0 {
			continue
		}
		if err := s.params(&h); err != nil {
			return nil, err
		}
		h.Evaluator = compilePolicy(h.Policy)
		s.hooks = append(s.hooks, h)
	}
	return s, nil
}

// defaulted does what the API does when a policy or binding is created.
func defaulted(m *v1.MatchResources) {
	if m == nil {
		return
	}
	if m.NamespaceSelector == nil {
		m.NamespaceSelector = &metav1.LabelSelector{}
	}
	if m.ObjectSelector == nil {
		m.ObjectSelector = &metav1.LabelSelector{}
	}
	if m.MatchPolicy == nil {
		policy := v1.Equivalent
		m.MatchPolicy = &policy
	}
}

func convert(from map[string]any, to any) error {
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	return err
}

// params does what the source of policies does for a paramKind.
func (s *Server) params(h *validating.PolicyHook) error {
	kind := h.Policy.Spec.ParamKind
	if kind == nil {
		return nil
	}
	gv, err := schema.ParseGroupVersion(kind.APIVersion)
	if err != nil {
		return err
	}
	gvk := gv.WithKind(kind.Kind)
	namespaced, ok := s.world.Kinds[gvk]
	if !ok {
		h.ConfigurationError = fmt.Errorf("failed to find resource referenced by paramKind: '%v'", gvk)
		return nil
	}
	h.ParamScope = meta.RESTScopeRoot
	if namespaced {
		h.ParamScope = meta.RESTScopeNamespace
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, p := range s.world.Params {
		if u := (&unstructured.Unstructured{Object: p}); u.GroupVersionKind() == gvk {
			if err := indexer.Add(u); err != nil {
				return err
			}
		}
	}
	h.ParamInformer = informer{indexer: indexer}
	return nil
}

type informer struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
}

func (i informer) Informer() cache.SharedIndexInformer { return i }
func (i informer) HasSynced() bool                     { return true }
func (i informer) Lister() cache.GenericLister {
	return sortedLister{cache.NewGenericLister(i.indexer, schema.GroupResource{Resource: "params"})}
}

// sortedLister lists in the order of names, where a server has none.
type sortedLister struct{ cache.GenericLister }

func (l sortedLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return sortedObjects(l.GenericLister.List(selector))
}

func (l sortedLister) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return sortedNamespaceLister{l.GenericLister.ByNamespace(namespace)}
}

type sortedNamespaceLister struct{ cache.GenericNamespaceLister }

func (l sortedNamespaceLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return sortedObjects(l.GenericNamespaceLister.List(selector))
}

func sortedObjects(all []runtime.Object, err error) ([]runtime.Object, error) {
	slices.SortFunc(all, func(a, b runtime.Object) int {
		return strings.Compare(a.(*unstructured.Unstructured).GetName(), b.(*unstructured.Unstructured).GetName())
	})
	return all, err
}

// client has no namespaces beside those of the lister.
type client struct{ kubernetes.Interface }

func (client) CoreV1() corev1client.CoreV1Interface { return core{} }

type core struct{ corev1client.CoreV1Interface }

func (core) Namespaces() corev1client.NamespaceInterface { return noNamespaces{} }

type noNamespaces struct {
	corev1client.NamespaceInterface
}

func (noNamespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, name)
}

// Request is a request of the comparison.
type Request struct {
	Name              string
	Kind              schema.GroupVersionKind
	Resource          schema.GroupVersionResource
	Subresource       string
	Object, OldObject map[string]any
	ObjectName        string
	Namespace         string
	Operation         admission.Operation
	Options           map[string]any
	DryRun            bool
	User              user.Info
}

// Attributes are the request as the plugin gets it.
func (r *Request) Attributes() *Attributes {
	object := func(data map[string]any) runtime.Object {
		if data == nil {
			return nil
		}
		return &unstructured.Unstructured{Object: data}
	}
	return &Attributes{
		Attributes: admission.NewAttributesRecord(object(r.Object), object(r.OldObject), r.Kind, r.Namespace, r.ObjectName, r.Resource,
			r.Subresource, r.Operation, object(r.Options), r.DryRun, r.User),
		annotations: map[string]string{},
	}
}

// Attributes record the audit annotations.
type Attributes struct {
	admission.Attributes
	annotations map[string]string
}

// AddAnnotation records what the record of the server takes.
func (a *Attributes) AddAnnotation(key, value string) error {
	err := a.Attributes.AddAnnotation(key, value)
	if err == nil {
		a.annotations[key] = value
	}
	return err
}

// Decide decides about a request.
func (s *Server) Decide(ctx context.Context, r *Request) Outcome {
	a, recorder := r.Attributes(), &warnings{}
	err := s.dispatcher.Dispatch(warning.WithWarningRecorder(ctx, recorder), a, s.world, s.hooks)
	out := Outcome{Allowed: err == nil, Warnings: recorder.texts, Annotations: a.annotations}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		out.Message, out.Reason, out.Code = status.ErrStatus.Message, string(status.ErrStatus.Reason), status.ErrStatus.Code
	} else if err != nil {
		out.Message = err.Error()
	}
	return out
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

// The world says what converts objects.

func (w *World) GetObjectCreater() runtime.ObjectCreater                       { return creator{} }
func (w *World) GetObjectTyper() runtime.ObjectTyper                           { return nil }
func (w *World) GetObjectDefaulter() runtime.ObjectDefaulter                   { return nil }
func (w *World) GetObjectConvertor() runtime.ObjectConvertor                   { return convertor{} }
func (w *World) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper { return mapper{w} }

type creator struct{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// convertor sets the apiVersion, and a field that tells that it was here.
type convertor struct{ runtime.ObjectConvertor }

func (convertor) Convert(in, out, _ any) error {
	to := out.(*unstructured.Unstructured)
	kind := to.GroupVersionKind()
	to.Object = in.(*unstructured.Unstructured).DeepCopy().Object
	to.SetGroupVersionKind(kind)
	to.Object["converted"] = true
	return nil
}

type mapper struct{ w *World }

func (m mapper) EquivalentResourcesFor(r schema.GroupVersionResource, _ string) []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for other := range m.w.Equivalents[r] {
		all = append(all, other)
	}
	return all
}

func (m mapper) KindFor(r schema.GroupVersionResource, _ string) schema.GroupVersionKind {
	for _, others := range m.w.Equivalents {
		if kind, ok := others[r]; ok {
			return kind
		}
	}
	return schema.GroupVersionKind{}
}
