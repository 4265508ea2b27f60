package kubecel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

func mustSchema(t testing.TB, text string) *kubecel.Schema {
	t.Helper()
	s, err := kubecel.ParseSchema([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const sourceSchema = `
type: object
properties:
  name: {type: string}
  replicas: {type: integer}
  ratio: {type: number}
  ready: {type: boolean}
  port: {x-kubernetes-int-or-string: true}
  at: {type: string, format: date-time}
  wait: {type: string, format: duration}
  key: {type: string, format: byte}
  labels: {type: object, additionalProperties: {type: string}}
  counts: {type: object, additionalProperties: {type: integer}}
  args: {type: array, items: {type: string}}
  ports:
    type: array
    items:
      type: object
      properties: {name: {type: string}, port: {type: integer}, target: {x-kubernetes-int-or-string: true}}
  template:
    type: object
    properties:
      image: {type: string}
      env: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: number}}}}
`

const targetSchema = `
type: object
properties:
  name: {type: string}
  replicas: {type: integer, nullable: true}
  ratio: {type: number}
  ready: {type: boolean}
  port: {x-kubernetes-int-or-string: true}
  at: {type: string, format: date-time}
  wait: {type: string, format: duration}
  key: {type: string, format: byte}
  labels: {type: object, additionalProperties: {type: string}}
  args: {type: array, items: {type: string}}
  ports:
    type: array
    items:
      type: object
      required: [port]
      properties: {name: {type: string}, port: {type: integer}, protocol: {type: string}, target: {x-kubernetes-int-or-string: true}}
  strict:
    type: object
    required: [image, pull]
    properties: {image: {type: string}, pull: {type: string}, env: {type: array, items: {type: object}}}
  loose: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {image: {type: integer}}}
  template:
    type: object
    properties:
      image: {type: string}
      env: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}
  empty: {type: object}
  any: {x-kubernetes-preserve-unknown-fields: true}
  anyObject: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// assignments are expressions, fields, and why the one cannot be assigned to the other.
var assignments = []struct{ expr, to, err string }{
	{"self.name", "name", ""},
	{"self.replicas", "replicas", ""},
	{"self.replicas", "ratio", ""},
	{"self.replicas", "port", ""},
	{"self.name", "port", ""},
	{"self.name + 'x'", "labels['a.b/c']", ""},
	{"self.name", "args[0]", ""},
	{"self.ports[0]", "ports[*]", ""},
	{"self.ports.filter(p, p.port > 1)", "ports", ""},
	{"null", "replicas", ""},
	{"self.?name", "name", ""},
	{"dyn(self.name)", "replicas", ""},
	{"self.port", "replicas", ""},
	{"[]", "ports", ""},
	{"{}", "labels", ""},
	{"{'a': 1}", "ports[0]", ""},
	{"self", "any", ""},
	{"self.template", "anyObject", ""},
	{"self.template.image", "loose.other", ""},
	{"self.at", "at", ""},
	{"self.at", "name", ""},
	{"self.wait", "wait", ""},
	{"self.key", "key", ""},
	{"self.name", "key", ""},
	{"quantity('1')", "name", ""},
	{"url('https://a.b')", "name", ""},
	{"ip('::1')", "name", ""},
	{"self.labels", "labels", ""},
	{"1u", "ratio", ""},

	{"self.name", "replicas", "replicas: string cannot be assigned to integer"},
	{"self.ratio", "replicas", "replicas: double cannot be assigned to integer"},
	{"self.ratio", "port", "port: double cannot be assigned to integer or string"},
	{"self.ready", "name", "name: bool cannot be assigned to string"},
	{"null", "name", "name: null cannot be assigned to string"},
	{"self.?replicas", "name", "name: int cannot be assigned to string"},
	{"self.counts", "labels", "labels{*}: int cannot be assigned to string"},
	{"{1: 'a'}", "labels", "labels: map(int, string) cannot be assigned to map of string: its keys are int and no strings"},
	{"[1]", "args", "args[*]: int cannot be assigned to string"},
	{"self.args", "name", "name: list(string) cannot be assigned to string"},
	{"self.name", "args", "args: string cannot be assigned to list of string"},
	{"self.template", "args", "args: object self.template cannot be assigned to list of string"},
	{"self.ports", "name", "name: list(self.ports[*]) cannot be assigned to string"},
	{"self.template", "template", "template.env[*].value: double cannot be assigned to string"},
	{"self.template", "strict", "strict.env[*]: it has the field name, and the schema does not"},
	{"self.ports[0]", "ports[*].port", "ports[*].port: object self.ports[*] cannot be assigned to integer"},
	{"self.ports[0]", "template", "template: self.ports[*] has the field name, and the schema does not"},
	{"self.template", "loose", "loose.image: string cannot be assigned to integer"},
	{"self.template", "ports[0]", "ports[0]: self.template has the field env, and the schema does not"},
	{"self.at", "wait", "wait: timestamp cannot be assigned to string of format duration"},
	{"quantity('1')", "replicas", "replicas: kubernetes.Quantity cannot be assigned to integer"},
	{"self.replicas", "labels['a.b']", "labels['a.b']: int cannot be assigned to string"},
	{"self.replicas", "labels{*}", "labels{*}: int cannot be assigned to string"},
	{"self.labels", "empty", "empty: map(string, string) cannot be assigned to an object without fields"},
	{"self.labels", "ports[*]", ""},
	{"self.counts", "template", "template.env: int cannot be assigned to list of object"},
	{"type(1)", "name", ""},
	{"format.dns1123Label()", "labels.a", ""},
	{"authorizer", "any", "any: kubernetes.authorization.Authorizer is no data and cannot be assigned to any value"},
}

func TestAssignableTo(t *testing.T) {
	source, target := mustSchema(t, sourceSchema), mustSchema(t, targetSchema)
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", source), kubecel.SchemaVariable("other", target),
		kubecel.Variable("authorizer", library.AuthorizerType()))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range assignments {
		field, err := target.At(tt.to)
		if err != nil {
			t.Errorf("%s: %v", tt.to, err)
			continue
		}
		err = mustCompile(t, env, tt.expr).AssignableTo(field)
		if text := textOf(err); text != tt.err {
			t.Errorf("%s to %s: %q, want %q", tt.expr, tt.to, text, tt.err)
		}
		if err != nil && code(err) != diag.NotAssignable {
			t.Errorf("%s to %s: code %s", tt.expr, tt.to, code(err))
		}
	}
	if err := mustCompile(t, env, "other").AssignableTo(target); err != nil {
		t.Errorf("a schema to itself: %v", err)
	}
	strict, err := target.At("strict")
	if err != nil {
		t.Fatal(err)
	}
	err = mustCompile(t, env, "other.template").AssignableTo(strict)
	if want := "strict.env[*]: it has the field name, and the schema does not"; textOf(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	image, err := kubecel.ParseSchema([]byte("{type: object, required: [image, pull], properties: {image: {type: string}, pull: {type: string}, env: {}}}"))
	if err == nil {
		err = mustCompile(t, env, "other.template").AssignableTo(image)
	}
	if want := "other.template lacks the field pull, which is required"; textOf(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	var none *kubecel.Expression
	if code(none.AssignableTo(target)) != diag.ArgumentInvalid || code(mustCompile(t, env, "1").AssignableTo(nil)) != diag.ArgumentInvalid {
		t.Error("an empty expression or schema is no *InputError")
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSchemaAt(t *testing.T) {
	resource, err := kubecel.ParseResourceSchema([]byte("{type: object, properties: {spec: " + strings.ReplaceAll(targetSchema, "\n", "\n  ") + "}}"))
	if err != nil {
		resource, err = kubecel.ParseResourceSchema([]byte("type: object\nproperties:\n  spec:" + strings.ReplaceAll(targetSchema, "\n", "\n    ")))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"", "spec", ".spec.ports[*].port", "spec.ports[12]", "spec['ports'][0].port", "spec.labels{*}", "spec.labels[app.kubernetes.io/name]",
		"spec.labels.a", "spec.any.thing[0].at.all", "spec.anyObject.x", "metadata.labels['a.b']", "metadata.ownerReferences[0].uid", "kind",
	} {
		if at, err := resource.At(path); err != nil || at == nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{
		"spec.port.x":         "spec.port.x: spec.port is no object, but integer or string",
		"spec.nmae":           "spec.nmae: spec has no field nmae: it has any, anyObject, args, at, empty, key, labels, loose, name, port, ports, ratio and 5 more",
		"status":              "status: the root has no field status: it has spec",
		"spec.ports.port":     "spec.ports.port: spec.ports is a list: [*] or an index leads to its elements",
		"spec[0]":             "spec[0]: the root has no field spec: it has spec",
		"spec[*]":             "spec[*]: spec is an object: .name leads to a field",
		"spec.empty.a":        "spec.empty.a: spec.empty has no field a: it has none",
		"spec.ports[0]port":   "spec.ports[0]port: expected a dot or a bracket before port",
		"spec..name":          "spec..name: a name is empty",
		"spec['name":          "spec['name: ['name has no end",
		"spec.ports[":         "spec.ports[: [ has no end",
		"spec.":               "spec.: a name is empty",
		"metadata.labels.a.b": "metadata.labels.a.b: metadata.labels.a is no object, but string",
	} {
		if path == "spec[0]" {
			want = "spec[0]: spec is an object: .name leads to a field"
		}
		_, err := resource.At(path)
		if textOf(err) != want || code(err) != diag.FieldPathInvalid {
			t.Errorf("%s: %q, want %q", path, textOf(err), want)
		}
	}
	var none kubecel.Schema
	if _, err := none.At("a"); code(err) != diag.ArgumentInvalid {
		t.Error(err)
	}
}

const unknownSchema = `
type: object
properties:
  anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
  raw: {x-kubernetes-preserve-unknown-fields: true}
  raws: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}
  some: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string}}}
  resource: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
`

func TestUnknownAsDyn(t *testing.T) {
	data := map[string]any{
		"anything": map[string]any{"x": int64(1), "a-b": []any{"c"}, "none": nil},
		"raw":      map[string]any{"x": "y"},
		"raws":     []any{int64(1), "a", nil},
		"some":     map[string]any{"known": "k", "x": map[string]any{"y": true}, "a-b": int64(2)},
		"resource": map[string]any{"metadata": map[string]any{"name": "n"}, "spec": map[string]any{"z": 1.5}},
	}
	schema := mustSchema(t, unknownSchema)
	before, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema.UnknownAsDyn()))
	if err != nil {
		t.Fatal(err)
	}
	for _, expr := range []string{
		"self.anything.x == 1", "self.anything['a-b'][0] == 'c'", "has(self.anything.x) && !has(self.anything.y)", "self.anything.none == null",
		"'x' in self.anything", "self.anything.all(k, k != 'z')", "self.raw.x == 'y'", "size(self.raw) == 1", "self.raws[1] == 'a'",
		"self.raws.exists(r, r == null)", "self.some.known == 'k'", "self.some.x.y", "self.some.a__dash__b == 2", "!has(self.some.zzz)",
		"self.some.?x.y.orValue(false)", "self.resource.spec.z > 1", "self.resource.metadata.name == 'n'", "self == self",
	} {
		x := mustCompile(t, env, expr)
		result, err := x.Eval(t.Context(), map[string]any{"self": data})
		if err != nil || !result.Bool() {
			t.Errorf("%s: %v, %v", expr, result.Value, err)
		}
		if x.Estimate().Max > 1<<40 {
			t.Errorf("%s: estimate %v has no bound", expr, x.Estimate())
		}
	}
	compileError(t, env, "self.some.known.x")
	compileError(t, env, "self.other")
	compileError(t, before, "self.anything.x")
	compileError(t, before, "self.some.x")
	rules, err := mustSchema(t, unknownSchema+"x-kubernetes-validations: [{rule: self.some.x}]").UnknownAsDyn().Compile()
	if err != nil || rules.Rules()[0].Err == nil {
		t.Errorf("rules see unknown fields, as in no server: %v", err)
	}
	if _, err := kubecel.NewEnv(kubecel.SchemaVariable("v", (*kubecel.Schema)(nil).UnknownAsDyn())); code(err) != diag.OptionInvalid {
		t.Error(err)
	}
}

const metadataSchema = `
type: object
properties:
  metadata:
    type: object
    properties: {labels: {type: object, additionalProperties: {type: string}}, name: {type: string, maxLength: 5}}
  inner:
    type: object
    x-kubernetes-embedded-resource: true
    properties: {metadata: {type: object, properties: {annotations: {type: object, additionalProperties: {type: string}}}}}
`

func TestDeclaredMetadata(t *testing.T) {
	schema, err := kubecel.ParseResourceSchema([]byte(metadataSchema))
	if err != nil {
		t.Fatal(err)
	}
	meta := map[string]any{"name": "n", "labels": map[string]any{"a": "b"}, "annotations": map[string]any{"a": "c"}}
	object := map[string]any{"kind": "K", "metadata": meta, "inner": map[string]any{"metadata": meta}}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema))
	if err != nil {
		t.Fatal(err)
	}
	exact, err := env.Extend(kubecel.ServerExact())
	if err != nil {
		t.Fatal(err)
	}
	for _, expr := range []string{
		"self.metadata.labels['a'] == 'b'", "self.metadata.name == 'n'", "!has(self.metadata.generateName)", "self.kind == 'K'",
		"self.inner.metadata.annotations.a == 'c'", "self.inner.metadata.name == 'n'",
	} {
		result, err := mustCompile(t, env, expr).Eval(t.Context(), map[string]any{"self": object})
		if err != nil || !result.Bool() {
			t.Errorf("%s: %v, %v", expr, result.Value, err)
		}
		if strings.Contains(expr, "s.a") || strings.Contains(expr, "labels") {
			compileError(t, exact, expr)
		} else if result, err = mustCompile(t, exact, expr).Eval(t.Context(), map[string]any{"self": object}); err != nil || !result.Bool() {
			t.Errorf("exact: %s: %v, %v", expr, result.Value, err)
		}
	}
	compileError(t, env, "self.metadata.annotations")
}

func TestFieldPath(t *testing.T) {
	schema := mustSchema(t, sourceSchema)
	for text, want := range map[string]string{
		".template.image": "template.image", "['template'].image": "template.image", ".labels['a.b']": "labels[a.b]",
		".none": "", "": "", ".name\n": "", ".ports[0]": "", ".name.": "",
	} {
		path, err := schema.FieldPath(text)
		if (err == nil) != (want != "") || err == nil && path.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, path, err, want)
		}
		if err != nil && (code(err) != diag.FieldPathInvalid || path != nil) {
			t.Errorf("%q: %v, code %s", text, path, code(err))
		}
	}
	_, err := schema.FieldPath(".none")
	invalid, _ := errs.As[*kubecel.InputError](err)
	if invalid.Detail != "must be a valid path" || invalid.Cause.Error() != "does not refer to a valid field" {
		t.Errorf("%+v", invalid)
	}
}

func TestOpenAPI(t *testing.T) {
	document, err := kubecel.ParseOpenAPI([]byte(`
components:
  schemas:
    Meta: {type: object, properties: {name: {type: string}, labels: {type: object, additionalProperties: {type: string}}}}
    Tree: {type: object, properties: {name: {type: string}, below: {$ref: '#/components/schemas/Tree'}}}
    App:
      type: object
      properties: {metadata: {allOf: [{$ref: '#/components/schemas/Meta'}]}, tree: {$ref: '#/components/schemas/Tree'}}
      x-kubernetes-group-version-kind: [{group: apps, version: v1, kind: App}]
`))
	if err != nil {
		t.Fatal(err)
	}
	app, err := document.Kind("apps/v1", "App")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := document.Schema("Tree")
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(t, kubecel.SchemaVariable("app", app), kubecel.SchemaVariable("tree", tree), kubecel.SchemaVariable("free", app.UnknownAsDyn()))
	data := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}, "tree": map[string]any{"below": map[string]any{"name": "n"}}}
	for _, expr := range []string{"app.metadata.labels.a == 'b'", "free.tree.below.name == 'n'"} {
		result, err := mustCompile(t, env, expr).Eval(t.Context(), map[string]any{"app": data, "free": data})
		if err != nil || !result.Bool() {
			t.Errorf("%s: %v, %v", expr, result.Value, err)
		}
	}
	compileError(t, env, "app.tree.below.name")
	if err := mustCompile(t, env, "tree").AssignableTo(tree); err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		second(document.Kind("apps/v1", "None")), second(document.Schema("None")), second(new(kubecel.OpenAPI).Kind("v1", "Pod")),
		second(new(kubecel.OpenAPI).Schema("Pod")), second(kubecel.ParseOpenAPI(nil)),
	} {
		if _, ok := errs.As[*kubecel.InputError](err); !ok {
			t.Errorf("%T %v, want an *InputError", err, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestSchemaOf(t *testing.T) {
	find := func(ref string) (any, error) {
		if ref != "port" {
			return nil, errors.New("no " + ref)
		}
		return map[string]any{"format": "int-or-string"}, nil
	}
	schema, err := kubecel.SchemaOf(map[string]any{
		"type":                            "object",
		"properties":                      map[string]any{"port": map[string]any{"$ref": "port"}},
		"x-kubernetes-group-version-kind": []any{map[string]any{"group": "", "version": "v1", "kind": "P"}},
	}, find)
	if err != nil {
		t.Fatal(err)
	}
	x := mustCompile(t, testEnv(t, kubecel.SchemaVariable("p", schema)), "p.port == 1 && p.metadata.name == 'n'")
	result, err := x.Eval(t.Context(), map[string]any{"p": map[string]any{"port": int64(1), "metadata": map[string]any{"name": "n"}}})
	if err != nil || !result.Bool() || x.OutputType() != cel.BoolType {
		t.Error(result, err)
	}
	for _, bad := range []any{func() {}, 1, "x", nil, map[string]any{"$ref": "port"}, map[string]any{"type": 1}} {
		if _, err := kubecel.SchemaOf(bad, nil); err == nil {
			t.Errorf("%v is a schema", bad)
		}
	}
	if _, err := kubecel.SchemaOf(map[string]any{"$ref": "none"}, find); err == nil || err.Error() != "schema: no none" {
		t.Error(err)
	}
}

// TestTypeWords holds that messages name types by where they stand, and that the text of
// the server does not.
func TestTypeWords(t *testing.T) {
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", mustSchema(t, sourceSchema)), kubecel.SchemaVariable("selfish", mustSchema(t, targetSchema)))
	if err != nil {
		t.Fatal(err)
	}
	for expr, want := range map[string]string{
		"self + 1":                      "found no matching overload for '_+_' applied to '(self, int)'",
		"self.template + self.ports":    "found no matching overload for '_+_' applied to '(self.template, list(self.ports[*]))'",
		"size(selfish.ports[0])":        "found no matching overload for 'size' applied to '(selfish.ports[*])'",
		"self.template == self.ports":   "found no matching overload for '_==_' applied to '(self.template, list(self.ports[*]))'",
		"self + 'selfType1.ports.@idx'": "found no matching overload for '_+_' applied to '(self, string)'",
	} {
		e := compileError(t, env, expr)
		if e.Issues[0].Message != want || !strings.Contains(e.Server, "Type1") {
			t.Errorf("%s: %s\nwant %s\nserver: %s", expr, e.Issues[0].Message, want, e.Server)
		}
	}
}

func TestLibrariesOfRules(t *testing.T) {
	twice := library.Library{Name: "example.com/twice", Functions: []library.Function{{
		Name: "twice",
		Overloads: []library.Overload{{
			ID: "int_twice", Args: []*cel.Type{cel.IntType}, Result: cel.IntType,
			Impl: library.Unary(func(i types.Int) (types.Int, error) { return 2 * i, nil }),
			Cost: cost.Fixed(5),
		}},
	}}}
	rule := "{rule: twice(self.size) < 10}"
	document := crdOf("{type: object, properties: {size: {type: integer}}, x-kubernetes-validations: [" + rule + "]}")
	definition, err := kubecel.ParseCRD(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range [][]kubecel.CRDOption{nil, {kubecel.ForRelease(release.Minor(30))}, {kubecel.Compatibility(release.Newest())}} {
		without, err := definition.Compile("", opts...)
		if err != nil || without.Rules()[0].Err == nil {
			t.Fatalf("a server has the function: %v", err)
		}
		with := append(opts, kubecel.Libraries(twice))
		rules, err := definition.Compile("", with...)
		if err != nil {
			t.Fatal(err)
		}
		for size, valid := range map[int64]bool{4: true, 5: false} {
			found, err := rules.Validate(t.Context(), map[string]any{"size": size}, nil)
			if err != nil || found.Valid() != valid || found.Cost < 5 {
				t.Errorf("size %d: %+v, %v", size, found, err)
			}
		}
		if findings, err := definition.Check(checkOptions(with)...); err != nil || len(findings) > 0 {
			t.Errorf("%v, %v", findings, err)
		}
		if findings, err := definition.Check(checkOptions(opts)...); err != nil || len(findings) != 1 {
			t.Errorf("%v, %v", findings, err)
		}
	}
	r, err := definition.Report("", kubecel.Libraries(twice), kubecel.EveryRelease())
	if err != nil || len(r.Expressions) != 1 || r.Expressions[0].Estimate.Max < 5 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, outcome := range r.Releases {
		if !outcome.Accepted && outcome.Release.Compare(release.Minor(25)) > 0 {
			t.Errorf("%v does not accept a rule with a library", outcome.Release)
		}
	}
	if _, err := definition.Compile("", kubecel.Libraries(twice, twice)); code(err) != diag.OptionInvalid {
		t.Errorf("two libraries of one name: %v", err)
	}
}
