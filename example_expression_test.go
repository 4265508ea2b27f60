package kubecel_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/library"
)

// Build an environment, compile an expression, evaluate it.
func ExampleNewEnv() {
	env, err := kubecel.NewEnv(kubecel.Variable("names", cel.ListType(cel.StringType)))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("names.all(n, !format.dns1123Label().validate(n).hasValue())")
	if err != nil {
		log.Fatal(err)
	}
	vars := map[string]any{"names": []string{"web-1", "web_2"}}
	result, err := expression.Eval(context.Background(), vars)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Bool(), "for", result.Cost, "cost units")
	// Output:
	// false for 32 cost units
}

// An extended environment shares all but its variables with the one below it.
func ExampleEnv_Extend() {
	base, err := kubecel.NewEnv()
	if err != nil {
		log.Fatal(err)
	}
	env, err := base.Extend(kubecel.Variable("replicas", cel.IntType))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("replicas * 2")
	if err != nil {
		log.Fatal(err)
	}
	result, err := expression.Eval(context.Background(), map[string]any{"replicas": 21})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Value, expression.OutputType())
	// Output:
	// 42 int
}

// A schema gives a variable fields with types, and bounds the estimate.
func ExampleSchemaVariable() {
	schema, err := kubecel.ParseResourceSchema([]byte(`
type: object
properties:
  cluster-name: {type: string, maxLength: 63}
  nodes:
    type: array
    maxItems: 10
    items: {type: object, properties: {address: {type: string, maxLength: 39}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("object", schema))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("object.nodes.all(n, isIP(n.address)) && object.cluster__dash__name != ''")
	if err != nil {
		log.Fatal(err)
	}
	object, err := kubecel.ParseObject([]byte("{cluster-name: a, nodes: [{address: 10.0.0.1}]}"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := expression.Eval(context.Background(), map[string]any{"object": object})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Value, "cost", result.Cost, "estimate", expression.Estimate())

	_, err = env.Compile("object.cluster-name")
	fmt.Println(err)
	// Output:
	// true cost 11 estimate {3 215}
	// expression does not compile
	// 1:7: undefined field 'cluster' (the property "cluster-name" is written .cluster__dash__name)
	//   | object.cluster-name
	//   |       ^
	// 1:16: undeclared reference to 'name' (in container '')
	//   | object.cluster-name
	//   |                ^
}

// A function of the caller's own is declared once, with its price. It is type-checked,
// estimated and charged like those of Kubernetes.
func ExampleLibraries() {
	slugs := library.Library{
		Name: "example.com/slugs",
		Functions: []library.Function{{
			Name: "slug",
			Doc:  "Makes a name of a title.",
			Overloads: []library.Overload{{
				ID:     "string_slug",
				Member: true,
				Args:   []*cel.Type{cel.StringType},
				Result: cel.StringType,
				Impl: library.Unary(func(title types.String) (types.String, error) {
					words := strings.Fields(strings.ToLower(string(title)))
					if len(words) == 0 {
						return "", errors.New("slug: the title has no words")
					}
					return types.String(strings.Join(words, "-")), nil
				}),
				Cost: cost.Scan(cost.Arg(0)),
			}},
		}},
	}
	env, err := kubecel.NewEnv(kubecel.Libraries(slugs))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("'Kubernetes CEL without the API server'.slug()")
	if err != nil {
		log.Fatal(err)
	}
	result, err := expression.Eval(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Value, result.Cost, expression.Estimate())
	// Output:
	// kubernetes-cel-without-the-api-server 4 {4 4}
}

// Options of cel-go declare what this package has no option for, such as constants.
func ExampleCELOptions() {
	env, err := kubecel.NewEnv(kubecel.CELOptions(cel.Constant("limit", cel.IntType, types.Int(100))))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("limit + 1")
	if err != nil {
		log.Fatal(err)
	}
	result, err := expression.Eval(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Value)
	// Output:
	// 101
}

// A program that uses cel-go directly gets its environment.
func ExampleEnv_CEL() {
	env, err := kubecel.NewEnv()
	if err != nil {
		log.Fatal(err)
	}
	celEnv, err := env.CEL()
	if err != nil {
		log.Fatal(err)
	}
	checked, issues := celEnv.Compile("quantity('1Gi').isGreaterThan(quantity('1G'))")
	if issues.Err() != nil {
		log.Fatal(issues.Err())
	}
	program, err := celEnv.Program(checked)
	if err != nil {
		log.Fatal(err)
	}
	value, details, err := program.Eval(cel.NoVars())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(value, *details.ActualCost())
	// Output:
	// true 3
}

// The documentation of Kubernetes describes isCanonical, and no API server has it.
func ExampleServerExact() {
	for _, options := range [][]kubecel.EnvOption{nil, {kubecel.ServerExact()}} {
		env, err := kubecel.NewEnv(options...)
		if err != nil {
			log.Fatal(err)
		}
		_, err = env.Compile("ip('::1').isCanonical()")
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// expression does not compile
	// 1:22: undeclared reference to 'isCanonical' (in container '') (isCanonical is in no released API server)
	//   | ip('::1').isCanonical()
	//   |                      ^
}

// A budget bounds what several evaluations cost together.
func ExampleBudget() {
	env, err := kubecel.NewEnv()
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("lists.range(30).all(i, i < 30)")
	if err != nil {
		log.Fatal(err)
	}
	budget := kubecel.NewBudget(250)
	for {
		_, err := expression.Eval(context.Background(), nil, kubecel.WithBudget(budget))
		var failed *kubecel.EvalError
		if errors.As(err, &failed) {
			fmt.Println(failed.Code)
			break
		}
		fmt.Println(budget)
	}
	// Output:
	// 192 cost units spent, 58 left
	// BudgetExhausted
}

// A CompileError says why an expression does not compile: for programs in fields, for
// people as text.
func ExampleCompileError() {
	env, err := kubecel.NewEnv(kubecel.Variable("name", cel.StringType))
	if err != nil {
		log.Fatal(err)
	}
	_, err = env.Compile("name.startsWith('é') &&\n  name.size() > '3'")
	var invalid *kubecel.CompileError
	if errors.As(err, &invalid) {
		for _, issue := range invalid.Issues {
			fmt.Println(issue.Code, "in line", issue.Position.Line, "column", issue.Position.Column)
		}
		fmt.Println(invalid)
		fmt.Println("A server says:", invalid.Server)
	}
	// Output:
	// NoMatchingOverload in line 2 column 15
	// expression does not compile
	// 2:15: found no matching overload for '_>_' applied to '(int, string)' (convert one of them, such as by string(x))
	//   |   name.size() > '3'
	//   |               ^
	// A server says: compilation failed: ERROR: <input>:2:15: found no matching overload for '_>_' applied to '(int, string)'
	//  |   name.size() > '3'
	//  | ..............^
}

// An EvalError says why an evaluation gave no value.
func ExampleEvalError() {
	env, err := kubecel.NewEnv(kubecel.Variable("ports", cel.ListType(cel.IntType)))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("ports[0] + ports[1] > 0")
	if err != nil {
		log.Fatal(err)
	}
	_, err = expression.Eval(context.Background(), map[string]any{"ports": []int{80}})
	var failed *kubecel.EvalError
	if errors.As(err, &failed) {
		fmt.Println(failed.Code, failed.Cost)
		fmt.Println(failed)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = expression.Eval(ctx, map[string]any{"ports": []int{80, 443}})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// EvaluationFailed 6
	// 1:17: index out of bounds: 1
	//   | ports[0] + ports[1] > 0
	//   |                 ^
	// true
}

// An evaluation ends when it reaches the limit.
func ExampleCostLimit() {
	env, err := kubecel.NewEnv(kubecel.CostLimit(100))
	if err != nil {
		log.Fatal(err)
	}
	expression, err := env.Compile("lists.range(1000).all(i, i < 1000)")
	if err != nil {
		log.Fatal(err)
	}
	_, err = expression.Eval(context.Background(), nil)
	fmt.Println(err)
	// Output:
	// operation cancelled: actual cost limit exceeded
}

// Errors from elsewhere can point at their place in the same way.
func ExampleSnippet() {
	fmt.Println("not good:" + diag.Snippet("a ||\nb && c", diag.Position{Line: 2, Column: 6}))
	// Output:
	// not good:
	//   | b && c
	//   |      ^
}
