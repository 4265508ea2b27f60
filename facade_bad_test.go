package kubecel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/internal/race"
)

// TestBadDocuments holds that each document that is no CRD is told what it is.
func TestBadDocuments(t *testing.T) {
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	for _, test := range []struct {
		name, document, version string
		code                    diag.Code
		text                    string
		checks                  bool // Check has findings instead of an error
	}{
		{"no YAML", "a: [", "v1", diag.DocumentUnreadable, "line 1: did not find expected node content", false},
		{"not UTF-8", "a: \xff", "v1", diag.DocumentUnreadable, "invalid leading UTF-8 octet", false},
		{"nil", "", "v1", diag.NotCRD, "no document is a CustomResourceDefinition of apiextensions.k8s.io/v1", false},
		{"comments", "# nothing\n---\n", "v1", diag.NotCRD, "no document is a CustomResourceDefinition of apiextensions.k8s.io/v1", false},
		{"list", "[1]", "v1", diag.DocumentUnreadable, "document 1", false},
		{"other kind", "apiVersion: v1\nkind: Pod", "v1", diag.NotCRD, `it is "Pod" of "v1"`, false},
		{"beta", "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition", "v1", diag.NotCRD, "Kubernetes serves only apiextensions.k8s.io/v1 since 1.22", false},
		{"two", crd + "---\n" + crd, "v1", diag.NotCRD, "several CustomResourceDefinitions", false},
		{"wrong type", string(crdOf("{type: object, properties: {a: {type: 5}}}")), "v1", diag.DocumentUnreadable,
			"spec.versions[0].schema.openAPIV3Schema: properties[a].type: cannot use a whole number as a string", false},
		{"no versions", crd, "v1", diag.VersionMissing, `no version "v1", there are []`, true},
		{"other version", string(crdOf("{type: object}")), "v2", diag.VersionMissing, `no version "v2", there are ["v1"]`, true},
		{"none stored", crd + "spec: {versions: [{name: v1}]}", "", diag.VersionMissing, "no version has storage: true", true},
		{"no schema", string(crdOf("null")), "", diag.SchemaMissing, `version "v1" has no schema`, true},
		{"not structural", string(crdOf("{type: object, properties: {a: {type: array, items: [{type: string}]}}}")), "v1", diag.NotStructural,
			"properties[a]: schema is not structural: OpenAPIV3Schema 'items' must be a schema, but is an array", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			failures := map[string]error{}
			_, failures["Compile"] = compileCRD([]byte(test.document), test.version)
			if !test.checks {
				_, failures["Check"] = checkCRD([]byte(test.document))
			} else if _, err := checkCRD([]byte(test.document)); err != nil {
				t.Errorf("Check: %v", err)
			}
			for call, err := range failures {
				unusable, ok := errs.As[*kubecel.InputError](err)
				if !ok {
					t.Errorf("%s: error %v, want an InputError", call, err)
				} else if unusable.Code != test.code || !strings.Contains(err.Error(), test.text) {
					t.Errorf("%s: %s %q, want %s with %q", call, unusable.Code, err, test.code, test.text)
				}
			}
		})
	}
}

// TestBadSchemas is about schemas without a CRD.
func TestBadSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		"":                              "no schema",
		"{":                             "schema: unexpected end of JSON input",
		"5":                             "cannot use a whole number as an object",
		"{type: [object]}":              "type: cannot use an array as a string",
		"{type: object, properties: 7}": "properties: cannot use a whole number as an object",
		"{type: object, properties: {a: {type: array, items: [{}]}}}": "properties[a]: schema is not structural",
	} {
		_, err := compileSchema([]byte(schema))
		if _, ok := errs.As[*kubecel.InputError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want an InputError with %q", schema, err, want)
		}
	}
}

// TestRuleOnUnsupportedType holds what a server says of a rule whose place has no
// type: on creation, and of every object if such a CRD is there already.
func TestRuleOnUnsupportedType(t *testing.T) {
	schema := "{type: object, properties: {a: {type: object, x-kubernetes-validations: [{rule: 'self.b == self.b'}], " +
		"properties: {b: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: 'true'}]}}}}}"
	findings, err := checkCRD(crdOf(schema))
	if err != nil {
		t.Fatal(err)
	}
	paths := map[diag.Code]string{}
	for _, f := range findings {
		paths[f.Code] = f.Path
	}
	at := "spec.validation.openAPIV3Schema.properties[a]."
	if paths[diag.NoType] != at+"properties[b].x-kubernetes-validations" || paths[diag.RuleInvalid] != at+"x-kubernetes-validations[0].rule" {
		t.Errorf("findings %v", findings)
	}

	report, err := mustRules(t, schema).Validate(t.Context(), map[string]any{"a": map[string]any{"b": "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Violations) != 1 || report.Violations[0].Path != "a" || !strings.Contains(report.Violations[0].Message, "undefined field 'b'") {
		t.Errorf("violations %v", report.Violations)
	}
}

// TestBadObjects holds what a server of Kubernetes 1.37 says of objects that do
// not match their schema, and what that costs.
func TestBadObjects(t *testing.T) {
	const early = "timestamp('2020-01-01T00:00:00Z')"
	for _, test := range []struct {
		rule, object, message string
		cost                  uint64
		position              diag.Position
	}{
		{"self.size > 1", "{}", "no such key: size", 3, diag.Position{Line: 1, Column: 5}},
		{"self.size > 1", "size: null", "no such key: size", 3, diag.Position{Line: 1, Column: 5}},
		{"self.size > 1", "size: a", "invalid data, expected int, got string", 3, diag.Position{Line: 1, Column: 5}},
		{"self.size > 1", "size: 1.5", "invalid data, expected int, got float64", 3, diag.Position{Line: 1, Column: 5}},
		{"self.size > 1", "size: 1e30", "invalid data, expected int, got float64", 3, diag.Position{Line: 1, Column: 5}},
		{"self.size > 1", "size: 9223372036854775808", "invalid data, expected int, got float64", 3, diag.Position{Line: 1, Column: 5}},
		{"self.size + 1 > 1", "size: 9223372036854775807", "integer overflow", 4, diag.Position{Line: 1, Column: 11}},
		{"self.name == 'a'", "name: [1]", "invalid data, expected string, got []interface {}", 3, diag.Position{Line: 1, Column: 5}},
		{"self.day < " + early, "day: tomorrow", `Invalid date formatted string tomorrow: parsing time "tomorrow" as "2006-01-02": cannot parse "tomorrow" as "2006"`, 3, diag.Position{Line: 1, Column: 5}},
		{"self.data == b'a'", "data: '%%%'", "Invalid byte formatted string %%%: illegal base64 data at input byte 0", 3, diag.Position{Line: 1, Column: 5}},
		{"self.names.all(n, n == 'a')", "names: {a: b}", "invalid data, expected an array for the provided schema with type=array", 2, diag.Position{Line: 1, Column: 5}},
		{"self.names.all(n, n == 'a')", "names: [null]", "invalid data, got null for schema with nullable=false", 8, diag.Position{Line: 1, Column: 19}},
		{"self.either == 1", "either: true", "invalid data, expected XIntOrString value to be either a string or integer", 3, diag.Position{Line: 1, Column: 5}},
		{"self.any == self.any", "any: 5", "invalid data, expected a map for the provided schema with type=object", 5, diag.Position{Line: 1, Column: 5}},
	} {
		t.Run(test.rule+" of "+test.object, func(t *testing.T) {
			object, err := kubecel.ParseObject([]byte(test.object))
			if err != nil {
				t.Fatal(err)
			}
			report, err := mustRules(t, withRule(`{rule: "`+test.rule+`"}`)).Validate(t.Context(), object, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Violations) != 1 || report.Cost != test.cost || report.Valid() {
				t.Fatalf("%d violations for %d units, valid: %v; want 1 for %d", len(report.Violations), report.Cost, report.Valid(), test.cost)
			}
			v := report.Violations[0]
			if want := test.message + " evaluating rule: " + test.rule; v.Message != want {
				t.Errorf("message %q, want %q", v.Message, want)
			}
			failed, ok := errs.As[*kubecel.EvalError](v)
			if !ok || failed.Server != test.message || failed.Position != test.position {
				t.Errorf("error %#v, want %q at %v", v.Err, test.message, test.position)
			}
		})
	}
	// A field that the schema does not have is no business of the rules.
	report, err := mustRules(t, withRule("{rule: self == self}")).Validate(t.Context(), map[string]any{"unknown": struct{}{}}, nil)
	if err != nil || !report.Valid() {
		t.Errorf("unknown field: %v %v", report, err)
	}
}

// TestParseObjectErrors holds that data which is no object says so.
func TestParseObjectErrors(t *testing.T) {
	for data, want := range map[string]string{
		"":                        "object: the document is empty",
		"# nothing":               "object: the document is empty",
		"null":                    "object: the document is empty",
		"[1]":                     "object: the document is a list and no object",
		"text":                    "object: the document is a string and no object",
		"true":                    "object: the document is a boolean and no object",
		"1.5":                     "object: the document is a number and no object",
		"a: 1\n---\nb: 2":         "object: there are several documents, expected one",
		"a: \xff":                 "object: yaml: invalid leading UTF-8 octet",
		"a: .nan":                 "object: json: unsupported value: NaN",
		"a: [":                    "object: yaml: line 1: did not find expected node content",
		strings.Repeat("[", 1e5):  "object: yaml: exceeded max depth of 10000",
		strings.Repeat("- ", 1e5): "object: yaml: exceeded max depth of 10000",
	} {
		_, err := kubecel.ParseObject([]byte(data))
		if unusable, ok := errs.As[*kubecel.InputError](err); !ok || unusable.Code != diag.DocumentUnreadable || err.Error() != want {
			t.Errorf("%.20q: error %v, want %q", data, err, want)
		}
	}
}

// TestParseObjectJSON holds that JSON is read as such: not all of it is YAML.
func TestParseObjectJSON(t *testing.T) {
	object, err := kubecel.ParseObject([]byte(`{"smile": "\ud83d\ude00", "tab":	"a", "whole": 3, "large": 1e3}`))
	if err != nil {
		t.Fatal(err)
	}
	if object["smile"] != "😀" || object["whole"] != int64(3) || object["large"] != 1000.0 {
		t.Errorf("%#v", object)
	}
	if object, err := kubecel.ParseObject([]byte("---\na: 1\n---\n# end\n")); err != nil || object["a"] != int64(1) {
		t.Errorf("%v %v", object, err)
	}
}

// TestDeepObjects holds that neither parsing nor comparing what nests deep overflows the
// stack, and that twice the depth allocates and costs twice as much.
func TestDeepObjects(t *testing.T) {
	const depth = 9_000
	parsed, err := kubecel.ParseObject([]byte(`{"any": ` + strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth) + "}"))
	if err != nil {
		t.Fatal(err)
	}
	nested := func(depth int) map[string]any {
		var value any = int64(1)
		for range depth {
			value = map[string]any{"a": value}
		}
		return map[string]any{"any": value, "size": int64(1)}
	}
	rules := mustRules(t, withRule("{rule: self.any == self.any}, {rule: self.any == oldSelf.any}, {rule: self == oldSelf}"))
	for _, objects := range [][2]map[string]any{{parsed, parsed}, {nested(1e5), nested(1e5)}} {
		report, err := rules.Validate(t.Context(), rules.ApplyDefaults(objects[0]), objects[1])
		if err != nil || !report.Valid() {
			t.Errorf("%v %v", report, err)
		}
	}
	if race.Enabled {
		return // the detector allocates
	}
	var costs, allocations [2]float64
	for i, depth := range []int{1e4, 2e4} {
		object, old := nested(depth), nested(depth)
		allocations[i] = testing.AllocsPerRun(1, func() {
			report, err := rules.Validate(t.Context(), rules.ApplyDefaults(object), old)
			if err != nil {
				t.Error(err)
			}
			costs[i] = float64(report.Cost)
		})
	}
	if costs[1] > 2.1*costs[0] || allocations[1] > 2.1*allocations[0] {
		t.Errorf("twice the depth: cost %v, %v allocations", costs, allocations)
	}
}

// TestBudgets holds what becomes of validation without enough budget.
func TestBudgets(t *testing.T) {
	rules := mustRules(t, withRule("{rule: self.size > 1}, {rule: self.size > 2}"))
	object := map[string]any{"size": int64(5)}
	const message = "validation failed due to running out of cost budget, no further validation rules will be run"
	for units, want := range map[uint64]struct {
		cost uint64
		rule string
	}{0: {0, ""}, 3: {3, "self.size > 2"}} {
		budget := kubecel.NewBudget(units)
		report, err := rules.Validate(t.Context(), object, nil, kubecel.WithBudget(budget))
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Violations) != 1 || report.Violations[0].Code != diag.BudgetExhausted ||
			report.Violations[0].Message != message || report.Violations[0].Rule != want.rule {
			t.Errorf("%d units: %v", units, report.Violations)
		}
		if report.Cost != want.cost || report.Budget != units || !report.Exhausted || !budget.Exhausted() || budget.Remaining() != 0 || budget.Spent() != want.cost {
			t.Errorf("%d units: %+v, %v", units, report, budget)
		}
	}
	report, err := rules.Validate(t.Context(), object, nil, kubecel.WithBudget(kubecel.NewBudget(6)))
	if err != nil || !report.Valid() || report.Exhausted {
		t.Errorf("6 units: %+v %v", report, err)
	}
}

// TestCancelled holds that a done context ends everything with its error.
func TestCancelled(t *testing.T) {
	cause := errors.New("the caller has left")
	done, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	env := testEnv(t)
	_, err := mustCompile(t, env, "true").Eval(done, nil)
	failed, ok := errs.As[*kubecel.EvalError](err)
	if !ok || failed.Code != diag.Cancelled || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		t.Errorf("before evaluation: %v", err)
	}
	rules := mustRules(t, withRule("{rule: self.size > 1}"))
	report, err := rules.Validate(done, map[string]any{"size": int64(1)}, nil)
	if !errors.Is(err, context.Canceled) || report == nil || report.Valid() || len(report.Violations) != 0 {
		t.Errorf("before validation: %v %v", report, err)
	}

	slow := "lists.range(1000).all(i, lists.range(1000).all(j, i + j >= 0))"
	x := mustCompile(t, env, slow)
	rules = mustRules(t, withRule(`{rule: "`+slow+`"}`))
	for name, run := range map[string]func(context.Context) error{
		"evaluation": func(ctx context.Context) error {
			_, err := x.Eval(ctx, nil, kubecel.CostLimit(1<<62))
			return err
		},
		"validation": func(ctx context.Context) error {
			report, err := rules.Validate(ctx, map[string]any{}, nil, kubecel.CostLimit(1<<62))
			if report.Valid() {
				t.Error("an interrupted validation says that the object is valid")
			}
			return err
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if err := run(leaving{ctx, func() { cancel(cause) }}); !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("during %s: %v", name, err)
		}
		ctx, end := context.WithDeadlineCause(t.Context(), time.Unix(0, 0), cause)
		if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, cause) {
			t.Errorf("%s past the deadline: %v", name, err)
		}
		end()
	}
}

// leaving is a context that ends when it is first asked how to learn of its end: the
// evaluation has begun by then.
type leaving struct {
	context.Context
	leave func()
}

func (c leaving) Done() <-chan struct{} {
	c.leave()
	return c.Context.Done()
}

// TestValidateOptions holds what each option changes.
func TestValidateOptions(t *testing.T) {
	rules := mustRules(t, withRule("{rule: self.size > 1}"))
	object := map[string]any{"size": int64(1)}
	for name, test := range map[string]struct {
		option kubecel.ValidateOption
		want   string
	}{
		"none":              {nil, "valid, 1 warnings"},
		"WithoutRatcheting": {kubecel.WithoutRatcheting(), "Violated  failed rule: self.size > 1"},
		"WithRuleCostLimit": {kubecel.CostLimit(1), "CallLimitExceeded  'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.size > 1"},
	} {
		report, err := rules.Validate(t.Context(), object, object, test.option)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("valid, %d warnings", len(report.Warnings))
		for _, v := range report.Violations {
			got = fmt.Sprintf("%s %s %s", v.Code, v.Path, v.Message)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	report, err := rules.Validate(t.Context(), object, nil, kubecel.AtPath(field.NewPath("items").Index(2)))
	if err != nil || len(report.Violations) != 1 || report.Violations[0].Path != "items[2]" {
		t.Errorf("AtPath: %v %v", report, err)
	}
}
