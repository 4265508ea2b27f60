package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/library"
)

// row is an expression and what an API server makes of it. Exactly one of
// Compile, Plan, Error and Want is set.
type row struct {
	Expr string
	// Compile is the first error of compilation.
	Compile string
	// Plan is the error of planning the program.
	Plan string
	// Error is the error of evaluation.
	Error string
	// Want is the result as printed by literal.
	Want string
	// Estimate is the estimated cost.
	Estimate *cost.Range
	// Cost is what the evaluation cost.
	Cost *uint64
	// Since is the environment version that first compiles the expression, if
	// not all do.
	Since string
}

func TestCases(t *testing.T) {
	files, err := filepath.Glob("../testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	envs := map[int]*cel.Env{}
	for minor := 26; minor <= 37; minor++ {
		envs[minor] = serverEnv(t, minor)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var rows []row
			if err := yaml.UnmarshalStrict(data, &rows); err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				checkRow(t, envs[37], r)
				checkSince(t, envs, r)
			}
		})
	}
}

func checkRow(t *testing.T, env *cel.Env, r row) {
	t.Helper()
	ast, issues := env.Compile(r.Expr)
	if issues.Err() != nil {
		if got := issues.Errors()[0].Message; got != r.Compile {
			t.Errorf("%s: compile error\n got %q\nwant %q", r.Expr, got, r.Compile)
		}
		return
	}
	if r.Compile != "" {
		t.Errorf("%s: compiles, want error %q", r.Expr, r.Compile)
		return
	}
	prices := prices()
	estimate, err := env.EstimateCost(ast, prices)
	if err != nil {
		t.Errorf("%s: %v", r.Expr, err)
	}
	if r.Estimate == nil || cost.Range(estimate) != *r.Estimate {
		t.Errorf("%s: estimate is %v, want %v", r.Expr, estimate, r.Estimate)
	}
	program, err := env.Program(ast,
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostTracking(prices),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)))
	if err != nil {
		if err.Error() != r.Plan {
			t.Errorf("%s: plan error\n got %q\nwant %q", r.Expr, err, r.Plan)
		}
		return
	}
	out, details, err := program.Eval(variables())
	if err != nil {
		if err.Error() != r.Error {
			t.Errorf("%s: error\n got %q\nwant %q", r.Expr, err, r.Error)
		}
	} else if got := literal(out); got != r.Want || r.Error != "" || r.Plan != "" {
		t.Errorf("%s: got %s, want %s%s%s", r.Expr, got, r.Want, r.Error, r.Plan)
	}
	if actual := details.ActualCost(); r.Cost == nil || *actual != *r.Cost {
		t.Errorf("%s: cost is %d, want %v", r.Expr, *actual, r.Cost)
	}
}

// checkSince compiles an expression in the version that introduced what it uses
// and in the one before.
func checkSince(t *testing.T, envs map[int]*cel.Env, r row) {
	t.Helper()
	if r.Since == "" {
		return
	}
	var minor int
	if _, err := fmt.Sscanf(r.Since, "1.%d", &minor); err != nil {
		t.Errorf("%s: since: %v", r.Expr, err)
		return
	}
	if _, issues := envs[minor].Compile(r.Expr); issues.Err() != nil {
		t.Errorf("%s: does not compile in 1.%d: %v", r.Expr, minor, issues.Err())
	}
	if _, issues := envs[minor-1].Compile(r.Expr); issues.Err() == nil {
		t.Errorf("%s: compiles before 1.%d", r.Expr, minor)
	}
}

// serverEnv is the environment of an API server at a version.
func serverEnv(t *testing.T, minor int) *cel.Env {
	t.Helper()
	options := []cel.EnvOption{
		cel.Variable("text", cel.StringType),
		cel.Variable("freeText", cel.StringType),
		cel.Variable("texts", cel.ListType(cel.StringType)),
		cel.Variable("freeTexts", cel.ListType(cel.StringType)),
		cel.Variable("ints", cel.ListType(cel.IntType)),
		cel.Variable("any", cel.DynType),
		cel.Variable("anys", cel.ListType(cel.DynType)),
		cel.Variable("byText", cel.MapType(cel.StringType, cel.IntType)),
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
	}
	since := func(introduced int, opts ...cel.EnvOption) {
		if minor >= introduced {
			options = append(options, opts...)
		}
	}
	since(28, cel.CrossTypeNumericComparisons(true), cel.OptionalTypes())
	since(29,
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(), cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)), ext.Sets())
	if minor < 29 {
		options = append(options, ext.Strings(ext.StringsVersion(0)))
	}
	since(32, ext.TwoVarComprehensions())
	since(34, ext.Lists(ext.ListsVersion(3)))
	version := library.Introduced(1, minor)
	for _, l := range libraries() {
		if version.Compare(l.Since) >= 0 && (l.Until.IsZero() || version.Compare(l.Until) < 0) {
			options = append(options, l.Released().EnvOption())
		}
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatalf("1.%d: %v", minor, err)
	}
	return env
}

// priceList prices what the cost options of the libraries cannot: calls without
// an overload id, and equality.
type priceList struct{ cost.Prices }

func prices() priceList {
	all := priceList{cost.Prices{Overloads: map[string]cost.Model{}, Functions: map[string]cost.Model{}, Equality: map[string]cost.Model{}}}
	for _, l := range libraries() {
		p := l.Prices()
		for id, m := range p.Overloads {
			all.Overloads[id] = m
		}
		for name, m := range p.Functions {
			all.Functions[name] = m
		}
		for name, m := range p.Equality {
			all.Equality[name] = m
		}
	}
	// The forms for strings share the price of those for lists.
	for name, ids := range map[string][]string{
		"indexOf":     {"string_index_of_string", "string_index_of_string_int"},
		"lastIndexOf": {"string_last_index_of_string", "string_last_index_of_string_int"},
	} {
		for _, id := range ids {
			all.Overloads[id] = all.Functions[name]
		}
	}
	return all
}

func (p priceList) CallCost(function, id string, args []ref.Val, result ref.Val) *uint64 {
	model := p.Overloads[id]
	switch {
	case function == "_==_":
		model = p.Equality[args[0].Type().TypeName()]
	case id == "":
		model = p.Functions[function]
	}
	if model.Runtime == nil {
		return nil
	}
	c := model.Runtime(args, result)
	return &c
}

func (p priceList) EstimateCallCost(function, id string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	model := p.Overloads[id]
	if function == "_==_" && args[0].Type().IsExactType(args[1].Type()) {
		model = p.Equality[args[0].Type().TypeName()]
	}
	return library.EstimateCall(model, p, target, args)
}

// EstimateSize knows the limits of some variables, as a schema would.
func (p priceList) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	switch strings.Join(node.Path(), ".") {
	case "text":
		return &checker.SizeEstimate{Min: 3, Max: 55}
	case "texts", "ints":
		return &checker.SizeEstimate{Min: 1, Max: 12}
	case "texts.@items":
		return &checker.SizeEstimate{Min: 2, Max: 33}
	case "byText", "any":
		return &checker.SizeEstimate{Min: 0, Max: 7}
	}
	return nil
}

// variables are the values of the variables in the cases.
func variables() map[string]any {
	return map[string]any{
		"text":      "10.0.0.0/8",
		"freeText":  "1.2.3",
		"texts":     []string{"b", "a"},
		"freeTexts": []string{"::1", "::2", "::1"},
		"ints":      []int64{3, 1, 2},
		"any":       "10.0.0.1",
		"anys":      []any{int64(1), "0123456789", 2.0},
		"byText":    map[string]int64{"0123456789": 1, "b": 2},
	}
}
