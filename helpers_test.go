package kubecel_test

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/report"
)

// crdOf is a CRD with one version, v1, that has a schema.
func crdOf(schema string) []byte {
	return []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
		"spec: {versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + schema + "}}]}")
}

// withRule is the schema of an object with a field for each kind of trouble, and
// a rule.
func withRule(rule string) string {
	return fmt.Sprintf(`{type: object, x-kubernetes-validations: [%s], properties: {
		any: {type: object, x-kubernetes-preserve-unknown-fields: true},
		size: {type: integer}, name: {type: string}, day: {type: string, format: date}, data: {type: string, format: byte},
		foo-bar: {type: string}, a.b: {type: string}, c/d: {type: string}, e__f: {type: string}, in: {type: string},
		either: {x-kubernetes-int-or-string: true}, names: {type: array, items: {type: string}}}}`, rule)
}

func mustRules(t testing.TB, schema string) *kubecel.RuleSet {
	t.Helper()
	rules, err := compileCRD(crdOf(schema), "v1")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// testEnv has self, with the schema of withRule, a dynamic variable, and a
// function that panics.
func testEnv(t testing.TB, opts ...kubecel.EnvOption) *kubecel.Env {
	t.Helper()
	schema, err := kubecel.ParseResourceSchema([]byte(withRule("")))
	if err != nil {
		t.Fatal(err)
	}
	panics := library.Library{Name: "panics", Functions: []library.Function{{
		Name: "panics", Doc: "Panics.", Overloads: []library.Overload{{
			ID: "panics_int", Args: []*cel.Type{cel.IntType}, Result: cel.BoolType,
			Impl: library.Unary(func(types.Int) (types.Bool, error) { panic("a fault in a function") }),
		}},
	}}}
	env, err := kubecel.NewEnv(append([]kubecel.EnvOption{
		kubecel.SchemaVariable("self", schema), kubecel.Variable("any", cel.DynType), kubecel.Libraries(panics),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func mustCompile(t testing.TB, env *kubecel.Env, expression string) *kubecel.Expression {
	t.Helper()
	x, err := env.Compile(expression)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// compileError compiles what must not compile.
func compileError(t testing.TB, env *kubecel.Env, expression string) *kubecel.CompileError {
	t.Helper()
	_, err := env.Compile(expression)
	invalid, ok := errs.As[*kubecel.CompileError](err)
	if !ok {
		t.Fatalf("%.100s: error %v, want a CompileError", expression, err)
	}
	return invalid
}

// noPanic runs what must not panic.
func noPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s panics: %v", what, r)
		}
	}()
	f()
}

// code is the code of an InputError, empty for any other error.
func code(err error) diag.Code {
	if e, ok := errs.As[*kubecel.InputError](err); ok {
		return e.Code
	}
	return ""
}

// The following do in one step what callers do in two.

func compileCRD(document []byte, version string, opts ...kubecel.CRDOption) (*kubecel.RuleSet, error) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return nil, err
	}
	return crd.Compile(version, opts...)
}

// checkOptions are options of compilation as those of checks.
func checkOptions(opts []kubecel.CRDOption) (checks []kubecel.CheckOption) {
	for _, opt := range opts {
		checks = append(checks, opt)
	}
	return checks
}

func checkCRD(document []byte, opts ...kubecel.CheckOption) ([]kubecel.Finding, error) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return nil, err
	}
	return crd.Check(opts...)
}

func crdAcceptedBy(document []byte) (*kubecel.CRDAcceptance, error) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return nil, err
	}
	return crd.AcceptedBy()
}

func reportCRD(document []byte, version string, opts ...kubecel.CRDReportOption) (*report.CRD, error) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return nil, err
	}
	return crd.Report(version, opts...)
}

func compileSchema(document []byte, opts ...kubecel.CRDOption) (*kubecel.RuleSet, error) {
	schema, err := kubecel.ParseResourceSchema(document)
	if err != nil {
		return nil, err
	}
	return schema.Compile(opts...)
}
