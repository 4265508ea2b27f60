package kubecel_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/kubecel/kubecel"
)

// A result is data: JSON, or a Go value.
func ExampleResult_As() {
	schema, err := kubecel.ParseSchema([]byte(`{type: object, properties: {name: {type: string},
		env: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	app := map[string]any{"name": "web", "env": []any{map[string]any{"name": "LEVEL", "value": "debug"}}}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("app", schema))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("{'name': dyn(app.name), 'env': dyn(app.env), 'wait': dyn(duration('90s'))}")
	if err != nil {
		log.Fatal(err)
	}
	result, err := expression.Eval(context.Background(), map[string]any{"app": app})
	if err != nil {
		log.Fatal(err)
	}
	text, err := result.JSON()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	var settings struct {
		Name string              `json:"name"`
		Env  []map[string]string `json:"env"`
		Wait time.Duration       `json:"wait"`
	}
	err = result.As(&settings)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(settings.Env[0]["name"], settings.Wait)
	// Output:
	// {"env":[{"name":"LEVEL","value":"debug"}],"name":"web","wait":"1m30s"}
	// LEVEL 1m30s
}
