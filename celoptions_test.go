package kubecel_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	celenv "github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	exprpb "google.golang.org/genproto/googleapis/api/expr/v1alpha1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/celgo"
	"github.com/kubecel/kubecel/release"
)

// programs is a library of program options.
type programs []cel.ProgramOption

func (programs) CompileOptions() []cel.EnvOption       { return nil }
func (p programs) ProgramOptions() []cel.ProgramOption { return p }

func programOptions(opts ...cel.ProgramOption) cel.EnvOption { return cel.Lib(programs(opts)) }

// twice declares a function that doubles a number.
func twice(opts ...cel.OverloadOpt) cel.EnvOption {
	if opts == nil {
		opts = []cel.OverloadOpt{cel.UnaryBinding(func(v ref.Val) ref.Val { return v.(types.Int) * 2 })}
	}
	return cel.Function("twice", cel.Overload("twice_int", []*cel.Type{cel.IntType}, cel.IntType, opts...))
}

// adapter shows values of a Go type as texts.
type adapter struct{ types.Adapter }

func (a adapter) NativeToValue(value any) ref.Val {
	if v, ok := value.(struct{ Name string }); ok {
		return types.String("named " + v.Name)
	}
	if v, ok := value.(map[string]any); ok {
		return types.String("map of " + fmt.Sprint(len(v)))
	}
	return a.Adapter.NativeToValue(value)
}

// provider knows a constant by name.
type provider struct{ types.Provider }

func (p provider) FindIdent(name string) (ref.Val, bool) {
	if name == "example.answer" {
		return types.Int(42), true
	}
	return p.Provider.FindIdent(name)
}

// noLists is a validator that refuses lists.
type noLists struct{}

func (noLists) Name() string { return "example.no_lists" }

func (noLists) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ListKind {
			issues.ReportErrorAtID(e.ID(), "lists are refused")
		}
	}))
}

// priced prices calls at run time.
type priced uint64

func (p priced) CallCost(function, _ string, _ []ref.Val, _ ref.Val) *uint64 {
	if function != "twice" {
		return nil
	}
	units := uint64(p)
	return &units
}

// native is a type of Go.
type native struct {
	Name string
}

// decorated makes every constant 7.
func decorated(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	if c, ok := i.(interpreter.InterpretableConst); ok {
		return interpreter.NewConstValue(c.ID(), types.Int(7)), nil
	}
	return i, nil
}

var sevenUnits = uint64(7)

func sevenTracked([]ref.Val, ref.Val) *uint64 { return &sevenUnits }

// bySize estimates a call by the size of its argument, and its result to be as large.
func bySize(e checker.CostEstimator, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	node := args[0]
	size := node.ComputedSize()
	if size == nil {
		size = e.EstimateSize(node)
	}
	if size == nil {
		size = &checker.SizeEstimate{Max: 1000}
	}
	return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(3), ResultSize: size}
}

func fromConfig(change func(*celenv.Config) *celenv.Config) cel.EnvOption {
	return cel.FromConfig(change(celenv.NewConfig("test")))
}

type optionCase struct {
	name    string
	options []cel.EnvOption
	exprs   []string
	vars    map[string]any
	// cost is what the first expression costs, err its error, if the comparison with
	// cel-go would not tell.
	cost uint64
	err  string
	// refused is what the error of the environment names.
	refused string
}

func optionCases() []optionCase {
	echo := cel.Function("echo", cel.Overload("echo_string", []*cel.Type{cel.StringType}, cel.StringType,
		cel.UnaryBinding(func(v ref.Val) ref.Val { return v })))
	many := strings.Repeat("a", 100)
	with := func(opts ...cel.EnvOption) []cel.EnvOption { return append([]cel.EnvOption{twice()}, opts...) }
	api := apipb.File_google_protobuf_api_proto
	return []optionCase{
		{name: "ClearMacros", options: []cel.EnvOption{cel.ClearMacros()}, exprs: []string{`[1].all(x, x > 0)`, `1 + 1`}},
		{name: "CustomTypeAdapter",
			options: []cel.EnvOption{cel.CustomTypeAdapter(adapter{types.DefaultTypeAdapter}), cel.Variable("v", cel.DynType)},
			exprs:   []string{`v`, `v == 'named x'`}, vars: map[string]any{"v": struct{ Name string }{"x"}}},
		{name: "CustomTypeProvider", options: []cel.EnvOption{func(e *cel.Env) (*cel.Env, error) {
			return cel.CustomTypeProvider(provider{e.CELTypeProvider()})(e)
		}}, exprs: []string{`quantity('1').isInteger()`, `type(1) == int`}},
		{name: "Declarations",
			options: []cel.EnvOption{cel.Declarations(&exprpb.Decl{Name: "d", DeclKind: &exprpb.Decl_Ident{Ident: &exprpb.Decl_IdentDecl{
				Type: &exprpb.Type{TypeKind: &exprpb.Type_Primitive{Primitive: exprpb.Type_INT64}},
			}}})}, exprs: []string{`d + 1`, `d + 'a'`}, vars: map[string]any{"d": 1}},
		{name: "EagerlyValidateDeclarations", options: []cel.EnvOption{cel.EagerlyValidateDeclarations(true)}, exprs: []string{`1 + 1`}},
		{name: "HomogeneousAggregateLiterals", options: []cel.EnvOption{cel.HomogeneousAggregateLiterals()}, exprs: []string{`[1, 'a']`, `[1]`}},
		{name: "Macros",
			options: []cel.EnvOption{cel.Macros(cel.GlobalMacro("three", 0,
				func(f cel.MacroExprFactory, _ ast.Expr, _ []ast.Expr) (ast.Expr, *cel.Error) {
					return f.NewLiteral(types.Int(3)), nil
				}))}, exprs: []string{`three() + 1`, `three(1)`}},
		{name: "Container", options: []cel.EnvOption{cel.Container("google.protobuf"), cel.Variable("google.protobuf.x", cel.IntType)},
			exprs: []string{`Duration{seconds: 5}`, `x + 1`, `y`}, vars: map[string]any{"google.protobuf.x": 2}},
		{name: "Abbrevs", options: []cel.EnvOption{cel.Abbrevs("google.protobuf.Duration", "a.b.c"), cel.Variable("a.b.c", cel.IntType)},
			exprs: []string{`Duration{seconds: 5}`, `c + 1`}, vars: map[string]any{"a.b.c": 2}},
		{name: "Types", options: []cel.EnvOption{cel.Types(&apipb.Method{})},
			exprs: []string{`google.protobuf.Method{name: 'a'}.name`, `google.protobuf.Method{nome: 'a'}`}},
		{name: "TypeDescs", options: []cel.EnvOption{cel.TypeDescs(protodesc.ToFileDescriptorProto(api))},
			exprs: []string{`google.protobuf.Method{name: 'a'}.name`}, refused: "could not resolve import"},
		{name: "JSONFieldNames", options: []cel.EnvOption{cel.Types(&apipb.Method{}), cel.JSONFieldNames(true)},
			exprs: []string{`google.protobuf.Method{requestTypeUrl: 'a'}.requestTypeUrl`, `google.protobuf.Method{request_type_url: 'a'}`}},
		{name: "DeclareContextProto", options: []cel.EnvOption{cel.DeclareContextProto((&apipb.Method{}).ProtoReflect().Descriptor())},
			exprs: []string{`request_type_url + 'a'`, `requestTypeUrl`}, vars: map[string]any{"request_type_url": "x"}},
		{name: "EnableMacroCallTracking", options: []cel.EnvOption{cel.EnableMacroCallTracking()}, exprs: []string{`[1].all(x, x > 0)`}},
		{name: "EnableIdentifierEscapeSyntax", options: []cel.EnvOption{cel.EnableIdentifierEscapeSyntax()}, exprs: []string{"{'a-b': 1}.`a-b`"}},
		{name: "CrossTypeNumericComparisons", options: []cel.EnvOption{cel.CrossTypeNumericComparisons(false)}, exprs: []string{`1 < 1.5`, `1 < 2`}},
		{name: "DefaultUTCTimeZone", options: []cel.EnvOption{cel.DefaultUTCTimeZone(false), cel.Variable("t", cel.TimestampType)},
			exprs: []string{`t.getHours()`}, vars: map[string]any{"t": time.Date(2020, 1, 1, 12, 0, 0, 0, time.FixedZone("", 3600))}},
		{name: "ParserRecursionLimit", options: []cel.EnvOption{cel.ParserRecursionLimit(5)}, exprs: []string{`((((((1))))))`, `1`}},
		{name: "ParserErrorRecoveryLimit", options: []cel.EnvOption{cel.ParserErrorRecoveryLimit(1)}, exprs: []string{`1 + + + + + 2 .. 1 !! `, `1`}},
		{name: "ParserExpressionSizeLimit down", options: []cel.EnvOption{cel.ParserExpressionSizeLimit(10)}, exprs: []string{`'` + many + `'`, `1`}},
		{name: "ParserExpressionSizeLimit up", options: []cel.EnvOption{cel.ParserExpressionSizeLimit(200_000)},
			exprs: []string{`size('` + strings.Repeat("a", 150_000) + `')`, `size('` + strings.Repeat("a", 250_000) + `')`}},
		{name: "ParserExpressionSizeLimit none", options: []cel.EnvOption{cel.ParserExpressionSizeLimit(-1)},
			exprs: []string{`size('` + strings.Repeat("a", 150_000) + `')`}},
		{name: "EnableHiddenAccumulatorName", options: []cel.EnvOption{cel.EnableHiddenAccumulatorName(false)},
			exprs: []string{`[1].all(x, x > 0)`, `[1].all(x, __result__)`}},
		{name: "ASTValidators", options: []cel.EnvOption{cel.ASTValidators(noLists{})}, exprs: []string{`[1]`, `1`}},
		{name: "ValidateComprehensionNestingLimit", options: []cel.EnvOption{cel.ASTValidators(cel.ValidateComprehensionNestingLimit(0))},
			exprs: []string{`[1].all(x, x > 0)`}},
		{name: "ExtendedValidations", options: []cel.EnvOption{cel.ExtendedValidations()},
			exprs: []string{`duration('x') == duration('1s')`, `'a'.matches('(')`, `1`}},
		{name: "Constant", options: []cel.EnvOption{cel.Constant("answer", cel.IntType, types.Int(42))},
			exprs: []string{`answer + 1`, `answer + 'a'`}},
		{name: "Variable", options: []cel.EnvOption{cel.Variable("v", cel.IntType)}, exprs: []string{`v + 1`, `w`}, vars: map[string]any{"v": 2}},
		{name: "VariableWithDoc", options: []cel.EnvOption{cel.VariableWithDoc("v", cel.IntType, "A number.")},
			exprs: []string{`v + 1`}, vars: map[string]any{"v": 2}},
		{name: "VariableDecls", options: []cel.EnvOption{cel.VariableDecls(decls.NewVariable("v", cel.IntType))},
			exprs: []string{`v + 1`}, vars: map[string]any{"v": 2}},
		{name: "Function", options: with(), exprs: []string{`twice(2)`, `twice('a')`, `twice(dyn(2))`, `twice(dyn('a'))`}},
		{name: "Function without implementation", options: []cel.EnvOption{cel.Function("f", cel.Overload("f_int", []*cel.Type{cel.IntType},
			cel.IntType))},
			exprs: []string{`f(1)`}},
		{name: "Function with a late binding", options: []cel.EnvOption{twice(cel.LateFunctionBinding())}, exprs: []string{`twice(2)`}},
		{name: "Function of several overloads", options: []cel.EnvOption{cel.Function("f",
			cel.MemberOverload("int_f", []*cel.Type{cel.IntType, cel.IntType}, cel.IntType,
				cel.BinaryBinding(func(a, b ref.Val) ref.Val { return a })),
			cel.Overload("f_all", []*cel.Type{cel.IntType, cel.IntType, cel.IntType}, cel.IntType, cel.OverloadIsNonStrict(),
				cel.FunctionBinding(func(args ...ref.Val) ref.Val { return args[2] })))},
			exprs: []string{`1.f(2)`, `f(1, 2, 3)`, `f(1/0, 2, 3)`, `f(1, 2)`}},
		{name: "Function with a singleton binding",
			options: []cel.EnvOption{cel.Function("f", cel.Overload("f_int", []*cel.Type{cel.IntType}, cel.IntType),
				cel.SingletonUnaryBinding(func(v ref.Val) ref.Val { return types.NewErr("f fails") }))},
			exprs: []string{`f(1)`, `f(1) == 1 || true`}},
		{name: "Function with a disabled declaration", options: []cel.EnvOption{cel.Function("size", cel.DisableDeclaration(true))},
			refused: "function size"},
		{name: "FunctionDecls",
			options: []cel.EnvOption{cel.FunctionDecls(must(decls.NewFunction("g", decls.Overload("g_int", []*cel.Type{cel.IntType}, cel.IntType,
				decls.UnaryBinding(func(v ref.Val) ref.Val { return v })))))}, exprs: []string{`g(1)`}},
		{name: "Lib", options: []cel.EnvOption{cel.Lib(programs(nil))}, exprs: []string{`1`}},
		{name: "StdLib", options: []cel.EnvOption{cel.StdLib()}, exprs: []string{`1 + 1`}},
		{name: "OptionalTypes", options: []cel.EnvOption{cel.OptionalTypes(cel.OptionalTypesVersion(0))}, exprs: []string{`{'a': 1}.?b.orValue(2)`}},
		{name: "EnableErrorOnBadPresenceTest", options: []cel.EnvOption{cel.EnableErrorOnBadPresenceTest(true), cel.Variable("v", cel.DynType)},
			exprs: []string{`has(v.a)`, `v.?a.hasValue()`}, vars: map[string]any{"v": 1}},
		{name: "CostEstimatorOptions", options: with(cel.CostEstimatorOptions(checker.OverloadCostEstimate("twice_int", bySize))),
			exprs: []string{`twice(2)`, `twice(size('abc'))`}},
		{name: "CostEstimatorOptions with the size of the result",
			options: []cel.EnvOption{echo, cel.Variable("s", cel.StringType),
				cel.CostEstimatorOptions(checker.OverloadCostEstimate("echo_string", bySize))},
			exprs: []string{`echo('abc')`, `echo(echo('abc') + 'de').contains('a')`, `echo(s)`, `[s].map(x, echo(x))`},
			vars:  map[string]any{"s": "abc"}},
		{name: "CostEstimatorOptions of a standard function",
			options: []cel.EnvOption{cel.CostEstimatorOptions(checker.OverloadCostEstimate("starts_with_string", bySize))},
			exprs:   []string{`'abcd'.startsWith('ab')`, `'abcd'.endsWith('ab')`}},
		{name: "CostEstimatorOptions of a function of Kubernetes",
			options: []cel.EnvOption{cel.CostEstimatorOptions(checker.OverloadCostEstimate("string_to_quantity", bySize))},
			exprs:   []string{`isQuantity('1')`, `quantity('1')`}},
		{name: "CostEstimatorOptions of a presence test",
			options: []cel.EnvOption{cel.CostEstimatorOptions(checker.PresenceTestHasCost(true)),
				cel.Variable("v", cel.MapType(cel.StringType, cel.IntType))},
			exprs: []string{`has(v.a)`}, vars: map[string]any{"v": map[string]int64{}}},
		{name: "CostTrackerOptions", options: with(programOptions(
			cel.CostTrackerOptions(interpreter.OverloadCostTracker("twice_int", sevenTracked)))),
			exprs: []string{`twice(2) + 1`}},
		{name: "CostTrackerOptions of a standard function",
			options: []cel.EnvOption{programOptions(cel.CostTrackerOptions(interpreter.OverloadCostTracker("starts_with_string", sevenTracked)))},
			exprs:   []string{`'a'.startsWith('b') || true`}},
		{name: "CostTrackerOptions of a presence test",
			options: []cel.EnvOption{programOptions(cel.CostTrackerOptions(interpreter.PresenceTestHasCost(true))),
				cel.Variable("v", cel.MapType(cel.StringType, cel.IntType))},
			exprs: []string{`has(v.a)`}, vars: map[string]any{"v": map[string]int64{}}},
		{name: "CostTracking", options: with(programOptions(cel.CostTracking(priced(9)))), exprs: []string{`twice(2)`, `'a' in ['b', 'c']`}, cost: 9},
		{name: "CostLimit", options: []cel.EnvOption{programOptions(cel.CostLimit(3))},
			exprs: []string{`[1, 2].all(x, x > 0)`, `1`}, err: "operation cancelled: actual cost limit exceeded"},
		{name: "CustomDecorator", options: []cel.EnvOption{programOptions(cel.CustomDecorator(decorated))}, exprs: []string{`1 + 1`}},
		{name: "CustomDecoratorV2",
			options: []cel.EnvOption{programOptions(cel.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
				return i, errors.New("refused")
			}))}, exprs: []string{`1 + 1`}},
		{name: "EvalOptions", options: []cel.EnvOption{programOptions(cel.EvalOptions(cel.OptExhaustiveEval))},
			exprs: []string{`true || 1 / 0 > 1`, `[1].exists(x, x > 0)`}},
		{name: "Functions", options: []cel.EnvOption{cel.Function("h", cel.Overload("h_int", []*cel.Type{cel.IntType}, cel.IntType)),
			programOptions(cel.Functions(&functions.Overload{Operator: "h_int", Unary: func(v ref.Val) ref.Val { return v }}))},
			exprs: []string{`h(1)`}},
		{name: "Globals",
			options: []cel.EnvOption{cel.Variable("g", cel.IntType),
				cel.Variable("v", cel.IntType), programOptions(cel.Globals(map[string]any{"g": 1, "v": 5}))},
			exprs: []string{`g + v`}, vars: map[string]any{"v": 2}},
		{name: "InterruptCheckFrequency", options: []cel.EnvOption{programOptions(cel.InterruptCheckFrequency(1))},
			exprs: []string{`[1].all(x, x > 0)`}},
		{name: "OptimizeRegex", options: []cel.EnvOption{programOptions(cel.OptimizeRegex(interpreter.MatchesRegexOptimization))},
			exprs: []string{`'a'.matches('a+')`, `'a'.matches('a(')`}},
		{name: "FromConfig", options: []cel.EnvOption{fromConfig(func(c *celenv.Config) *celenv.Config {
			return c.AddFeatures(celenv.NewFeature("cel.feature.cross_type_numeric_comparisons", false)).
				AddLimits(celenv.NewLimit("cel.limit.expression_code_points", 20)).
				SetContainer("google.protobuf").AddVariables(celenv.NewVariable("v", celenv.NewTypeDesc("int")))
		})}, exprs: []string{`1 < 1.5`, `Duration{}`, `v + 1`, `'` + many + `'`}, vars: map[string]any{"v": 1}},
		{name: "ext.Bindings", options: []cel.EnvOption{ext.Bindings()}, exprs: []string{`cel.bind(x, 1 + 1, x + x)`}},
		{name: "ext.Encoders", options: []cel.EnvOption{ext.Encoders()}, exprs: []string{`base64.encode(b'abc')`, `base64.decode('####')`}},
		{name: "ext.Lists", options: []cel.EnvOption{ext.Lists()}, exprs: []string{`[3, 1].sort()`}},
		{name: "ext.Math", options: []cel.EnvOption{ext.Math()}, exprs: []string{`math.greatest(1, 2)`, `math.abs(-1)`, `math.greatest('a')`}},
		{name: "ext.NativeTypes",
			options: []cel.EnvOption{ext.NativeTypes(reflect.TypeFor[native]()), cel.Variable("n", cel.ObjectType("kubecel_test.native"))},
			exprs:   []string{`n.Name`, `n.Nome`, `kubecel_test.native{Name: 'x'}.Name`}, vars: map[string]any{"n": &native{"x"}}},
		{name: "ext.Network", options: []cel.EnvOption{ext.Network()}, exprs: []string{`1`}},
		{name: "ext.Protos", options: []cel.EnvOption{ext.Protos()}, exprs: []string{`1`}},
		{name: "ext.Regex", options: []cel.EnvOption{ext.Regex(), cel.OptionalTypes(), cel.Variable("s", cel.StringType)},
			exprs: []string{`regex.replace(s, 'a+', 'b').size()`, `regex.extractAll('abc', 'b')`, `regex.extract(s, '(').hasValue()`},
			vars:  map[string]any{"s": strings.Repeat("a", 3_000_000)}},
		{name: "ext.Sets", options: []cel.EnvOption{ext.Sets()}, exprs: []string{`sets.contains([1], [1])`}},
		{name: "ext.Strings", options: []cel.EnvOption{ext.Strings(ext.StringsVersion(0))}, exprs: []string{`'a'.upperAscii()`, `'%d'.format([1])`}},
		{name: "ext.TwoVarComprehensions", options: []cel.EnvOption{ext.TwoVarComprehensions()}, exprs: []string{`[1].all(i, x, x > i)`}},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// unsized knows no sizes.
type unsized struct{}

func (unsized) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }
func (unsized) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// seen is what an expression came to.
type seen struct {
	stage, err, value string
	cost              uint64
	estimate          [2]uint64
}

func byCELGo(t *testing.T, env *cel.Env, expr string, vars map[string]any) (s seen) {
	t.Helper()
	checked, issues := env.Compile(expr)
	if issues.Err() != nil {
		return seen{stage: "compile", err: issues.String()}
	}
	estimate, err := env.EstimateCost(checked, unsized{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := env.Program(checked)
	if err != nil {
		return seen{stage: "compile", err: err.Error()}
	}
	s.estimate = [2]uint64{estimate.Min, estimate.Max}
	value, details, err := program.ContextEval(t.Context(), vars)
	if err != nil {
		s.stage, s.err = "eval", err.Error()
	} else {
		s.value = describeValue(value)
	}
	if units := details.ActualCost(); units != nil {
		s.cost = *units
	}
	return s
}

func byKubecel(t *testing.T, env *kubecel.Env, expr string, vars map[string]any) (s seen) {
	t.Helper()
	compiled, err := env.Compile(expr)
	if err != nil {
		var failed *kubecel.CompileError
		if !errors.As(err, &failed) {
			t.Fatalf("%v", err)
		}
		text := strings.TrimPrefix(failed.Server, "compilation failed: ")
		return seen{stage: "compile", err: strings.TrimPrefix(text, "program instantiation failed: ")}
	}
	s.estimate = [2]uint64{compiled.Estimate().Min, compiled.Estimate().Max}
	result, err := compiled.Eval(context.Background(), vars)
	var failed *kubecel.EvalError
	if errors.As(err, &failed) {
		s.stage, s.err = "eval", failed.Server
	} else {
		s.value = describeValue(result.Value)
	}
	s.cost = result.Cost
	return s
}

func describeValue(v ref.Val) string {
	text := fmt.Sprint(v.Value())
	if m, ok := v.Value().(proto.Message); ok {
		text = prototext.Format(m)
	} else if _, ok := v.(fmt.Stringer); !ok {
		if l, ok := v.(traits.Lister); ok {
			text = fmt.Sprint(must(l.ConvertToNative(reflect.TypeFor[[]any]())))
		}
	}
	return v.Type().TypeName() + " " + text
}

// text says what an expression came to.
func (s seen) text() string {
	return fmt.Sprintf("%s%.200s%.200s cost %d estimate %d", s.stage+" ", s.err, s.value, s.cost, s.estimate)
}

func TestCELOptions(t *testing.T) {
	newer := celgo.Newer(t)
	for _, tt := range optionCases() {
		t.Run(tt.name, func(t *testing.T) {
			env, err := kubecel.NewEnv(kubecel.CELOptions(tt.options...))
			if err != nil {
				var input *kubecel.InputError
				if tt.refused == "" || !errors.As(err, &input) || input.Code != diag.OptionInvalid || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if tt.refused != "" {
				t.Error("it is not refused")
			}
			celEnv, err := env.CEL()
			if err != nil {
				t.Fatal(err)
			}
			for i, expr := range tt.exprs {
				want, got := byCELGo(t, celEnv, expr, tt.vars), byKubecel(t, env, expr, tt.vars)
				if newer {
					want.cost = got.cost // it counts some calls that fail in another way
				}
				if len(expr) > 60 {
					expr = expr[:60] + "..."
				}
				if i == 0 && (tt.err != "" && got.err != tt.err || tt.cost != 0 && got.cost != tt.cost) {
					t.Errorf("%s\n got %s", expr, got.text())
				}
				if got != want {
					t.Errorf("%s\n got %s\nwant %s", expr, got.text(), want.text())
				}
			}
		})
	}
}

// TestCELOptionsReleases holds that options mean on older releases what they mean on
// the newest.
func TestCELOptionsReleases(t *testing.T) {
	newer := celgo.Newer(t)
	for _, tt := range optionCases() {
		if tt.refused != "" || strings.HasPrefix(tt.name, "ext.Regex") {
			continue
		}
		for _, minor := range []int{27, 30, 34} {
			env, err := kubecel.NewEnv(kubecel.ForRelease(release.Minor(minor)), kubecel.CELOptions(tt.options...))
			if err != nil {
				t.Errorf("%s, 1.%d: %v", tt.name, minor, err)
				continue
			}
			celEnv := must(env.CEL())
			for _, expr := range tt.exprs {
				want, got := byCELGo(t, celEnv, expr, tt.vars), byKubecel(t, env, expr, tt.vars)
				want.estimate = got.estimate // that of an older release is not that of cel-go
				if newer {
					want.cost = got.cost
				}
				if got != want && !strings.Contains(expr, "`") {
					t.Errorf("%s, 1.%d: %.60s\n got %s\nwant %s", tt.name, minor, expr, got.text(), want.text())
				}
			}
		}
	}
}

// TestCELOptionsInterpreted evaluates with options that only cel-go's interpreter
// honours, and with options of kubecel.
func TestCELOptionsInterpreted(t *testing.T) {
	globals := kubecel.CELOptions(cel.Variable("g", cel.IntType), programOptions(cel.Globals(map[string]any{"g": 10})))
	schema := must(kubecel.ParseSchema([]byte(`{type: object, properties: {m: {type: integer}, xs: {type: array, items: {type: integer}}}}`)))
	env := must(kubecel.NewEnv(globals, kubecel.SchemaVariable("self", schema), kubecel.CostLimit(1000)))
	x := must(env.Compile("self.m + g > 11 && self.xs.all(x, x > 0)"))
	vars := map[string]any{"self": map[string]any{"m": int64(2), "xs": []any{int64(1), int64(2)}}}
	result := must(x.Eval(t.Context(), vars))
	if !result.Bool() || result.Cost == 0 {
		t.Errorf("%v", result)
	}
	var failed *kubecel.EvalError
	if _, err := x.Eval(t.Context(), vars, kubecel.CostLimit(5)); !errors.As(err, &failed) || failed.Code != diag.CallLimitExceeded {
		t.Errorf("limit: %v", err)
	}
	if _, err := x.Eval(t.Context(), map[string]any{}); !errors.As(err, &failed) || failed.Code != diag.EvaluationFailed || failed.Position.IsZero() {
		t.Errorf("without variables: %v", err)
	}
	many := make([]any, 200)
	for i := range many {
		many[i] = int64(1)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	vars["self"] = map[string]any{"m": int64(2), "xs": many}

	stopping := must(env.Extend(kubecel.CELOptions(cel.Function("stop", cel.Overload("stop_int", []*cel.Type{cel.IntType}, cel.BoolType,
		cel.UnaryBinding(func(ref.Val) ref.Val { cancel(errors.New("enough")); return types.True }))))))
	x = must(stopping.Compile("self.xs.all(x, stop(x))"))
	if _, err := x.Eval(ctx, vars); !errors.As(err, &failed) || failed.Code != diag.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var input *kubecel.InputError
	if _, err := env.ReportEval(t.Context(), "g > 1", nil); !errors.As(err, &input) {
		t.Errorf("report: %v", err)
	}
	if r, err := env.Report("self.m > g"); err != nil || r == nil {
		t.Errorf("report: %v", err)
	}
}

// TestCELOptionsRefused names what a schema variable rules out.
func TestCELOptionsRefused(t *testing.T) {
	schema := must(kubecel.ParseSchema([]byte(`{type: object, properties: {m: {type: integer}}}`)))
	_, err := kubecel.NewEnv(kubecel.CELOptions(cel.JSONFieldNames(true)), kubecel.SchemaVariable("self", schema))
	var input *kubecel.InputError
	if !errors.As(err, &input) || input.Code != diag.OptionInvalid || !strings.Contains(err.Error(), "JSONFieldNames()") {
		t.Errorf("%v", err)
	}
	panics := func(checker.CostEstimator, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
		panic("a fault")
	}
	_, err = kubecel.NewEnv(kubecel.CELOptions(twice(), cel.CostEstimatorOptions(checker.OverloadCostEstimate("twice_int", panics))))
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "estimator") {
		t.Errorf("%v", err)
	}
}

// TestServerExact holds that a server-exact environment accepts what a server accepts in
// a new expression, as the environment of the newest release does.
func TestServerExact(t *testing.T) {
	for _, tt := range []struct {
		name     string
		options  []kubecel.EnvOption
		includes bool
	}{
		{"embedding", nil, true},
		{"exact", []kubecel.EnvOption{kubecel.ServerExact()}, false},
		{"newest", []kubecel.EnvOption{kubecel.ForRelease(release.Newest())}, false},
		{"exact, stored", []kubecel.EnvOption{kubecel.ServerExact(), kubecel.StoredExpressions()}, true},
		{"stored", []kubecel.EnvOption{kubecel.StoredExpressions()}, true},
	} {
		if _, err := must(kubecel.NewEnv(tt.options...)).Compile("[1, 2].includes(2)"); (err == nil) != tt.includes {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
