package admission

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	apiscel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// parts are the groups of expressions of a policy, compiled as the plugin does.
type parts struct {
	matching, validating, messaging, auditing plugin.ConditionEvaluator
	variables                                 []plugin.CompilationResult
	errors                                    map[string]string
}

// compileParts compiles the expressions in a mode, and collects the errors by path.
func compileParts(p *v1.ValidatingAdmissionPolicy, mode environment.Type) (*parts, error) {
	c, err := plugin.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, err
	}
	all := plugin.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	message := plugin.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil}
	parts := &parts{errors: map[string]string{}}
	note := func(path string, r plugin.CompilationResult) {
		if r.Error != nil {
			parts.errors[path] = r.Error.Error()
		}
	}
	for i, v := range p.Spec.Variables {
		note(fmt.Sprintf("spec.variables[%d].expression", i), c.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, all, mode))
	}
	var conditions, validations, messages, annotations []plugin.ExpressionAccessor
	for i := range p.Spec.MatchConditions {
		x := (*matchconditions.MatchCondition)(&p.Spec.MatchConditions[i])
		conditions = append(conditions, x)
		note(fmt.Sprintf("spec.matchConditions[%d].expression", i), c.CompileCELExpression(x, all, mode))
	}
	for i, v := range p.Spec.Validations {
		x := &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}
		validations = append(validations, x)
		note(fmt.Sprintf("spec.validations[%d].expression", i), c.CompileCELExpression(x, all, mode))
		var m plugin.ExpressionAccessor
		if v.MessageExpression != "" {
			m = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
			note(fmt.Sprintf("spec.validations[%d].messageExpression", i), c.CompileCELExpression(m, message, mode))
		}
		messages = append(messages, m)
	}
	for i, a := range p.Spec.AuditAnnotations {
		x := &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression}
		annotations = append(annotations, x)
		note(fmt.Sprintf("spec.auditAnnotations[%d].valueExpression", i), c.CompileCELExpression(x, all, mode))
	}
	parts.matching, parts.validating = c.CompileCondition(conditions, all, mode), c.CompileCondition(validations, all, mode)
	parts.messaging, parts.auditing = c.CompileCondition(messages, message, mode), c.CompileCondition(annotations, all, mode)
	return parts, nil
}

// spending is what the parts of a policy leave of their budgets.
type spending struct{ matching, validating, messaging, auditing int64 }

// spend evaluates the parts as a validator does.
func (p *parts) spend(ctx context.Context, w *World, r *Request, params map[string]any, namespace *corev1.Namespace) (s spending, err error) {
	a := r.Attributes()
	versioned, err := admission.NewVersionedAttributes(a, r.Kind, w)
	if err != nil {
		return s, err
	}
	request := func() *admissionv1.AdmissionRequest {
		return plugin.CreateAdmissionRequest(a, metav1.GroupVersionResource(r.Resource), metav1.GroupVersionKind(r.Kind))
	}
	var param runtime.Object
	if params != nil {
		param = &unstructured.Unstructured{Object: params}
	}
	with, without := plugin.OptionalVariableBindings{VersionedParams: param, Authorizer: w.Authorizer}, plugin.OptionalVariableBindings{VersionedParams: param}
	_, s.matching, _ = p.matching.ForInput(ctx, versioned, request(), with, nil, apiscel.RuntimeCELCostBudgetMatchConditions)
	shown := plugin.CreateNamespaceObject(namespace)
	_, s.validating, _ = p.validating.ForInput(ctx, versioned, request(), with, shown, apiscel.RuntimeCELCostBudget)
	if s.validating >= 0 {
		_, s.messaging, _ = p.messaging.ForInput(ctx, versioned, request(), without, shown, s.validating)
	}
	_, s.auditing, _ = p.auditing.ForInput(ctx, versioned, request(), without, namespace, apiscel.RuntimeCELCostBudget)
	return s, nil
}
