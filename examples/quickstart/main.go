package main

import (
	"context"
	"fmt"

	"github.com/kubecel/kubecel"
)

const widgets = `{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, spec: {versions: [{name: v1, schema: {openAPIV3Schema: {
  type: object, properties: {size: {type: integer, default: 4}}, x-kubernetes-validations: [{rule: self.size % 2 == 1, fieldPath: .size}]}}}]}}`

func main() {
	crd, err := kubecel.ParseCRD([]byte(widgets))
	if err != nil {
		panic(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		panic(err)
	}
	object := rules.ApplyDefaults(map[string]any{})
	result, err := rules.Validate(context.Background(), object, nil)
	fmt.Println(result.ErrorList().ToAggregate(), result.Cost, err)
}
