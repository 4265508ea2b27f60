package kubecel_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
)

// FuzzCompile holds that no text makes Compile or Eval panic, and that an error
// points into the expression.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"", "1 + )", "true && x", "'é' == x", "1 ==\n\t'日本' +", "self.siez > 1", "self.foo-bar", "self.in", "self['size']", "'a'.matches('(')",
		"duration('x')", "[1, 'a'].map(x, y)", "\xff'", "self.names.all(n, n == 'a') ? 1 : {'a': 1.0}", "has(self.x.y)", "1 / 0", "any.a[0].?b",
		"'%d'.format([1])", "quantity('1Gi') == ip('::1')", "\"\\ud800\"", "// comment\n1", "`", "@x", "a\r\nb", "cel.bind(x, 1, x + 1)", "panics(1)",
	} {
		f.Add(seed)
	}
	env := testEnv(f)
	f.Fuzz(func(t *testing.T, expression string) {
		x, err := env.Compile(expression)
		if err == nil {
			vars := map[string]any{"any": expression, "self": map[string]any{"size": int64(1), "name": expression}}
			_, err := x.Eval(context.Background(), vars, kubecel.CostLimit(10_000))
			failed, ok := errs.As[*kubecel.EvalError](err)
			if err != nil && !ok {
				t.Fatalf("error %T of evaluation", err)
			}
			if ok && failed.Code == "" {
				t.Errorf("error %v has no code", failed)
			}
			if ok {
				checkPlace(t, expression, failed.Position)
				_ = failed.Error()
			}
			return
		}
		invalid, ok := errs.As[*kubecel.CompileError](err)
		if !ok || len(invalid.Issues) == 0 || invalid.Server == "" {
			t.Fatalf("error %#v", err)
		}
		for _, issue := range invalid.Issues {
			if issue.Code == "" || issue.Message == "" {
				t.Errorf("issue %#v", issue)
			}
			checkPlace(t, expression, issue.Position)
		}
		if again := compileError(t, env, expression); again.Error() != invalid.Error() {
			t.Errorf("%q the second time, %q the first", again, invalid)
		}
	})
}

// checkPlace holds that a position is none, or in the expression or at its end.
func checkPlace(t *testing.T, expression string, at diag.Position) {
	t.Helper()
	if at.IsZero() {
		return
	}
	lines := strings.Split(expression, "\n")
	if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > utf8.RuneCountInString(lines[at.Line-1])+1 {
		t.Errorf("position %v is not in %q", at, expression)
	}
}

// FuzzCompileCRD holds that no document makes CRD.Compile, CRD.Check or Validate
// panic, that errors are typed, and that the outcome is the same twice.
func FuzzCompileCRD(f *testing.F) {
	f.Add([]byte(widgets))
	for _, schema := range []string{
		withRule("{rule: self.size > 1, messageExpression: self.name, fieldPath: .size, reason: FieldValueForbidden, optionalOldSelf: true}"), "null", "{}",
		"{type: object, properties: {a: {type: array, items: [{type: string}]}}}",
		"{type: object, additionalProperties: {type: array, items: {type: object, x-kubernetes-validations: [{rule: self == oldSelf}]}}}",
		"{type: object, x-kubernetes-embedded-resource: true, allOf: [{x-kubernetes-validations: [{rule: 'true'}]}]}",
	} {
		f.Add(crdOf(schema))
	}
	f.Add([]byte("a: ["))
	f.Add([]byte("kind: Pod"))
	f.Fuzz(func(t *testing.T, document []byte) {
		findings, err := checkCRD(document)
		if _, ok := errs.As[*kubecel.InputError](err); err != nil && !ok {
			t.Fatalf("Check: error %T", err)
		}
		again, _ := checkCRD(document)
		text := func(f kubecel.Finding) string { return string(f.Code) + " " + f.Error() + f.Server.Error() }
		if !slices.EqualFunc(findings, again, func(a, b kubecel.Finding) bool { return text(a) == text(b) }) {
			t.Errorf("findings %v the second time, %v the first", again, findings)
		}
		rules, err := compileCRD(document, "")
		if err != nil {
			unusable, ok := errs.As[*kubecel.InputError](err)
			if !ok || unusable.Code == "" || unusable.Error() == "" {
				t.Fatalf("Compile: error %#v", err)
			}
			return
		}
		for _, rule := range rules.Rules() {
			if _, ok := errs.As[*kubecel.CompileError](rule.Err); rule.Err != nil && !ok {
				t.Errorf("rule %s: error %T", rule.SchemaPath, rule.Err)
			}
		}
		object, old := widget(11), map[string]any{"spec": map[string]any{"size": "a"}, "a": []any{int64(1)}, "size": int64(1)}
		for _, objects := range [][2]map[string]any{{object, nil}, {object, old}, {old, object}} {
			report, err := rules.Validate(t.Context(), rules.ApplyDefaults(objects[0]), objects[1])
			if err != nil {
				t.Fatal(err)
			}
			_ = report.ErrorList().ToAggregate()
		}
	})
}

// FuzzParseObject holds that data is an object or an InputError, and that an
// object has only values that rules know and is the same when read again.
func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{"", "a: 1", "[1]", `{"a": [1, 1.5, "\ud83d\ude00", null, true]}`, "a: 1\n---\nb: 2", "a: .nan", "a: &x [1]\nb: *x", "a: 2020-01-01", "? [a]\n: b", "a: 0x10", "a: 1e400", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		object, err := kubecel.ParseObject(data)
		if err != nil {
			if _, ok := errs.As[*kubecel.InputError](err); !ok || object != nil {
				t.Fatalf("error %T, object %v", err, object)
			}
			return
		}
		checkValue(t, object)
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := kubecel.ParseObject(text); err != nil || !reflect.DeepEqual(again, object) {
			t.Errorf("%v %v, want %v", again, err, object)
		}
	})
}

func checkValue(t *testing.T, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			checkValue(t, v)
		}
	case []any:
		for _, v := range value {
			checkValue(t, v)
		}
	case nil, bool, int64, float64, string:
	default:
		t.Errorf("value of type %T", value)
	}
}
