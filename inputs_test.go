package kubecel_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
)

// content is an unstructured object, as that of apimachinery.
type content struct{ object map[string]any }

func (c *content) UnstructuredContent() map[string]any { return c.object }

type typed struct {
	header `json:",inline"`
	Spec   typedSpec `json:"spec"`
}

type header struct {
	Kind string `json:"kind,omitempty"`
}

type typedSpec struct {
	Replicas *int32            `json:"replicas,omitempty"`
	Ratio    float64           `json:"ratio"`
	Memory   resource.Quantity `json:"memory"`
	Labels   map[string]string `json:"labels,omitempty"`
	Ports    []uint16          `json:"ports"`
	Secret   []byte            `json:"secret,omitempty"`
	Next     *typedSpec        `json:"next,omitempty"`
}

type withCallback struct {
	Secret   []byte `json:"secret"`
	Callback func() `json:"callback"`
}

const inputSchema = `{type: object, properties: {kind: {type: string}, spec: {type: object, default: {}, properties: {
	replicas: {type: integer, default: 2}, ratio: {type: number}, memory: {x-kubernetes-int-or-string: true},
	labels: {type: object, additionalProperties: {type: string}}, ports: {type: array, items: {type: integer}},
	secret: {type: string, format: byte}, any: {type: object, x-kubernetes-preserve-unknown-fields: true}},
	x-kubernetes-validations: [{rule: self.replicas + 1 == 4},
		{rule: "!has(self.labels) || self.labels['a'] == 'b'"}, {rule: "!has(self.ports) || self.ports[0] == 80"},
		{rule: "self.replicas >= oldSelf.replicas"}]}}}`

// inputs are one object as programs hold it. It has three replicas.
func inputs(t *testing.T) map[string]any {
	t.Helper()
	three := int32(3)
	object := func(replicas any) map[string]any {
		return map[string]any{"spec": map[string]any{"replicas": replicas, "ratio": 1.5, "labels": map[string]any{"a": "b"}, "ports": []any{int64(80)}}}
	}
	decoded := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(`{"spec": {"replicas": 3, "ratio": 1.5, "ports": [80], "labels": {"a": "b"}}}`))
	decoder.UseNumber()
	if err := decoder.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	spec := typedSpec{Replicas: &three, Memory: resource.MustParse("1Gi"), Labels: map[string]string{"a": "b"}, Ports: []uint16{80}}
	return map[string]any{
		"unstructured data":   object(int64(3)),
		"unstructured object": &content{object(int64(3))},
		"Go integers":         object(3),
		"small integers":      object(uint8(3)),
		"json.Number":         decoded,
		"a pointer":           object(&three),
		"Go maps and slices":  map[string]any{"spec": map[string]any{"replicas": int64(3), "labels": map[string]string{"a": "b"}, "ports": []int{80}}},
		"a struct":            typed{Spec: spec},
		"a pointer to one":    &typed{header: header{Kind: "Widget"}, Spec: spec},
		"a struct in a map":   map[string]any{"spec": spec},
	}
}

// TestInputs holds that every form of an object has the verdict of the same
// unstructured data, as object and as old object, and stays as it is.
func TestInputs(t *testing.T) {
	rules := mustRules(t, inputSchema)
	crd, err := kubecel.ParseCRD(crdOf(inputSchema))
	if err != nil {
		t.Fatal(err)
	}
	four := map[string]any{"spec": map[string]any{"replicas": int64(4)}}
	for name, object := range inputs(t) {
		t.Run(name, func(t *testing.T) {
			before := fmt.Sprintf("%#v", object)
			if r, err := rules.Validate(t.Context(), object, object); err != nil || !r.Valid() {
				t.Errorf("%v, %v", r, err)
			}
			r, err := rules.Validate(t.Context(), object, four)
			if err != nil || len(r.Violations) != 1 || !strings.Contains(r.Violations[0].Message, "oldSelf") {
				t.Errorf("with a larger old one: %v, %v", r, err)
			}
			if r, err := crd.ReportValidation(t.Context(), "", object, object); err != nil || r.Validation.Cost == 0 {
				t.Errorf("report: %v, %v", r, err)
			}
			if after := fmt.Sprintf("%#v", object); after != before {
				t.Errorf("the object changed: %s, was %s", after, before)
			}
		})
	}
}

// TestNoOldObject holds which values mean that there is no old object.
func TestNoOldObject(t *testing.T) {
	rules := mustRules(t, inputSchema)
	object := map[string]any{"spec": map[string]any{"replicas": int64(3)}}
	for _, old := range []any{nil, map[string]any(nil), (*content)(nil), (*typed)(nil), map[string]string(nil)} {
		if r, err := rules.Validate(t.Context(), object, old); err != nil || !r.Valid() {
			t.Errorf("%T: %v, %v", old, r, err)
		}
		if _, err := rules.Validate(t.Context(), old, object); code(err) != diag.ArgumentInvalid {
			t.Errorf("%T as object: %v", old, err)
		}
	}
}

// TestDefaultsFirst holds that validation completes both objects, and that options leave
// that out.
func TestDefaultsFirst(t *testing.T) {
	rules := mustRules(t, `{type: object, properties: {size: {type: integer, default: 3}, nulls: {type: object, properties: {a: {type: string}}}},
		x-kubernetes-validations: [{rule: self.size == 3}, {rule: self.size == oldSelf.size}]}`)
	empty := func() map[string]any { return map[string]any{"size": nil, "nulls": map[string]any{"a": nil}} }
	object, old := empty(), map[string]any{}
	if r, err := rules.Validate(t.Context(), object, old); err != nil || !r.Valid() {
		t.Errorf("%v, %v", r, err)
	}
	if !reflect.DeepEqual(object, empty()) || len(old) != 0 {
		t.Errorf("the data of the caller changed: %v, %v", object, old)
	}
	if r, err := rules.Validate(t.Context(), object, old, kubecel.AlreadyDefaulted()); err != nil || len(r.Violations) != 2 {
		t.Errorf("already defaulted: %v, %v", r, err)
	}
	crd, err := kubecel.ParseCRD(crdOf(`{type: object, properties: {list: {type: array, maxItems: 3, items: {type: integer}, default: [1, 2]}},
		x-kubernetes-validations: [{rule: "!has(self.list) || self.list.all(n, n > 0)"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	with, err := crd.ReportValidation(t.Context(), "", map[string]any{}, nil)
	without, other := crd.ReportValidation(t.Context(), "", map[string]any{}, nil, kubecel.AlreadyDefaulted())
	if err != nil || other != nil || with.Validation.Cost <= without.Validation.Cost {
		t.Errorf("reports: %v, %v", err, other)
	}
}

// TestJSONNumbers holds what becomes of the numbers of encoding/json.
func TestJSONNumbers(t *testing.T) {
	rules := mustRules(t, inputSchema)
	var object map[string]any
	if err := json.Unmarshal([]byte(`{"spec": {"replicas": 3, "ports": [80], "any": {"n": 3}}}`), &object); err != nil {
		t.Fatal(err)
	}
	if r, err := rules.Validate(t.Context(), object, nil); err != nil || r.Valid() {
		t.Errorf("a server finds 3.0 no integer: %v, %v", r, err)
	}
	if r, err := rules.Validate(t.Context(), object, object, kubecel.JSONNumbers()); err != nil || !r.Valid() {
		t.Errorf("%v, %v", r, err)
	}
	if object["spec"].(map[string]any)["replicas"] != 3.0 {
		t.Error("the object changed")
	}
	schema, err := kubecel.ParseSchema([]byte(inputSchema))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema), kubecel.Variable("n", cel.IntType), kubecel.Variable("d", cel.DoubleType),
		kubecel.Variable("m", cel.MapType(cel.StringType, cel.ListType(cel.IntType))))
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]any{"self": object, "n": 2.0, "d": 2.0, "m": map[string]any{"a": []any{1.0, 2.0}}}
	const expression = "self.spec.replicas + n + m['a'][1] == 7 && d + 0.5 == 2.5"
	x := mustCompile(t, env, expression)
	if _, err := x.Eval(t.Context(), vars); err == nil {
		t.Errorf("without the option: %v", err)
	}
	if r, err := x.Eval(t.Context(), vars, kubecel.JSONNumbers()); err != nil || !r.Bool() {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := env.ReportEval(t.Context(), expression, vars, kubecel.JSONNumbers()); err != nil || strings.Contains(r.Text(160), "no such overload") {
		t.Errorf("%+v, %v", r, err)
	}
	vars = map[string]any{"self": map[string]any{"spec": map[string]any{"replicas": json.Number("3"), "ratio": json.Number("1.5")}}, "n": json.Number("2")}
	if r, err := mustCompile(t, env, "self.spec.replicas + n == 5 && self.spec.ratio == 1.5").Eval(t.Context(), vars); err != nil || !r.Bool() {
		t.Errorf("json.Number: %v, %v", r, err)
	}
}

// TestVariables holds that variables take the same forms of objects.
func TestVariables(t *testing.T) {
	schema, err := kubecel.ParseSchema([]byte(inputSchema))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema), kubecel.Variable("any", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	x := mustCompile(t, env, "any.spec.replicas == 3 && any.spec.labels.a == 'b' && any.spec.ports[0] == 80")
	typed := mustCompile(t, env, "self.spec.replicas == 3")
	for name, object := range inputs(t) {
		if r, err := x.Eval(t.Context(), map[string]any{"any": object}); err != nil || !r.Bool() {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		if name == "small integers" || name == "a pointer" || name == "a struct in a map" {
			continue // a schema looks at what is in a map as a server does
		}
		if r, err := typed.Eval(t.Context(), map[string]any{"self": object}); err != nil || !r.Bool() {
			t.Errorf("%s with a schema: %v, %v", name, r, err)
		}
	}
}

// refused are objects that are no data, with what their errors say. Each holds a secret.
func refused() map[string]any {
	const secret = "hunter2"
	cycle := map[string]any{"secret": secret}
	cycle["spec"] = cycle
	loop := &typedSpec{Labels: map[string]string{"secret": secret}}
	loop.Next = loop
	in := func(value any) map[string]any {
		return map[string]any{"secret": secret, "spec": map[string]any{"list": []any{secret, value}}}
	}
	return map[string]any{
		"object: a value of the Go type string is no object":                                secret,
		"object: a value of the Go type []string is no object":                              []string{secret},
		"object: a value of the Go type func() is no data":                                  func() {},
		"object.spec.list[1]: a value of the Go type chan string is no data":                in(make(chan string)),
		"object.spec.list[1]: a value of the Go type complex128 is no data":                 in(1i),
		"object.spec.list[1]: a number that is not finite is no data":                       in(math.NaN()),
		"object.spec.list[1]: an unsigned integer does not fit into 64 bits with a sign":    in(uint64(math.MaxUint64)),
		"object.spec.list[1]: a json.Number is no number":                                   in(json.Number(secret)),
		"object.spec.list[1]: a map of the Go type map[int]string has keys that are no":     in(map[int]string{1: secret}),
		"object.spec.list[1]: a map of the Go type map[interface {}]interface {} has keys":  in(map[any]any{secret: secret}),
		"object.spec.list[1]: a value of the Go type kubecel_test.unmarshallable gives no":  in(unmarshallable(secret)),
		"object.spec.list[1].callback: a value of the Go type func() is no data":            in(withCallback{Callback: func() {}, Secret: []byte(secret)}),
		"...: it nests more than 200,000 deep, or holds itself":                             cycle,
		"object.next.next.next.next.next.next.next.next.next.next.next.next.next.next.next": loop,
	}
}

// unmarshallable is a type whose JSON is an error that shows its value.
type unmarshallable string

func (u unmarshallable) MarshalJSON() ([]byte, error) {
	return nil, fmt.Errorf("cannot write %s", string(u))
}

// TestRefused holds that what is refused is refused in one line, which names the Go type and
// the place and shows no data.
func TestRefused(t *testing.T) {
	rules := mustRules(t, inputSchema)
	crd, err := kubecel.ParseCRD(crdOf(inputSchema))
	if err != nil {
		t.Fatal(err)
	}
	for want, object := range refused() {
		_, first := rules.Validate(t.Context(), object, nil)
		_, second := crd.ReportValidation(t.Context(), "", object, nil)
		_, third := rules.Validate(t.Context(), object, nil, kubecel.AlreadyDefaulted(), kubecel.JSONNumbers())
		for _, err := range []error{first, second, third} {
			if code(err) != diag.DataInvalid || !strings.Contains(err.Error(), want) || discloses(err) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		_, err := rules.Validate(t.Context(), map[string]any{}, object)
		if code(err) != diag.DataInvalid || !strings.HasPrefix(err.Error(), "old object") {
			t.Errorf("as old object: %v", err)
		}
	}
}

func discloses(err error) bool {
	return strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") || len(err.Error()) > 200
}

// TestRefusedVariables holds the same of variables: an expression that looks at them fails.
func TestRefusedVariables(t *testing.T) {
	schema, err := kubecel.ParseSchema([]byte(inputSchema))
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(kubecel.SchemaVariable("self", schema), kubecel.Variable("any", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	for want, object := range refused() {
		for _, expression := range []string{"any == 1", "any.spec.list[1] == 1", "any.spec.list.exists(x, x == 'a')", "any.next == 1", "self.spec.replicas == 1", "string(any)"} {
			_, err := mustCompile(t, env, expression).Eval(t.Context(), map[string]any{"any": object, "self": object})
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s of %s: %v", expression, want, err)
			}
		}
	}
	for want, value := range map[string]any{
		"unsupported conversion to ref.Val: (func())":                                           func() {},
		"unsupported conversion to ref.Val: callback: a value of the Go type func() is no data": withCallback{Callback: func() {}},
	} {
		_, err := mustCompile(t, env, "any == 1").Eval(t.Context(), map[string]any{"any": value})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%T: %v, want %s", value, err, want)
		}
	}
}
