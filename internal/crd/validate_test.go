package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// objectCase is a schema with the objects that are validated by it, once for
// each call limit and budget.
type objectCase struct {
	Name       string            `json:"name"`
	Schema     json.RawMessage   `json:"schema"`
	Objects    []json.RawMessage `json:"objects"`
	Updates    []objectUpdate    `json:"updates"`
	Budgets    []uint64          `json:"budgets"`
	CallLimits []uint64          `json:"callLimits"`
}

type objectUpdate struct {
	Old   json.RawMessage `json:"old"`
	New   json.RawMessage `json:"new"`
	Plain bool            `json:"plain"`
}

// outcome is what an API server answers.
type outcome struct {
	// Ordered tells whether several runs gave the same order. If not, errors
	// and warnings are sorted by text.
	Ordered   bool          `json:"ordered"`
	Errors    []goldenError `json:"errors"`
	Warnings  []string      `json:"warnings,omitempty"`
	Remaining int64         `json:"remaining"`
}

func outcomeOf(r Result, b *Budget) outcome {
	o := outcome{Ordered: true, Errors: []goldenError{}, Remaining: int64(b.Left())}
	if r.Exhausted {
		o.Remaining = -1
	}
	for _, e := range errorsIn(r.Violations) {
		o.Errors = append(o.Errors, goldenError{Type: string(e.Type), Field: e.Field, Text: e.Error()})
	}
	for _, w := range r.Warnings {
		o.Warnings = append(o.Warnings, w.Server.Error())
	}
	return o
}

func errorsIn(violations []diag.Violation) (list field.ErrorList) {
	for _, v := range violations {
		list = append(list, v.Server)
	}
	return list
}

func (o outcome) sorted() outcome {
	slices.SortStableFunc(o.Errors, func(a, b goldenError) int { return strings.Compare(a.Text, b.Text) })
	slices.Sort(o.Warnings)
	o.Ordered = false
	return o
}

func (o outcome) String() string {
	data, _ := json.MarshalIndent(o, "\t", " ")
	return string(data)
}

func decodeValue(t testing.TB, raw json.RawMessage) (v any) {
	t.Helper()
	if raw == nil {
		return nil
	}
	if err := utiljson.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestValidate compares with an API server. Where that has several answers, by
// the random order in which it visits fields, ours must be one of them.
func TestValidate(t *testing.T) {
	var cases []objectCase
	load(t, "objects.yaml", &cases)
	golden := map[string][][]outcome{}
	load(t, "objects.golden.json", &golden)
	if len(cases) != len(golden) {
		t.Errorf("%d cases, %d goldens", len(cases), len(golden))
	}
	env := testRules(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			v, err := NewValidator(parseSchema(t, string(c.Schema)), true, env)
			if err != nil {
				t.Fatal(err)
			}
			updates := make([]objectUpdate, 0, len(c.Objects)+len(c.Updates))
			for _, o := range c.Objects {
				updates = append(updates, objectUpdate{New: o})
			}
			updates = append(updates, c.Updates...)
			if c.Budgets == nil {
				c.Budgets = []uint64{10_000_000}
			}
			if c.CallLimits == nil {
				c.CallLimits = []uint64{1_000_000}
			}
			want := golden[c.Name]
			if len(want) != len(updates)*len(c.Budgets)*len(c.CallLimits) {
				t.Fatalf("%d goldens", len(want))
			}
			for _, limit := range c.CallLimits {
				for _, units := range c.Budgets {
					for i, u := range updates {
						options := Options{Budget: NewBudget(units), CallLimit: &limit, NoRatcheting: u.Plain}
						r, err := v.Validate(context.Background(), decodeValue(t, u.New), decodeValue(t, u.Old), options)
						if err != nil {
							t.Fatal(err)
						}
						got := outcomeOf(r, options.Budget)
						if !want[0][0].Ordered {
							got = got.sorted()
						}
						if !slices.ContainsFunc(want[0], func(o outcome) bool { return o.String() == got.String() }) {
							t.Errorf("object %d, budget %d, limit %d:\n\tgot %v\n\tnot %v", i, units, limit, got, want[0])
						}
						want = want[1:]
					}
				}
			}
		})
	}
}

// TestValidateOrder: the same input always gives the same violations in the same order.
func TestValidateOrder(t *testing.T) {
	v, err := NewValidator(parseSchema(t, `{type: object, properties: {
		m: {type: object, additionalProperties: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}},
		b: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}, a: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}}`), true, testRules(t))
	if err != nil {
		t.Fatal(err)
	}
	inner := map[string]any{"z": int64(0), "y": int64(0), "x": int64(1), "w": int64(0)}
	object := map[string]any{"m": map[string]any{"c": inner, "b": inner, "a": inner}, "b": int64(0), "a": int64(0)}
	r, err := v.Validate(context.Background(), object, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range r.Violations {
		paths = append(paths, e.Path)
	}
	want := "[a b m[a][w] m[a][y] m[a][z] m[b][w] m[b][y] m[b][z] m[c][w] m[c][y] m[c][z]]"
	if got := fmt.Sprint(paths); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func parseSchema(t testing.TB, text string) *typesystem.OpenAPI {
	t.Helper()
	s, err := typesystem.ParseOpenAPI([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// testRules compiles rules as a server of the newest release evaluates them.
func testRules(t testing.TB) *compile.Rules {
	t.Helper()
	env, err := compile.ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		t.Fatal(err)
	}
	return env.Rules()
}

// nestedSchema has one rule in a list within a map.
func nestedSchema(rule string) string {
	return strings.Replace(nestedProperties, "RULE", strconv.Quote(rule), 1)
}

const nestedProperties = `{type: object, properties: {
	m: {type: object, additionalProperties: {type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: RULE}]}}}}}}},
	plain: {type: object, additionalProperties: {type: string}}}}`

func nestedObject() map[string]any {
	list := []any{map[string]any{"k": "a", "v": int64(1)}, map[string]any{"k": "b", "v": int64(2)}}
	plain := map[string]any{}
	for i := range 1000 {
		plain[fmt.Sprint(i)] = "x"
	}
	return map[string]any{"m": map[string]any{"x": map[string]any{"l": list}, "y": map[string]any{"l": list}}, "plain": plain}
}

// TestValidateAllocations: an object without violations takes no more than the
// walk, its keys, and the pair and budget that it begins with.
func TestValidateAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that allocations cannot be counted")
	}
	v, err := NewValidator(parseSchema(t, nestedSchema("self > 0")), true, testRules(t))
	if err != nil {
		t.Fatal(err)
	}
	object, old := nestedObject(), nestedObject()
	for _, tt := range []struct {
		name string
		old  any
		want float64
	}{{"new", nil, 4}, {"update", old, 5}} {
		got := testing.AllocsPerRun(100, func() {
			r, err := v.Validate(context.Background(), object, tt.old, Options{})
			if err != nil || r.Spent != 8 || len(r.Violations) > 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
		if got > tt.want {
			t.Errorf("%s: %v allocations, not %v", tt.name, got, tt.want)
		}
	}
}

func TestValidateContext(t *testing.T) {
	v, err := NewValidator(parseSchema(t, nestedSchema("self < 0")), true, testRules(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := v.Validate(ctx, nestedObject(), nil, Options{})
	if !errors.Is(err, context.Canceled) || len(r.Violations) != 0 || r.Exhausted {
		t.Errorf("%+v, %v", r, err)
	}
	v, err = NewValidator(parseSchema(t, nestedSchema("lists.range(1000).all(x, x >= 0 || x == self)")), true, testRules(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err = v.Validate(&lateContext{Context: ctx}, nestedObject(), nil, Options{})
	if !errors.Is(err, context.Canceled) || len(r.Violations) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// lateContext is done, and says so after it was asked once.
type lateContext struct {
	context.Context
	asked bool
}

func (c *lateContext) Err() error {
	if !c.asked {
		c.asked = true
		return nil
	}
	return c.Context.Err()
}

// TestValidateWithout: no rules, no object, nothing to say.
func TestValidateWithout(t *testing.T) {
	env := testRules(t)
	v, err := NewValidator(parseSchema(t, `{type: object}`), true, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []any{nil, map[string]any{}, map[string]any(nil), "text", 5} {
		if r, err := v.Validate(context.Background(), object, object, Options{Budget: NewBudget(0)}); err != nil || len(r.Violations) > 0 || r.Exhausted {
			t.Errorf("%v: %+v, %v", object, r, err)
		}
	}
	if _, err := NewValidator(nil, true, env); !strings.HasPrefix(codeAndText(err), "NotStructural: ") {
		t.Error(err)
	}
	if _, err := NewValidator(parseSchema(t, `{type: object, $ref: x}`), true, env); !strings.HasPrefix(codeAndText(err), "NotStructural: ") {
		t.Error(err)
	}
}

// TestValidateConcurrently shares a validator between goroutines.
func TestValidateConcurrently(t *testing.T) {
	v, err := NewValidator(parseSchema(t, `{type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: self > 0, messageExpression: "'is ' + string(self)"}]}}}`), true, testRules(t))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, err := v.Validate(context.Background(), map[string]any{"a": int64(-i)}, nil, Options{})
			if err != nil || len(r.Violations) != 1 || r.Violations[0].Message != fmt.Sprintf("is %d", -i) {
				t.Errorf("%+v, %v", r, err)
			}
		}()
	}
	wg.Wait()
}

// TestDeepNesting: schemas and objects as deep as JSON may be are no danger.
func TestDeepNesting(t *testing.T) {
	const depth = 9000
	schema := &typesystem.OpenAPI{Type: "integer", Validations: []typesystem.Rule{{Expr: "self < 0"}}}
	object := any(int64(1))
	for range depth {
		schema = &typesystem.OpenAPI{Type: "object", Properties: map[string]*typesystem.OpenAPI{"a": schema}}
		object = map[string]any{"a": object}
	}
	v, err := NewValidator(schema, true, testRules(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.Validate(context.Background(), object, object, Options{})
	if err != nil || len(r.Violations) != 0 || len(r.Warnings) != 1 {
		t.Fatalf("%d errors, %d warnings, %v", len(r.Violations), len(r.Warnings), err)
	}
	if got := len(r.Warnings[0].Server.Field); got != 2*depth-1 {
		t.Error(got)
	}
	d := &Definition{Versions: []Version{{Name: "v1", Schema: schema}}}
	if findings := Check(d, nil); len(findings) != 0 {
		t.Errorf("%d findings", len(findings))
	}
}

// TestUnhashableKey: comparing lists of type map whose keys are no scalars ends the evaluation, and
// costs nothing itself, as in an API server.
func TestUnhashableKey(t *testing.T) {
	object := map[string]any{"a": []any{map[string]any{"k": map[string]any{}}}}
	for _, rule := range []string{"self.a == self.a", "self.a != self.a", "true || self.a == self.a && false"} {
		schema := parseSchema(t, `{type: object, x-kubernetes-validations: [{rule: "`+rule+`"}], properties: {a: {type: array, x-kubernetes-list-type: map,
			x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}}}`)
		v, err := NewValidator(schema, true, testRules(t))
		if err != nil {
			t.Fatal(err)
		}
		result, err := v.Validate(t.Context(), object, nil, Options{})
		want := "internal error: runtime error: hash of unhashable type map[string]interface {} evaluating rule: " + rule
		if strings.HasPrefix(rule, "true") {
			if err != nil || len(result.Violations) > 0 {
				t.Errorf("%s: %+v, %v", rule, result, err)
			}
		} else if err != nil || len(result.Violations) != 1 || result.Violations[0].Message != want || result.Spent != 4 {
			t.Errorf("%s: %+v, %v", rule, result, err)
		}
	}
}
