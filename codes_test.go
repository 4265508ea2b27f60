package kubecel_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
)

// codeExamples has for each code, by the name of its constant, something that
// produces it.
var codeExamples = map[string]func(*testing.T) []kubecel.Code{
	"CodeDocumentUnreadable": ofDocument("a: ["),
	"CodeNotCRD":             ofDocument("apiVersion: v1\nkind: Pod"),
	"CodeVersionMissing":     ofDocument(string(crdOf("{type: object}")), "v2"),
	"CodeNotStructural":      ofDocument(string(crdOf("{type: object, properties: {a: {type: array, items: [{type: string}]}}}"))),

	"CodeExpressionTooLarge":  ofExpression(strings.Repeat("a", 100_001)),
	"CodeSyntaxError":         ofExpression("1 +"),
	"CodeUndeclaredReference": ofExpression("x > 1"),
	"CodeUndeclaredFunction":  ofExpression("f(1)"),
	"CodeUndefinedField":      ofExpression("self.x"),
	"CodeNoMatchingOverload":  ofExpression("1 + 'a'"),
	"CodeTypeMismatch":        ofExpression("(1).x"),
	"CodeInvalidLiteral":      ofExpression("duration('x')"),
	"CodeCompilerPanicked":    ofExpression("[?any[?0]]"),
	"CodePlanFailed":          ofExpression("'a'.find('(')"),

	"CodeNoOverload":        ofEvaluation("any + 1"),
	"CodeEvaluationFailed":  ofEvaluation("1 / 0"),
	"CodeCallLimitExceeded": ofEvaluation("self.name == self.name", kubecel.WithCostLimit(1)),
	"CodeBudgetExhausted":   ofEvaluation("self.name == self.name", kubecel.WithBudget(kubecel.NewBudget(1))),
	"CodeCancelled":         ofEvaluation("cancel"),
	"CodeInternal":          ofEvaluation("panics(self.size)"),

	"CodeViolated":    ofObject("{rule: self.size > 1}"),
	"CodeNotCompiled": ofObject("{rule: self.x}"),

	"CodeSchemaMissing":              ofCRD("null"),
	"CodeSchemaInvalid":              ofCRD("{type: object, nullable: true}"),
	"CodeRuleMissing":                ofRule("{message: no rule}"),
	"CodeRuleInvalid":                ofRule("{rule: self.x}"),
	"CodeRuleNotBool":                ofRule("{rule: self.size}"),
	"CodeMessageInvalid":             ofRule(`{rule: "self.size > 1 &&\nself.size < 3"}`),
	"CodeMessageExpressionInvalid":   ofRule("{rule: self.size > 1, messageExpression: self.x}"),
	"CodeMessageExpressionNotString": ofRule("{rule: self.size > 1, messageExpression: self.size}"),
	"CodeReasonInvalid":              ofRule("{rule: self.size > 1, reason: Because}"),
	"CodeFieldPathInvalid":           ofRule("{rule: self.size > 1, fieldPath: .x}"),
	"CodeEstimateExceeded":           ofRule(`{rule: "self.names.all(a, self.names.all(b, a == b))"}`),
	"CodeSchemaEstimateExceeded":     ofRule(`{rule: "self.names.all(a, self.names.all(b, a == b))"}`),
	"CodeOldSelfUnused":              ofRule("{rule: self.size > 1, optionalOldSelf: true}"),
	"CodeOldSelfUncorrelatable": ofCRD("{type: object, properties: {names: {type: array, maxItems: 5, " +
		"items: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}"),
	"CodeNoType": ofCRD("{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: 'true'}]}}}"),
}

func ofDocument(document string, version ...string) func(*testing.T) []kubecel.Code {
	return func(t *testing.T) []kubecel.Code {
		_, err := kubecel.CompileCRD([]byte(document), strings.Join(append(version, ""), ""))
		unusable, ok := errors.AsType[*kubecel.SchemaError](err)
		if !ok {
			t.Fatalf("error %v, want a SchemaError", err)
		}
		return []kubecel.Code{unusable.Code}
	}
}

func ofExpression(expression string) func(*testing.T) []kubecel.Code {
	return func(t *testing.T) (codes []kubecel.Code) {
		for _, issue := range compileError(t, testEnv(t), expression).Issues {
			codes = append(codes, issue.Code)
		}
		return codes
	}
}

// ofEvaluation evaluates an expression; "cancel" stands for one whose context
// is done.
func ofEvaluation(expression string, opts ...kubecel.EvalOption) func(*testing.T) []kubecel.Code {
	return func(t *testing.T) []kubecel.Code {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if expression == "cancel" {
			cancel()
			expression = "true"
		}
		vars := map[string]any{"any": "a", "self": map[string]any{"name": "a", "size": int64(1)}}
		_, err := mustCompile(t, testEnv(t), expression).Eval(ctx, vars, opts...)
		failed, ok := errors.AsType[*kubecel.EvalError](err)
		if !ok {
			t.Fatalf("error %v, want an EvalError", err)
		}
		return []kubecel.Code{failed.Code}
	}
}

func ofObject(rule string) func(*testing.T) []kubecel.Code {
	return func(t *testing.T) (codes []kubecel.Code) {
		report, err := mustRules(t, withRule(rule)).Validate(t.Context(), map[string]any{"size": int64(1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range report.Violations {
			codes = append(codes, v.Code)
		}
		return codes
	}
}

func ofRule(rule string) func(*testing.T) []kubecel.Code { return ofCRD(withRule(rule)) }

func ofCRD(schema string) func(*testing.T) []kubecel.Code {
	return func(t *testing.T) (codes []kubecel.Code) {
		findings, err := kubecel.CheckCRD(crdOf(schema))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			codes = append(codes, f.Code)
		}
		return codes
	}
}

// TestCodes holds that each code has an example that produces it, and is called
// what its constant is.
func TestCodes(t *testing.T) {
	names := codeNames(t)
	for name := range codeExamples {
		if !slices.Contains(names, name) {
			t.Errorf("there is no %s", name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			produce := codeExamples[name]
			if produce == nil {
				t.Fatal("no example")
			}
			want := kubecel.Code(strings.TrimPrefix(name, "Code"))
			if codes := produce(t); !slices.Contains(codes, want) {
				t.Errorf("the example produces %q, want %q", codes, want)
			}
		})
	}
}

// codeNames are the names of all constants of type Code.
func codeNames(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		constants, ok := decl.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if strings.HasPrefix(name.Name, "Code") {
					names = append(names, name.Name)
				}
			}
		}
	}
	if len(names) < 30 {
		t.Fatalf("found %d codes, want at least 30", len(names))
	}
	return names
}

// TestSchemaMissingOfCompile holds that CompileCRD calls a missing schema what
// CheckCRD calls it.
func TestSchemaMissingOfCompile(t *testing.T) {
	if codes := ofDocument(string(crdOf("null")))(t); codes[0] != kubecel.CodeSchemaMissing {
		t.Errorf("CompileCRD: %q, want %q", codes, kubecel.CodeSchemaMissing)
	}
}
