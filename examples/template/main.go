// Command template renders objects from templates with ${...} over the schemas of several kinds.
package main

import (
	"context"
	"embed"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

var hole = regexp.MustCompile(`\$\{((?:[^{}]|\{[^{}]*\})*)\}`)

// source makes one expression of a text with ${...}.
func source(text string) string {
	holes := hole.FindAllStringSubmatch(text, -1)
	if len(holes) == 1 && holes[0][0] == text {
		return holes[0][1]
	}
	var parts []string
	for i, literal := range hole.Split(text, -1) {
		if parts = append(parts, strconv.Quote(literal)); i < len(holes) {
			parts = append(parts, "string("+holes[i][1]+")")
		}
	}
	return strings.Join(parts, " + ")
}

// render evaluates the expressions of a template, and checks before that each fits its field.
func render(env *kubecel.Env, at *kubecel.Schema, node any, vars map[string]any) any {
	switch node := node.(type) {
	case map[string]any:
		object := map[string]any{}
		for name, value := range node {
			object[name] = render(env, must(at.At("['"+name+"']")), value, vars)
		}
		return object
	case []any:
		list := make([]any, len(node))
		for i, value := range node {
			list[i] = render(env, must(at.At("[*]")), value, vars)
		}
		return list
	case string:
		expression := must(env.Compile(source(node)))
		must(at, expression.AssignableTo(at))
		return must(must(expression.Eval(context.Background(), vars)).Unstructured())
	}
	return node
}

func main() {
	kinds := must(kubecel.ParseOpenAPI(must(files.ReadFile("openapi.yaml"))))
	app := must(kubecel.ParseResourceSchema(must(files.ReadFile("schema.yaml"))))
	vars := map[string]any{"app": must(kubecel.ParseObject(must(files.ReadFile("app.yaml"))))}
	env := must(kubecel.NewEnv(kubecel.SchemaVariable("app", app)))
	for _, name := range append(os.Args[1:], "deployment", "service")[:2] {
		template := must(kubecel.ParseObject(must(files.ReadFile(name + ".yaml"))))
		schema := must(kinds.Kind(template["apiVersion"].(string), template["kind"].(string)))
		vars[name] = render(env, schema, template, vars)
		env = must(env.Extend(kubecel.SchemaVariable(name, schema)))
		fmt.Printf("---\n%s", must(yaml.Marshal(vars[name])))
	}
}
