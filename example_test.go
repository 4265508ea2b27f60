package kubecel_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 1}
              host: {type: string, maxLength: 253}
              tags: {type: array, maxItems: 20, items: {type: string, maxLength: 63}}
            x-kubernetes-validations:
            - rule: self.size <= 10 || self.tags.exists(t, t == 'large')
              messageExpression: "'size %d needs the tag large'.format([self.size])"
              fieldPath: .size
            - rule: "!has(oldSelf.host) || self.host == oldSelf.host"
              message: host is immutable
              reason: FieldValueForbidden
`

// Compile the rules of a CRD once, and validate objects by them.
func ExampleCRD_Compile() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		log.Fatal(err)
	}
	object := map[string]any{"spec": map[string]any{"size": int64(11), "tags": []any{"round"}}}
	result, err := rules.Validate(context.Background(), object, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("valid:", result.Valid())
	for _, v := range result.Violations {
		fmt.Println(v.Code, v)
	}
	// Output:
	// valid: false
	// Violated spec.size: size 11 needs the tag large
}

// With the old object, rules about oldSelf are evaluated too. A violation whose value
// has not changed since is a warning.
func ExampleRuleSet_Validate() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		log.Fatal(err)
	}
	object := func(size int64, host string) map[string]any {
		return map[string]any{"spec": map[string]any{"size": size, "host": host, "tags": []any{}}}
	}
	result, err := rules.Validate(context.Background(), object(1, "b.example"), object(1, "a.example"))
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range result.Violations {
		fmt.Printf("%v (%s)\n", v, v.Reason)
	}

	result, err = rules.Validate(context.Background(), object(11, "a.example"), object(11, "a.example"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("valid:", result.Valid(), result.Warnings)
	// Output:
	// spec: host is immutable (FieldValueForbidden)
	// valid: true [spec.size: size 11 needs the tag large]
}

// Validation completes objects itself. This is the completed object.
func ExampleRuleSet_ApplyDefaults() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		log.Fatal(err)
	}
	object, err := kubecel.ParseObject([]byte("spec: {host: a.example, tags: null}"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rules.ApplyDefaults(object))
	// Output:
	// map[spec:map[host:a.example size:1]]
}

// The rules tell what they may cost before there is an object. An API server rejects
// a CRD with a rule whose total is over cost.EstimateLimit.
func ExampleRuleSet_Rules() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		log.Fatal(err)
	}
	for _, rule := range rules.Rules() {
		fmt.Println(rule.SchemaPath, "transition:", rule.Transition, "total:", rule.Total())
	}
	// Output:
	// properties[spec].x-kubernetes-validations[0] transition: false total: 126
	// properties[spec].x-kubernetes-validations[1] transition: true total: 108
}

// A controller can pass on violations as an API server reports them.
func ExampleValidation_ErrorList() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		log.Fatal(err)
	}
	object := map[string]any{"spec": map[string]any{"size": int64(11), "tags": []any{}}}
	result, err := rules.Validate(context.Background(), object, nil, kubecel.AtPath(field.NewPath("items").Index(3)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.ErrorList().ToAggregate())
	// Output:
	// items[3].spec.size: Invalid value: size 11 needs the tag large
}

// A schema can stand alone, without a CRD.
func ExampleParseResourceSchema() {
	schema, err := kubecel.ParseResourceSchema([]byte(`
type: object
properties: {from: {type: integer}, to: {type: integer}}
x-kubernetes-validations: [{rule: self.from <= self.to, message: from must not be greater than to}]
`))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := schema.Compile()
	if err != nil {
		log.Fatal(err)
	}
	result, err := rules.Validate(context.Background(), map[string]any{"from": int64(2), "to": int64(1)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Violations)
	// Output:
	// [from must not be greater than to]
}

// What an API server says when a CRD is created. Here, one rule needs a function that
// only a later release accepts, and another rule costs too much.
func ExampleCRD_Check() {
	crd, err := kubecel.ParseCRD([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: "[1].includes(1)"
        properties:
          names:
            type: array
            items: {type: string}
            x-kubernetes-validations:
            - rule: self.all(a, self.exists_one(b, a == b))
              message: names must be unique
`))
	if err != nil {
		log.Fatal(err)
	}
	findings, err := crd.Check()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range findings {
		fmt.Println(f.Code, f.Path)
		var invalid *kubecel.CompileError
		if errors.As(f, &invalid) {
			fmt.Println(" ", invalid.Issues[0].Code, invalid.Issues[0].Position, invalid.Issues[0].Hint)
		}
	}
	// Output:
	// EstimateExceeded spec.validation.openAPIV3Schema.properties[names].x-kubernetes-validations[0].rule
	// RuleInvalid spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule
	//   UndeclaredFunction 1:13 includes came with Kubernetes 1.37; API servers accept it in new expressions from 1.38 on
	// SchemaEstimateExceeded spec.validation.openAPIV3Schema.properties[names].x-kubernetes-validations[0].rule
	// SchemaEstimateExceeded spec.validation.openAPIV3Schema
}

// Data in YAML or JSON has the types that rules see in an API server.
func ExampleParseObject() {
	object, err := kubecel.ParseObject([]byte("spec: {replicas: 3, ratio: 0.5, since: 2026-01-31}"))
	if err != nil {
		log.Fatal(err)
	}
	spec := object["spec"].(map[string]any)
	fmt.Printf("%T %T %T\n", spec["replicas"], spec["ratio"], spec["since"])
	// Output:
	// int64 float64 string
}

// One budget for several objects.
func ExampleWithBudget_validation() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		log.Fatal(err)
	}
	object := map[string]any{"spec": map[string]any{"size": int64(1)}}
	budget := kubecel.NewBudget(10)
	for budget.Remaining() > 0 {
		result, err := rules.Validate(context.Background(), object, nil, kubecel.WithBudget(budget))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Cost, "of", result.Budget, result.Violations)
	}
	fmt.Println(budget)
	// Output:
	// 3 of 10 []
	// 3 of 7 []
	// 3 of 4 []
	// 0 of 1 [spec: validation failed due to running out of cost budget, no further validation rules will be run]
	// 9 cost units spent, 0 left
}

// An InputError says why a document or an argument cannot be used.
func ExampleInputError() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		log.Fatal(err)
	}
	_, err = crd.Compile("v2")
	var unusable *kubecel.InputError
	if errors.As(err, &unusable) {
		fmt.Println(unusable.Code)
		fmt.Println(unusable)
	}
	// Output:
	// VersionMissing
	// no version "v2", there are ["v1"]
}
