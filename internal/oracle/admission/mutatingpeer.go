package admission

import (
	"context"
	"errors"
	"fmt"
	"strings"
	_ "unsafe" // for compileMutating

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// compileMutating compiles a policy as the plugin does.
//
//go:linkname compileMutating k8s.io/apiserver/pkg/admission/plugin/policy/mutating.compilePolicy
func compileMutating(*v1.MutatingAdmissionPolicy) mutating.PolicyEvaluator

// newReinvocationHandler is what a server wraps its chain of plugins in.
//
//go:linkname newReinvocationHandler k8s.io/apiserver/pkg/admission.newReinvocationHandler
func newReinvocationHandler(admission.Interface) admission.Interface

// MutatingServer holds compiled mutating policies.
type MutatingServer struct {
	world   *mutatingWorld
	handler admission.MutationInterface
}

// mutatingWorld is a world with what mutations need beside.
type mutatingWorld struct{ *World }

func (w *mutatingWorld) GetObjectTyper() runtime.ObjectTyper         { return typer{} }
func (w *mutatingWorld) GetObjectDefaulter() runtime.ObjectDefaulter { return defaulter{} }
func (w *mutatingWorld) GetObjectConvertor() runtime.ObjectConvertor { return mutatingConvertor{} }

// typer knows no kinds, as that of custom resources.
type typer struct{}

func (typer) Recognizes(schema.GroupVersionKind) bool { return false }
func (typer) ObjectKinds(o runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return nil, false, runtime.NewNotRegisteredErrForType("none", nil)
}

type defaulter struct{}

func (defaulter) Default(runtime.Object) {}

// mutatingConvertor converts widgets between versions, and leaves other objects as they
// are, whatever kind a patch has made them.
type mutatingConvertor struct{ convertor }

func (c mutatingConvertor) Convert(in, out, context any) error {
	from, to := in.(*unstructured.Unstructured), out.(*unstructured.Unstructured)
	if from.GetAPIVersion() != to.GetAPIVersion() && from.GetKind() == "Widget" && strings.HasPrefix(from.GetAPIVersion(), "example.com/") {
		return c.convertor.Convert(in, out, context)
	}
	to.Object = from.DeepCopy().Object
	return nil
}

// NewMutatingServer compiles policies. The names must be sorted. A nil converter merges
// without schemas.
func NewMutatingServer(c Case, w *World, converter managedfields.TypeConverter) (*MutatingServer, error) {
	if converter == nil {
		converter = managedfields.NewDeducedTypeConverter()
	}
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
	s := &MutatingServer{world: &mutatingWorld{w}}
	plugin := &mutatingPlugin{
		world: s.world,
		dispatcher: mutating.NewDispatcher(w.Authorizer, matching.NewMatcher(corelisters.NewNamespaceLister(lister), client{}),
			patch.NewTypeConverterManager(converter, nil)),
	}
	for _, p := range c.Policies {
		h := mutating.PolicyHook{Policy: &v1.MutatingAdmissionPolicy{}}
		if err := convert(p, h.Policy); err != nil {
			return nil, err
		}
		defaulted(h.Policy.Spec.MatchConstraints)
		for _, b := range c.Bindings {
			binding := &v1.MutatingAdmissionPolicyBinding{}
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
		// The source of params is that of validating policies.
		params := validating.PolicyHook{Policy: &v1.ValidatingAdmissionPolicy{Spec: v1.ValidatingAdmissionPolicySpec{ParamKind: h.Policy.Spec.ParamKind}}}
		if err := (&Server{world: w}).params(&params); err != nil {
			return nil, err
		}
		h.ParamInformer, h.ParamScope, h.ConfigurationError = params.ParamInformer, params.ParamScope, params.ConfigurationError
		h.Evaluator = compileMutating(h.Policy)
		plugin.hooks = append(plugin.hooks, h)
	}
	s.handler = newReinvocationHandler(plugin).(admission.MutationInterface)
	return s, nil
}

// mutatingPlugin is the plugin with policies that do not change.
type mutatingPlugin struct {
	world      *mutatingWorld
	dispatcher generic.Dispatcher[mutating.PolicyHook]
	hooks      []mutating.PolicyHook
}

func (p *mutatingPlugin) Handles(operation admission.Operation) bool {
	return operation != admission.Delete
}

func (p *mutatingPlugin) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if !p.Handles(a.GetOperation()) {
		return nil
	}
	return p.dispatcher.Dispatch(ctx, a, o, p.hooks)
}

// Mutated is what became of a request.
type Mutated struct {
	Outcome
	Causes []string
	Object map[string]any
	// Panic is what the server panicked with.
	Panic string
}

// Mutate evaluates the policies on a request.
func (s *MutatingServer) Mutate(ctx context.Context, r *Request) (out Mutated) {
	defer func() {
		if p := recover(); p != nil {
			out = Mutated{Panic: fmt.Sprint(p)}
		}
	}()
	own := *r
	own.Object, own.OldObject = runtime.DeepCopyJSON(r.Object), runtime.DeepCopyJSON(r.OldObject)
	a := own.Attributes()
	err := s.handler.Admit(ctx, a, s.world)
	out.Allowed = err == nil
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		out.Message, out.Reason, out.Code = status.ErrStatus.Message, string(status.ErrStatus.Reason), status.ErrStatus.Code
		if status.ErrStatus.Details != nil {
			for _, c := range status.ErrStatus.Details.Causes {
				out.Causes = append(out.Causes, c.Message)
			}
		}
	} else if err != nil {
		out.Message = err.Error()
	}
	if u, ok := a.GetObject().(*unstructured.Unstructured); ok && u != nil && out.Allowed {
		out.Object = u.Object
	}
	return out
}
