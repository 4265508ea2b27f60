package crd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubecel/kubecel/typesystem"
)

// objectCase is a schema with the objects that are validated by it, once for
// each call limit and budget.
type objectCase struct {
	Name       string             `json:"name"`
	Schema     typesystem.OpenAPI `json:"schema"`
	Objects    []json.RawMessage  `json:"objects"`
	Updates    []objectUpdate     `json:"updates"`
	Budgets    []uint64           `json:"budgets"`
	CallLimits []uint64           `json:"callLimits"`
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
	for _, e := range r.FieldErrors() {
		o.Errors = append(o.Errors, goldenError{Type: string(e.Type), Field: e.Field, Text: e.Error()})
	}
	for _, w := range r.Warnings {
		o.Warnings = append(o.Warnings, w.FieldError().Error())
	}
	return o
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
	env := newTestEnvironment()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			v, err := NewValidator(&c.Schema, env)
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
						options := Options{Budget: NewBudget(units), CallLimit: limit, NoRatcheting: u.Plain}
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
		b: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}, a: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}}`), newTestEnvironment())
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
	for _, e := range r.Errors {
		paths = append(paths, e.Path.String())
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
