package typesystem_test

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

func Example() {
	doc, err := typesystem.ParseOpenAPI([]byte(`
type: object
properties:
  minReplicas: {type: integer}
  maxReplicas: {type: integer}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	base, err := cel.NewEnv()
	if err != nil {
		fmt.Println(err)
		return
	}
	provider := typesystem.NewProvider(base.CELTypeProvider(), schema, "Spec")
	env, err := base.Extend(cel.CustomTypeProvider(provider), cel.CustomTypeAdapter(provider), cel.Variable("self", provider.Type()))
	if err != nil {
		fmt.Println(err)
		return
	}
	ast, issues := env.Compile("self.minReplicas <= self.maxReplicas")
	if issues.Err() != nil {
		fmt.Println(issues.Err())
		return
	}
	program, err := env.Program(ast)
	if err != nil {
		fmt.Println(err)
		return
	}
	self := schema.Value(map[string]any{"minReplicas": int64(3), "maxReplicas": int64(2)})
	result, _, err := program.Eval(map[string]any{"self": self})
	fmt.Println(result, err)
	// Output: false <nil>
}

func ExampleParseOpenAPI() {
	_, err := typesystem.ParseOpenAPI([]byte(`{"properties": {"name": {"type": "string", "maxLength": "ten"}}}`))
	fmt.Println(err)
	// Output: properties[name].maxLength: cannot use a string as a whole number
}

func ExampleCompile() {
	doc := &typesystem.OpenAPI{Type: "object", Properties: map[string]*typesystem.OpenAPI{
		"any": {PatternProperties: map[string]*typesystem.OpenAPI{"^x": {Type: "string"}}},
	}}
	_, err := typesystem.Compile(doc, true)
	fmt.Println(err)
	// Output: properties[any]: schema is not structural: OpenAPIV3Schema 'patternProperties' is not supported
}

func ExampleSchema_Value() {
	doc := &typesystem.OpenAPI{Type: "array", Items: &typesystem.SchemaOrArray{Schema: &typesystem.OpenAPI{Type: "integer"}}}
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	list := schema.Value([]any{int64(1), "two"}).(traits.Lister)
	for it := list.Iterator(); it.HasNext().Value() == true; {
		fmt.Println(it.Next())
	}
	// Output:
	// 1
	// invalid data, expected int, got string
}

func ExampleSchema_Sizes() {
	length := int64(10)
	doc := &typesystem.OpenAPI{Type: "object", Properties: map[string]*typesystem.OpenAPI{
		"name": {Type: "string", MaxLength: &length},
	}}
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A character can take four bytes.
	fmt.Println(schema.Sizes(release.Newest()).SizeOf([]string{"self", "name"}))
	// Output: {0 40} true
}
