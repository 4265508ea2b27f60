package admission

import (
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	apiscel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// TestMutationCosts compares what the first mutation of each policy costs in the first
// round, with the variables that it computes.
func TestMutationCosts(t *testing.T) {
	world, compared, different := newMutatingWorld(), 0, 0
	r := Requests()[0]
	var namespace corev1.Namespace
	if err := convert(world.Namespaces[0], &namespace); err != nil {
		t.Fatal(err)
	}
	for _, c := range MutatingCases() {
		var p v1.MutatingAdmissionPolicy
		if err := convert(c.Policies[0], &p); err != nil {
			t.Fatal(err)
		}
		if len(c.Policies) > 1 || len(p.Spec.Mutations) == 0 || p.Spec.ParamKind != nil {
			continue
		}
		compiler, err := plugin.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
		if err != nil {
			t.Fatal(err)
		}
		opts := plugin.OptionalVariableDeclarations{HasAuthorizer: true}
		for _, v := range p.Spec.Variables {
			compiler.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, opts, environment.StoredExpressions)
		}
		opts.HasPatchTypes = true
		var x plugin.ExpressionAccessor
		switch m := p.Spec.Mutations[0]; {
		case m.JSONPatch != nil:
			x = &patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}
		case m.ApplyConfiguration != nil:
			x = &patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}
		default:
			continue
		}
		a := r.Attributes()
		versioned, err := admission.NewVersionedAttributes(a, r.Kind, world)
		if err != nil {
			t.Fatal(err)
		}
		request := plugin.CreateAdmissionRequest(a, metav1.GroupVersionResource(r.Resource), metav1.GroupVersionKind(r.Kind))
		_, left, _ := compiler.CompileMutatingEvaluator(x, opts, environment.StoredExpressions).ForInput(compiler.CreateContext(t.Context()), versioned, request,
			plugin.OptionalVariableBindings{Authorizer: world.Authorizer}, &namespace, apiscel.RuntimeCELCostBudget)
		ours, err := NewMutatingOurs(c, world, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := ours.Mutate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if left < 0 || len(got.Invocations) == 0 || len(got.Invocations[0].Mutations) == 0 {
			continue
		}
		compared++
		if want := uint64(apiscel.RuntimeCELCostBudget - left); got.Invocations[0].Mutations[0].Cost != want {
			different++
			t.Errorf("%s: %s costs %d, want %d", c.Name, x.GetExpression(), got.Invocations[0].Mutations[0].Cost, want)
		}
	}
	t.Logf("%d costs, %d different", compared, different)
	if compared < 100 {
		t.Error("too little was compared")
	}
}
