package kubecel_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/library"
)

// TestReferences holds which variables and places an expression reads.
func TestReferences(t *testing.T) {
	schema, err := kubecel.ParseSchema([]byte(`{type: object, properties: {spec: {type: object, properties: {
		name: {type: string}, foo-bar: {type: string}, up: {type: boolean}, labels: {type: object, additionalProperties: {type: string}},
		rules: {type: array, items: {type: object, properties: {host: {type: string}, paths: {type: array, items: {type: string}}}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema), kubecel.Variable("any", cel.DynType),
		kubecel.Variable("m", cel.MapType(cel.StringType, cel.DynType)), kubecel.Libraries(library.Bindings()))
	if err != nil {
		t.Fatal(err)
	}
	for expression, want := range map[string]string{
		"1 + 2 == 3":                "",
		"self.spec.name == any.b.c": "any.b.c self.spec.name",
		"self":                      "self",
		"has(self.spec.name) && !has(self.spec.up)":                          "self.spec.name self.spec.up",
		"self.spec.foo__dash__bar":                                           `self.spec["foo-bar"]`,
		"any['foo bar'].x > 1 || any.foo__dash__bar":                         `any.foo__dash__bar any["foo bar"].x`,
		"self.spec.rules[0].host":                                            "self.spec.rules[0].host",
		"self.spec.rules[self.spec.name.size()].host":                        "self.spec.name self.spec.rules[*].host",
		"self.spec.rules.all(r, r.paths.exists(p, p == r.host))":             "self.spec.rules self.spec.rules[*].host self.spec.rules[*].paths self.spec.rules[*].paths[*]",
		"self.spec.labels.all(k, self.spec.labels[k] == k)":                  "self.spec.labels self.spec.labels[*]",
		"self.spec.labels.all(k, v, v == k)":                                 "self.spec.labels self.spec.labels[*]",
		"self.spec.labels['a/b']":                                            `self.spec.labels["a/b"]`,
		"(self.spec.up ? self.spec : self.spec).name":                        "self.spec.name self.spec.up",
		"self.spec.rules.filter(r, r.host == 'a').all(r, r.paths[0] == 'b')": "self.spec.rules self.spec.rules[*].host self.spec.rules[*].paths[0]",
		"self.spec.rules.map(r, r.host)[0].size() > 0":                       "self.spec.rules self.spec.rules[*].host",
		"[self.spec, self.spec].map(s, s.name)":                              "self.spec.name",
		"self.?spec.?name.orValue(m.?other.orValue('a'))":                    "m.other self.spec.name",
		"self.?spec.optMap(s, s.name).orValue('')":                           "self.spec self.spec.name",
		"cel.bind(s, self.spec, s.name + s.name)":                            "self.spec.name",
		"{'a': self.spec.name, 'b': string(any)}":                            "any self.spec.name",
		"type(any) == string && dyn(self.spec.name) == 1":                    "any self.spec.name",
		"m.all(m, m == 'a')":                                                 "m",
		"ip.isCanonical(self.spec.name) && optional.of(any.x).hasValue()":    "any.x self.spec.name",
	} {
		x, err := env.Compile(expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		var texts []string
		for _, r := range x.References() {
			texts = append(texts, r.String())
		}
		if got := strings.Join(texts, " "); got != want || !slices.IsSorted(texts) {
			t.Errorf("%s\nreads %s\nwant  %s", expression, got, want)
		}
		written, err := json.Marshal(x.References())
		if err != nil {
			t.Fatal(err)
		}
		var read []kubecel.Reference
		if err := json.Unmarshal(written, &read); err != nil || len(read) > 0 && !reflect.DeepEqual(read, x.References()) {
			t.Errorf("%s: %s, read as %+v: %v", expression, written, read, err)
		}
	}
	if (&kubecel.Expression{}).References() != nil || (*kubecel.Expression)(nil).References() != nil {
		t.Error("an empty expression reads something")
	}
}

// TestTypeName holds that the names of types are those that users know.
func TestTypeName(t *testing.T) {
	schema, err := kubecel.ParseSchema([]byte(`{type: object, properties: {ports: {type: array, items: {type: object, properties: {port: {type: integer}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema))
	if err != nil {
		t.Fatal(err)
	}
	for expression, want := range map[string]string{
		"self": "self", "self.ports": "list(self.ports[*])", "self.ports[0]": "self.ports[*]", "self.?ports": "optional_type(list(self.ports[*]))",
		"1": "int", "duration('1s')": "duration", "{'a': [1]}": "map(string, list(int))", "ip('::1')": "net.IP", "dyn(1)": "dyn",
	} {
		x, err := env.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.TypeName(); got != want {
			t.Errorf("%s is %s, want %s", expression, got, want)
		}
	}
	if (&kubecel.Expression{}).TypeName() != "" {
		t.Error("an empty expression has a type")
	}
}
