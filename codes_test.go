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

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/admission"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/release"
)

// codeExamples has for each code, by the name of its constant, something that
// produces it.
var codeExamples = map[string]func(*testing.T) []diag.Code{
	"ArgumentInvalid": func(t *testing.T) []diag.Code {
		_, err := new(kubecel.Env).Compile("true")
		return []diag.Code{code(err)}
	},
	"DataInvalid": func(t *testing.T) []diag.Code {
		_, err := mustRules(t, withRule("{rule: self.size > 1}")).Validate(t.Context(), map[string]any{"any": func() {}}, nil)
		return []diag.Code{code(err)}
	},
	"ConversionFailed": func(t *testing.T) []diag.Code {
		result, err := mustCompile(t, testEnv(t), "{1: 2}").Eval(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = result.Unstructured()
		return []diag.Code{code(err)}
	},
	"OptionInvalid": func(t *testing.T) []diag.Code {
		_, err := kubecel.NewEnv(kubecel.Variable("", cel.IntType))
		return []diag.Code{code(err)}
	},
	"ReleaseUnknown": func(t *testing.T) []diag.Code {
		_, err := kubecel.NewEnv(kubecel.ForRelease(release.Minor(1)))
		return []diag.Code{code(err)}
	},
	"DocumentUnreadable": ofDocument("a: ["),
	"NotCRD":             ofDocument("apiVersion: v1\nkind: Pod"),
	"VersionMissing":     ofDocument(string(crdOf("{type: object}")), "v2"),
	"NotPolicy": func(*testing.T) []diag.Code {
		_, err := admission.ParsePolicy([]byte("apiVersion: v1\nkind: Pod"))
		return []diag.Code{code(err)}
	},
	"ResultType":        ofPolicy("{validations: [{expression: '1'}]}"),
	"PolicyInvalid":     ofPolicy("{failurePolicy: Perhaps}"),
	"ExpressionInvalid": ofPolicy("{validations: [{expression: 'x'}]}"),
	"VariableDuplicate": ofPolicy("{variables: [{name: a, expression: '1'}, {name: a, expression: '2'}]}"),
	"NotAssignable": func(t *testing.T) []diag.Code {
		target, err := kubecel.ParseSchema([]byte("type: integer"))
		if err != nil {
			t.Fatal(err)
		}
		return []diag.Code{code(mustCompile(t, testEnv(t), "'a'").AssignableTo(target))}
	},
	"NotStructural": ofDocument(string(crdOf("{type: object, properties: {a: {type: array, items: [{type: string}]}}}"))),

	"ExpressionTooLarge":  ofExpression(strings.Repeat("a", 100_001)),
	"SyntaxError":         ofExpression("1 +"),
	"UndeclaredReference": ofExpression("x > 1"),
	"UndeclaredFunction":  ofExpression("f(1)"),
	"UndefinedField":      ofExpression("self.x"),
	"NoMatchingOverload":  ofExpression("1 + 'a'"),
	"TypeMismatch":        ofExpression("(1).x"),
	"InvalidLiteral":      ofExpression("duration('x')"),
	"CompilerPanicked":    ofExpression("[?any[?0]]"),
	"PlanFailed":          ofExpression("'a'.find('(')"),

	"NoOverload":        ofEvaluation("any + 1"),
	"EvaluationFailed":  ofEvaluation("1 / 0"),
	"CallLimitExceeded": ofEvaluation("self.name == self.name", kubecel.CostLimit(1)),
	"BudgetExhausted":   ofEvaluation("self.name == self.name", kubecel.WithBudget(kubecel.NewBudget(1))),
	"Cancelled":         ofEvaluation("cancel"),
	"Internal":          ofEvaluation("panics(self.size)"),

	"Violated":    ofObject("{rule: self.size > 1}"),
	"NotCompiled": ofObject("{rule: self.x}"),

	"SchemaMissing":              ofCRD("null"),
	"SchemaInvalid":              ofCRD("{type: object, nullable: true}"),
	"RuleMissing":                ofRule("{message: no rule}"),
	"RuleInvalid":                ofRule("{rule: self.x}"),
	"RuleNotBool":                ofRule("{rule: self.size}"),
	"MessageInvalid":             ofRule(`{rule: "self.size > 1 &&\nself.size < 3"}`),
	"MessageExpressionInvalid":   ofRule("{rule: self.size > 1, messageExpression: self.x}"),
	"MessageExpressionNotString": ofRule("{rule: self.size > 1, messageExpression: self.size}"),
	"ReasonInvalid":              ofRule("{rule: self.size > 1, reason: Because}"),
	"FieldPathInvalid":           ofRule("{rule: self.size > 1, fieldPath: .x}"),
	"EstimateExceeded":           ofRule(`{rule: "self.names.all(a, self.names.all(b, a == b))"}`),
	"SchemaEstimateExceeded":     ofRule(`{rule: "self.names.all(a, self.names.all(b, a == b))"}`),
	"OldSelfUnused":              ofRule("{rule: self.size > 1, optionalOldSelf: true}"),
	"OldSelfUncorrelatable": ofCRD("{type: object, properties: {names: {type: array, maxItems: 5, " +
		"items: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}"),
	"NoType": ofCRD("{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: 'true'}]}}}"),
}

func ofDocument(document string, version ...string) func(*testing.T) []diag.Code {
	return func(t *testing.T) []diag.Code {
		_, err := compileCRD([]byte(document), strings.Join(append(version, ""), ""))
		unusable, ok := errs.As[*kubecel.InputError](err)
		if !ok {
			t.Fatalf("error %v, want an InputError", err)
		}
		return []diag.Code{unusable.Code}
	}
}

func ofExpression(expression string) func(*testing.T) []diag.Code {
	return func(t *testing.T) (codes []diag.Code) {
		for _, issue := range compileError(t, testEnv(t), expression).Issues {
			codes = append(codes, issue.Code)
		}
		return codes
	}
}

// ofEvaluation evaluates an expression; "cancel" stands for one whose context
// is done.
func ofEvaluation(expression string, opts ...kubecel.EvalOption) func(*testing.T) []diag.Code {
	return func(t *testing.T) []diag.Code {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if expression == "cancel" {
			cancel()
			expression = "true"
		}
		vars := map[string]any{"any": "a", "self": map[string]any{"name": "a", "size": int64(1)}}
		_, err := mustCompile(t, testEnv(t), expression).Eval(ctx, vars, opts...)
		failed, ok := errs.As[*kubecel.EvalError](err)
		if !ok {
			t.Fatalf("error %v, want an EvalError", err)
		}
		return []diag.Code{failed.Code}
	}
}

// ofPolicy finds what a server says of a policy, and of its expressions.
func ofPolicy(spec string) func(*testing.T) []diag.Code {
	return func(t *testing.T) (codes []diag.Code) {
		p, err := admission.ParsePolicy([]byte("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, spec: " + spec + "}"))
		if err != nil {
			t.Fatal(err)
		}
		findings, err := p.Check()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			codes = append(codes, f.Code)
			var failed *kubecel.CompileError
			if errors.As(f, &failed) {
				codes = append(codes, failed.Issues[0].Code)
			}
		}
		return codes
	}
}

func ofObject(rule string) func(*testing.T) []diag.Code {
	return func(t *testing.T) (codes []diag.Code) {
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

func ofRule(rule string) func(*testing.T) []diag.Code { return ofCRD(withRule(rule)) }

func ofCRD(schema string) func(*testing.T) []diag.Code {
	return func(t *testing.T) (codes []diag.Code) {
		findings, err := checkCRD(crdOf(schema))
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
			want := diag.Code(name)
			if codes := produce(t); !slices.Contains(codes, want) {
				t.Errorf("the example produces %q, want %q", codes, want)
			}
		})
	}
}

// codeNames are the names of all constants of type Code.
func codeNames(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "diag/code.go", nil, 0)
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
				names = append(names, name.Name)
			}
		}
	}
	if len(names) < 30 {
		t.Fatalf("found %d codes, want at least 30", len(names))
	}
	return names
}

// TestSchemaMissingOfCompile holds that CRD.Compile calls a missing schema what
// CRD.Check calls it.
func TestSchemaMissingOfCompile(t *testing.T) {
	if codes := ofDocument(string(crdOf("null")))(t); codes[0] != diag.SchemaMissing {
		t.Errorf("Compile: %q, want %q", codes, diag.SchemaMissing)
	}
}
