// A program of a user: it validates what a client of controller-runtime reads.
package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubecel/kubecel"
)

const document = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {replicas: {type: integer}}
            x-kubernetes-validations:
            - {rule: self.replicas % 2 == 1, message: replicas must be odd}
`

// stored is a client that has one object.
type stored struct{ client.Client }

func (stored) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	object.SetName(key.Name)
	return unstructured.SetNestedField(object.(*unstructured.Unstructured).Object, int64(2), "spec", "replicas")
}

// validate reads an object and validates it.
func validate(ctx context.Context, reader client.Reader, rules *kubecel.RuleSet, name string) error {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if err := reader.Get(ctx, client.ObjectKey{Name: name}, object); err != nil {
		return client.IgnoreNotFound(err)
	}
	result, err := rules.Validate(ctx, object.UnstructuredContent(), nil)
	if err != nil {
		return err
	}
	return result.ErrorList().ToAggregate()
}

func main() {
	crd, err := kubecel.ParseCRD([]byte(document))
	if err != nil {
		panic(err)
	}
	rules, err := crd.Compile("v1")
	if err != nil {
		panic(err)
	}
	fmt.Println(validate(context.Background(), stored{}, rules, "web"))
}
