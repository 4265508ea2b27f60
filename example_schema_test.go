package kubecel_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kubecel/kubecel"
)

// The type of an expression is compared with the schema of the field that it is for.
func ExampleExpression_AssignableTo() {
	app, err := kubecel.ParseSchema([]byte(`
type: object
properties:
  ports: {type: array, items: {type: object, properties: {name: {type: string}, port: {type: string}}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	service, err := kubecel.ParseResourceSchema([]byte(`
type: object
properties:
  spec:
    type: object
    properties:
      ports: {type: array, items: {type: object, properties: {name: {type: string}, port: {type: integer}}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("app", app))
	if err != nil {
		log.Fatal(err)
	}
	field, err := service.At("spec.ports")
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("app.ports")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(expression.AssignableTo(field))
	// Output: spec.ports[*].port: string cannot be assigned to integer
}

// Built-in kinds have no CRD. A cluster publishes their schemas.
func ExampleOpenAPI_Kind() {
	published := []byte(`
components:
  schemas:
    example.Meta: {type: object, properties: {name: {type: string}, labels: {type: object, additionalProperties: {type: string}}}}
    example.Widget:
      type: object
      properties: {metadata: {$ref: '#/components/schemas/example.Meta'}}
      x-kubernetes-group-version-kind: [{group: example.com, version: v1, kind: Widget}]
`)
	document, err := kubecel.ParseOpenAPI(published)
	if err != nil {
		log.Fatal(err)
	}
	widget, err := document.Kind("example.com/v1", "Widget")
	if err != nil {
		log.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("widget", widget))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("widget.metadata.labels['app'] + '-' + widget.metadata.name")
	if err != nil {
		log.Fatal(err)
	}
	object := map[string]any{"metadata": map[string]any{"name": "a", "labels": map[string]any{"app": "web"}}}
	result, err := expression.Eval(context.Background(), map[string]any{"widget": object})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Value)
	// Output: web-a
}
