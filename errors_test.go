package kubecel_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// TestCompileErrors holds what a CompileError says of the first thing that is
// wrong: code, place, snippet, hint, and the exact text of a server.
func TestCompileErrors(t *testing.T) {
	env := testEnv(t)
	celEnv, err := env.CEL()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		expression string
		code       diag.Code
		at         string
		snippet    string
		hint       string
		server     string
	}{
		{"", diag.SyntaxError, "1:1", "\n^", "",
			"1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
		{"1 + )", diag.SyntaxError, "1:5", "1 + )\n    ^", "",
			"1:5: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 + )\n | ....^"},
		{"true && x", diag.UndeclaredReference, "1:9", "true && x\n        ^", "",
			"1:9: undeclared reference to 'x' (in container '')\n | true && x\n | ........^"},
		{"'é' == x", diag.UndeclaredReference, "1:8", "'é' == x\n       ^", "",
			"1:8: undeclared reference to 'x' (in container '')\n | 'é' == x\n | .．.....^"},
		{"'日本' == x", diag.UndeclaredReference, "1:9", "'日本' == x\n          ^", "",
			"1:9: undeclared reference to 'x' (in container '')\n | '日本' == x\n | .．．.....^"},
		{"'😀' == x", diag.UndeclaredReference, "1:8", "'😀' == x\n        ^", "",
			"1:8: undeclared reference to 'x' (in container '')\n | '😀' == x\n | .．.....^"},
		{"'e\u0301' == x", diag.UndeclaredReference, "1:9", "'e\u0301' == x\n       ^", "", ""},
		{"'€' == x", diag.UndeclaredReference, "1:8", "'€' == x\n       ^", "", ""},
		{"1 == 1 &&\n\t'é' == x", diag.UndeclaredReference, "2:9", "\t'é' == x\n\t       ^", "", ""},
		{"1 == 1 &&\r\n  x\r\n  == 2", diag.UndeclaredReference, "2:3", "  x\n  ^", "", ""},
		{"self.size > 'a'", diag.NoMatchingOverload, "1:11", "self.size > 'a'\n          ^", "convert one of them, such as by string(x)",
			"1:11: found no matching overload for '_>_' applied to '(int, string)'\n | self.size > 'a'\n | ..........^"},
		{"[1].foo(1)", diag.UndeclaredFunction, "1:8", "[1].foo(1)\n       ^", "",
			"1:8: undeclared reference to 'foo' (in container '')\n | [1].foo(1)\n | .......^"},
		{"self.x", diag.UndefinedField, "1:5", "self.x\n    ^", "",
			"1:5: undefined field 'x'\n | self.x\n | ....^"},
		{"self.siez > 1", diag.UndefinedField, "1:5", "self.siez > 1\n    ^", "did you mean .size?", ""},
		{"self.foo-bar", diag.UndefinedField, "1:5", "self.foo-bar\n    ^", `the property "foo-bar" is written .foo__dash__bar`, ""},
		{"self.a.b", diag.UndefinedField, "1:5", "self.a.b\n    ^", `the property "a.b" is written .a__dot__b`, ""},
		{"self.c/d", diag.UndefinedField, "1:5", "self.c/d\n    ^", `the property "c/d" is written .c__slash__d`, ""},
		{"self.e__f", diag.UndefinedField, "1:5", "self.e__f\n    ^", `the property "e__f" is written .e__underscores__f`, ""},
		{"self.in", diag.SyntaxError, "1:6", "self.in\n     ^", `the property "in" is written __in__`, ""},
		{"self['size']", diag.NoMatchingOverload, "1:5", "self['size']\n    ^", `if "size" is a property of an object, select it: .size`, ""},
		{"'a'.matches('(')", diag.InvalidLiteral, "1:13", "'a'.matches('(')\n            ^", "",
			"1:13: invalid matches argument\n | 'a'.matches('(')\n | ............^"},
	} {
		t.Run(test.expression, func(t *testing.T) {
			invalid := compileError(t, env, test.expression)
			issue := invalid.Issues[0]
			if issue.Code != test.code || issue.Position.String() != test.at || issue.Hint != test.hint {
				t.Errorf("%s at %v, hint %q; want %s at %s, hint %q", issue.Code, issue.Position, issue.Hint, test.code, test.at, test.hint)
			}
			snippet := "\n  | " + strings.ReplaceAll(test.snippet, "\n", "\n  | ")
			if got := diag.Snippet(test.expression, issue.Position); got != snippet {
				t.Errorf("snippet%s\nwant%s", got, snippet)
			}
			if text := invalid.Error(); !strings.Contains(text, snippet) || !strings.Contains(text, issue.Message) || !strings.Contains(text, test.hint) {
				t.Errorf("text %q", text)
			}
			if !strings.HasPrefix(invalid.Server, "compilation failed: ERROR: <input>:"+test.server) {
				t.Errorf("server text\n%s\nwant\n%s", invalid.Server, test.server)
			}
			if _, issues := celEnv.Compile(test.expression); invalid.Server != "compilation failed: "+issues.String() {
				t.Errorf("server text\n%s\nwhere cel-go says\n%s", invalid.Server, issues)
			}
			if invalid.Expression != test.expression {
				t.Errorf("expression %q", invalid.Expression)
			}
		})
	}
}

// TestReleaseHint holds that a function of a release to come is told from one
// that does not exist.
func TestReleaseHint(t *testing.T) {
	findings, err := checkCRD(crdOf(`{type: object, x-kubernetes-validations: [{rule: "[1].includes(1)"}, {rule: "[1].foo(1)"}]}`))
	if err != nil || len(findings) != 2 {
		t.Fatal(findings, err)
	}
	for i, want := range []string{"includes came with Kubernetes 1.37; API servers accept it in new expressions from 1.38 on", ""} {
		issue := findings[i].Err.(*kubecel.CompileError).Issues[0]
		if issue.Code != diag.UndeclaredFunction || issue.Hint != want {
			t.Errorf("%s, hint %q, want %q", issue.Code, issue.Hint, want)
		}
		if findings[i].Rule != []string{"[1].includes(1)", "[1].foo(1)"}[i] {
			t.Errorf("rule %q", findings[i].Rule)
		}
	}
}

// TestServerTexts holds that Server is what a server says, whatever failed.
func TestServerTexts(t *testing.T) {
	const schema = `{type: object, properties: {s: {type: string, maxLength: 5}}, x-kubernetes-validations: [
		{rule: "self.s == 1"}, {rule: "self.s"}, {rule: "'a'.find('(') == ''"},
		{rule: "true", messageExpression: "self.t"}, {rule: "true", messageExpression: "'a'.find('(')"}, {rule: "true", messageExpression: "1"}]}`
	findings, err := checkCRD(crdOf(schema))
	if err != nil {
		t.Fatal(err)
	}
	rules := mustRules(t, schema).Rules()
	for i, want := range []struct {
		code   diag.Code
		server string
	}{
		{diag.NoMatchingOverload, "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(string, int)'\n | self.s == 1\n | .......^"},
		{diag.TypeMismatch, "cel expression must evaluate to a bool"},
		{diag.PlanFailed, "program instantiation failed: error parsing regexp: missing closing ): `(`"},
		{diag.UndefinedField, "messageExpression compilation failed: ERROR: <input>:1:5: undefined field 't'\n | self.t\n | ....^"},
		{diag.PlanFailed, "messageExpression instantiation failed: error parsing regexp: missing closing ): `(`"},
		{diag.TypeMismatch, "messageExpression must evaluate to a string"},
	} {
		invalid := rules[i].Err
		if i > 2 {
			invalid = rules[i].MessageErr
		}
		if invalid == nil || invalid.Server != want.server || len(invalid.Issues) != 1 || invalid.Issues[0].Code != want.code {
			t.Errorf("rule %d: %#v, want %s %q", i, invalid, want.code, want.server)
		}
		if !strings.HasSuffix(findings[i].Message, want.server) {
			t.Errorf("finding %d: %q, want %q", i, findings[i].Message, want.server)
		}
		if found, ok := findings[i].Err.(*kubecel.CompileError); ok && found.Server != want.server {
			t.Errorf("finding %d: %q, want %q", i, found.Server, want.server)
		}
	}
}

// TestSnippet holds what no terminal may get to see, and places that are none.
func TestSnippet(t *testing.T) {
	for _, test := range []struct {
		expression   string
		line, column int
		want         string
	}{
		{"ab", 1, 2, "\n  | ab\n  |  ^"},
		{"ab", 1, 9, "\n  | ab\n  |   ^"},
		{"ab", 1, -9, "\n  | ab\n  | ^"},
		{"\x1b[2J\xff", 1, 6, "\n  | \uFFFD[2J\uFFFD\n  |      ^"},
		{"ab", 0, 1, ""}, {"ab", 2, 1, ""}, {"ab", -1, 1, ""},
		{strings.Repeat("a", 1<<20), 1, 1, ""},
	} {
		if got := diag.Snippet(test.expression, diag.Position{Line: test.line, Column: test.column}); got != test.want {
			t.Errorf("%.20q %d:%d: %q, want %q", test.expression, test.line, test.column, got, test.want)
		}
	}
}

// TestHugeExpressions holds that size and depth are errors that come soon.
func TestHugeExpressions(t *testing.T) {
	env := testEnv(t)
	for name, want := range map[string]struct {
		expression string
		code       diag.Code
	}{
		"1 MB":     {strings.Repeat("a", 1<<20), diag.ExpressionTooLarge},
		"brackets": {strings.Repeat("[", 100_000), diag.SyntaxError},
		"parens":   {strings.Repeat("(", 50_000) + strings.Repeat(")", 50_000), diag.SyntaxError},
		"garbage":  {strings.Repeat("\xff", 10_000), diag.SyntaxError},
	} {
		invalid := compileError(t, env, want.expression)
		if invalid.Issues[0].Code != want.code {
			t.Errorf("%s: %v, want %s", name, invalid.Issues[0], want.code)
		}
		if len(invalid.Error()) > 1<<20 {
			t.Errorf("%s: the text has %d bytes", name, len(invalid.Error()))
		}
	}
	for _, expression := range []string{
		strings.Repeat("!", 99_996) + "true", strings.Repeat("1+", 9_999) + "1", "any" + strings.Repeat(".a", 9_000),
		"[" + strings.Repeat("1,", 9_000) + "1]", strings.Repeat("true?", 5_000) + "1" + strings.Repeat(":1", 5_000),
		strings.Repeat("-", 99_999) + "1", strings.Repeat("any[", 5_000) + "0" + strings.Repeat("]", 5_000),
	} {
		noPanic(t, fmt.Sprintf("%.10s…", expression), func() {
			x, err := env.Compile(expression)
			if err == nil {
				_, err = x.Eval(t.Context(), map[string]any{"any": map[string]any{}})
			}
			t.Logf("%.10s…: %.100v", expression, err)
		})
	}
}

// TestMisuse holds that nil and zero values are errors or nothing, and no panics.
func TestMisuse(t *testing.T) {
	env := testEnv(t)
	x := mustCompile(t, env, "self.size > 1 && any == null")
	rules := mustRules(t, withRule("{rule: self.size > 1}"))
	object := map[string]any{"size": int64(2)}
	var (
		noContext context.Context
		calls     = map[string]func() error{
			"nil context of Eval": func() error { _, err := x.Eval(noContext, nil); return err },
			"nil variables":       func() error { _, err := x.Eval(t.Context(), nil); return err },
			"unusable value":      func() error { _, err := x.Eval(t.Context(), map[string]any{"self": 5, "any": nil}); return err },
			"unusable dynamic value": func() error {
				_, err := x.Eval(t.Context(), map[string]any{"self": object, "any": make(chan int)})
				return err
			},
			"nil context of Validate":   func() error { _, err := rules.Validate(noContext, object, nil); return err },
			"nil object":                func() error { _, err := rules.Validate(t.Context(), nil, object); return err },
			"zero RuleSet":              func() error { _, err := new(kubecel.RuleSet).Validate(t.Context(), object, nil); return err },
			"nil RuleSet":               func() error { _, err := (*kubecel.RuleSet)(nil).Validate(t.Context(), object, nil); return err },
			"zero Env":                  func() error { _, err := new(kubecel.Env).Compile("1"); return err },
			"nil Env":                   func() error { _, err := (*kubecel.Env)(nil).Compile("1"); return err },
			"Extend of zero Env":        func() error { _, err := new(kubecel.Env).Extend(); return err },
			"CEL of zero Env":           func() error { _, err := new(kubecel.Env).CEL(); return err },
			"nil context of ReportEval": func() error { _, err := env.ReportEval(noContext, "1", nil); return err },
			"zero CRD":                  func() error { _, err := new(kubecel.CRD).Check(); return err },
			"nil CRD":                   func() error { _, err := (*kubecel.CRD)(nil).Compile("v1"); return err },
			"acceptance of zero CRD":    func() error { _, err := new(kubecel.CRD).AcceptedBy(); return err },
			"report of zero CRD":        func() error { _, err := new(kubecel.CRD).Report(""); return err },
			"schema of zero CRD":        func() error { _, err := new(kubecel.CRD).Schema(""); return err },
			"nil Schema":                func() error { _, err := (*kubecel.Schema)(nil).Compile(); return err },
			"zero Schema":               func() error { _, err := new(kubecel.Schema).Compile(); return err },
			"document that is nil":      func() error { _, err := kubecel.ParseCRD(nil); return err },
			"schema that is nil":        func() error { _, err := kubecel.ParseSchema(nil); return err },
			"object that is nil":        func() error { _, err := kubecel.ParseObject(nil); return err },
			"unknown release":           func() error { _, err := kubecel.Capabilities(release.Minor(1)); return err },
			"stored and compatible": func() error {
				_, err := kubecel.NewEnv(kubecel.StoredExpressions(), kubecel.Compatibility(release.Oldest()))
				return err
			},
			"zero Expression":         func() error { _, err := new(kubecel.Expression).Eval(t.Context(), nil); return err },
			"nil Expression":          func() error { _, err := (*kubecel.Expression)(nil).Eval(t.Context(), nil); return err },
			"variable without name":   func() error { _, err := kubecel.NewEnv(kubecel.Variable("", cel.IntType)); return err },
			"variable without type":   func() error { _, err := kubecel.NewEnv(kubecel.Variable("a", nil)); return err },
			"variable without schema": func() error { _, err := kubecel.NewEnv(kubecel.SchemaVariable("a", nil)); return err },
			"variable twice":          func() error { _, err := env.Extend(kubecel.Variable("self", cel.IntType)); return err },
			"library without name":    func() error { _, err := kubecel.NewEnv(kubecel.Libraries(library.Library{})); return err },
			"library of Kubernetes":   func() error { _, err := kubecel.NewEnv(kubecel.Libraries(library.JSONPatch())); return err },
			"nil option of cel-go":    func() error { _, err := kubecel.NewEnv(kubecel.CELOptions(nil)); return err },
			"size limit of nothing":   func() error { _, err := kubecel.NewEnv(kubecel.ExpressionSizeLimit(0)); return err },
			"overload without an id":  func() error { return withOverload(library.Overload{}) },
			"overload without a type": func() error {
				return withOverload(library.Overload{ID: "a", Args: []*cel.Type{nil}, Result: cel.IntType})
			},
			"overload without a result": func() error { return withOverload(library.Overload{ID: "a"}) },
			"overload without a body":   func() error { return withOverload(library.Overload{ID: "a", Result: cel.IntType}) },
		}
	)
	for name, f := range calls {
		noPanic(t, name, func() {
			err := f()
			_, input := errs.As[*kubecel.InputError](err)
			_, evaluation := errs.As[*kubecel.EvalError](err)
			if err == nil || err.Error() == "" || !input && !evaluation {
				t.Errorf("%s: error %v of type %T", name, err, err)
			} else {
				t.Logf("%s: %v", name, err)
			}
		})
	}
	noPanic(t, "zero value", func() {
		if r, err := rules.Validate(t.Context(), object, nil, nil, kubecel.WithBudget(nil)); err != nil || !r.Valid() {
			t.Errorf("nil options: %v %v", r, err)
		}
		if _, err := kubecel.NewEnv(nil); err != nil {
			t.Errorf("nil option: %v", err)
		}
		if _, err := mustCompile(t, env, "1").Eval(t.Context(), nil, nil, kubecel.WithBudget(nil)); err != nil {
			t.Errorf("nil options: %v", err)
		}
		for _, b := range []*kubecel.Budget{nil, new(kubecel.Budget)} {
			if b.Spent() != 0 || b.Remaining() != 0 || b.Exhausted() || b.String() != "0 cost units spent, 0 left" {
				t.Errorf("budget %v", b)
			}
		}
		if new(kubecel.RuleSet).Rules() != nil || new(kubecel.RuleSet).ApplyDefaults(object)["size"] != int64(2) || rules.ApplyDefaults(nil) != nil {
			t.Error("a zero RuleSet has rules, or a nil object is completed")
		}
		if (*kubecel.Validation)(nil).Valid() || (*kubecel.Validation)(nil).ErrorList() != nil || (kubecel.Result{}).Bool() {
			t.Error("nothing is valid")
		}
		for _, err := range []error{&kubecel.CompileError{}, &kubecel.EvalError{}, &kubecel.InputError{}, kubecel.Finding{}, kubecel.Violation{}} {
			_ = err.Error()
		}
		_, _, _ = new(kubecel.Expression).String(), new(kubecel.Expression).OutputType(), new(kubecel.Expression).Estimate()
		_, _, _ = (*kubecel.Expression)(nil).String(), (*kubecel.Expression)(nil).OutputType(), (*kubecel.Expression)(nil).Estimate()
		_, _ = diag.Position{}.String(), kubecel.Rule{}.Total()
		if new(kubecel.CRD).Name() != "" || (*kubecel.CRD)(nil).Versions() != nil {
			t.Error("a zero CRD has a name or versions")
		}
	})
}

func withOverload(overload library.Overload) error {
	_, err := kubecel.NewEnv(kubecel.Libraries(library.Library{Name: "mine", Functions: []library.Function{{Name: "f", Overloads: []library.Overload{overload}}}}))
	return err
}
