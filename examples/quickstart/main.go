package main

import (
	"context"
	"fmt"
	"log"

	"github.com/kubecel/kubecel"
)

const crd = `{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, spec: {versions: [{name: v1, schema: {
  openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {replicas: {type: integer}, host: {type: string}},
    x-kubernetes-validations: [{rule: self.replicas % 2 == 1, message: replicas must be odd, fieldPath: .replicas},
      {rule: "!self.host.contains('_')", messageExpression: "'no underscore in ' + self.host"}]}}}}}]}}`

func main() {
	rules, err := kubecel.CompileCRD([]byte(crd), "v1")
	if err != nil {
		log.Fatal(err)
	}
	object := map[string]any{"spec": map[string]any{"replicas": int64(4), "host": "my_host"}}
	report, err := rules.Validate(context.Background(), object, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range report.Violations {
		fmt.Printf("%s: %s\n", v.Path, v.Message)
	}
	fmt.Printf("%d of %d cost units spent\n", report.Cost, report.Budget)
}
