package admission_test

import (
	"context"
	"fmt"

	"github.com/kubecel/kubecel/admission"
)

// The policies deny a request, as an API server does.
func ExampleSet_Evaluate() {
	policies, bindings, err := admission.ParseAll([]byte(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: object.spec.replicas <= 3, reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: replicas, validationActions: [Deny]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := admission.NewSet(policies, bindings)
	if err != nil {
		fmt.Println(err)
		return
	}
	decision, err := set.Evaluate(context.Background(), &admission.Request{
		Kind:      admission.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		Resource:  admission.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Operation: admission.Create, Name: "web", Namespace: "default",
		Object: map[string]any{"spec": map[string]any{"replicas": int64(5)}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(decision.Allowed, decision.Status.Code)
	fmt.Println(decision.Status.Message)
	fmt.Println(decision.Evaluations[0].Costs.Total(), "cost units")
	// Output:
	// false 403
	// deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'everywhere' denied request: failed expression: object.spec.replicas <= 3
	// 4 cost units
}

// A server says where an expression is wrong when the policy is created.
func ExamplePolicy_Check() {
	p, err := admission.ParsePolicy([]byte(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: object.spec.replicas}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	findings, err := p.Check()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range findings {
		fmt.Println(f.Code, f.Error())
	}
	accepted, err := p.AcceptedBy()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("lowest release:", accepted.Lowest())
	// Output:
	// ExpressionInvalid spec.validations[0].expression: Invalid value: "object.spec.replicas": must evaluate to bool but got dyn
	// lowest release: none
}
