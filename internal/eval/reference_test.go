package eval

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel/internal/celgo"
	"github.com/kubecel/kubecel/internal/declare"
)

// engines compares this package with cel-go's interpreter, under one way to
// price calls.
type engines struct {
	env     *cel.Env
	planner *Planner
	price   pricing
	newer   newer
	// watch is told of the fast paths that give answers.
	watch func(op)
	// functions are the names of the functions of all overloads.
	functions map[string]string
}

// pricing prices a call for both engines.
type pricing struct {
	price func(function, overload string, args []ref.Val, result ref.Val) uint64
	// sized is price by the sizes of the arguments, nil if it depends on more.
	sized func(overload string) func(x, y uint64) uint64
}

func (p pricing) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	units := p.price(function, overload, args, result)
	return &units
}

func newEnv(t testing.TB, opts ...cel.EnvOption) *cel.Env {
	t.Helper()
	three := func(args ...ref.Val) ref.Val { return types.Int(len(args)) }
	all := append([]cel.EnvOption{
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		ext.Strings(ext.StringsVersion(2)),
		ext.Sets(),
		ext.TwoVarComprehensions(),
		ext.Lists(ext.ListsVersion(3)),
		ext.Bindings(ext.BindingsVersion(0)),
		ext.NativeTypes(reflect.TypeFor[Thing]()),
		cel.Function("three", cel.Overload("three_dyn", []*cel.Type{cel.DynType, cel.DynType, cel.DynType}, cel.IntType, cel.FunctionBinding(three))),
		cel.Function("lax", cel.Overload("lax_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.IntType, cel.OverloadIsNonStrict(),
			cel.BinaryBinding(func(_, _ ref.Val) ref.Val { return types.Int(7) }))),
		cel.Function("zero", cel.Overload("zero_none", nil, cel.IntType, cel.FunctionBinding(three))),
		cel.Function("crash", cel.Overload("crash_dyn", []*cel.Type{cel.DynType}, cel.BoolType,
			cel.UnaryBinding(func(ref.Val) ref.Val { panic("crashed") }))),
		cel.Function("find",
			cel.MemberOverload("string_find_string", []*cel.Type{cel.StringType, cel.StringType}, cel.StringType,
				cel.BinaryBinding(func(str, _ ref.Val) ref.Val { return str }))),
	}, opts...)
	for name, typ := range variables {
		all = append(all, cel.Variable(name, typ))
	}
	env, err := cel.NewEnv(all...)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Thing is a type with accessors.
type Thing struct {
	Name  string
	Count int64
	Tags  []string
	Sub   *Thing
	Any   map[string]Thing
}

// findRegex replaces find by an implementation that differs from the bound one.
func findRegex(pattern string) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val { return types.String("constant " + pattern) }
}

func newEngines(t testing.TB, env *cel.Env, price pricing) *engines {
	t.Helper()
	e := &engines{env: env, price: price, newer: newer{linked: celgo.Newer(t)}, functions: map[string]string{}}
	for name, fn := range env.Functions() {
		for _, o := range fn.OverloadDecls() {
			e.functions[o.ID()] = name
		}
	}
	planner, err := NewPlanner(Config{
		Functions: env.Functions(),
		Adapter:   env.CELTypeAdapter(),
		Price: func(function, overload string) Price {
			return func(args []ref.Val, result ref.Val) uint64 {
				e.newer.watch(args, result)
				return price.price(function, overload, args, result)
			}
		},
		Sized: func(_, overload string) func(x, y uint64) uint64 {
			if price.sized == nil {
				return nil
			}
			return price.sized(overload)
		},
		Regexes: []declare.Regex{{
			Function: "find",
			Index:    1,
			Compile:  func(p string) (functions.FunctionOp, error) { return findRegex(p), nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.planner = planner
	if e.newer.linked {
		t.Cleanup(func() {
			if e.newer.all > 0 {
				t.Log(&e.newer)
			}
		})
	}
	return e
}

// reference is cel-go's program. Its limit may change between runs.
type reference struct {
	cel.Program
	limit *uint64
}

func (e *engines) reference(ast *cel.Ast) (prog reference, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	limit := uint64(Unlimited)
	planned, err := e.env.Program(ast,
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostTracking(e.price),
		cel.CostTrackerOptions(e.trackers(ast, &limit)...),
		cel.InterruptCheckFrequency(InterruptFrequency),
		cel.OptimizeRegex(&interpreter.RegexOptimization{
			Function:   "find",
			RegexIndex: 1,
			Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), findRegex(pattern)), nil
			},
		}),
	)
	return reference{planned, &limit}, err
}

// trackers turns presence tests free, and has the calls of all overloads priced by
// the engine instead of by cel-go's extension libraries.
func (e *engines) trackers(ast *cel.Ast, limit *uint64) []interpreter.CostTrackerOption {
	opts := []interpreter.CostTrackerOption{interpreter.PresenceTestHasCost(false), func(t *interpreter.CostTracker) error {
		t.Limit = limit
		return nil
	}}
	for _, found := range native(ast).ReferenceMap() {
		for _, id := range found.OverloadIDs {
			opts = append(opts, interpreter.OverloadCostTracker(id, func(args []ref.Val, result ref.Val) *uint64 {
				return e.price.CallCost(e.functions[id], id, args, result)
			}))
		}
	}
	return opts
}

type activation map[string]any

func (a activation) ResolveName(name string) (any, bool) { v, ok := a[name]; return v, ok }
func (activation) Parent() interpreter.Activation        { return nil }

// outcome is an evaluation as text.
type outcome struct {
	value, err string
	cost       uint64
}

func describe(val ref.Val, err error, cost uint64) outcome {
	o := outcome{cost: cost}
	if err != nil {
		o.err = err.Error()
		return o
	}
	o.value = fmt.Sprintf("%T %s", val, format(val))
	return o
}

// format writes a value; maps in no order.
func format(val ref.Val) string {
	switch v := val.(type) {
	case nil:
		return "nil"
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional(" + format(v.GetValue()) + ")"
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, format(it.Next()))
		}
		return fmt.Sprintf("%v[%s]", v.Type(), strings.Join(parts, ", "))
	case traits.Mapper:
		size, sum := v.Size(), uint64(0)
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			sum += hash(format(k), format(v.Get(k)))
		}
		return fmt.Sprintf("map of %v: %x", size, sum)
	}
	return fmt.Sprintf("%v %v", val.Type(), val.Value())
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// fingerprint prices a call by what its arguments are, so that a wrong argument
// is a wrong price.
var fingerprint = pricing{price: fingerprints}

func fingerprints(function, overload string, args []ref.Val, result ref.Val) uint64 {
	if overload != "" {
		function = "" // An overload may belong to several functions: _in_ and @in.
	}
	parts := []string{function, overload}
	for _, v := range append(args[:len(args):len(args)], result) {
		switch v := v.(type) {
		case nil:
			parts = append(parts, "nil")
		case *types.Err:
			parts = append(parts, v.Error())
		default:
			parts = append(parts, format(v))
		}
	}
	return hash(parts...) % 11
}

// standard is what cel-go charges by itself.
var standard = pricing{
	price: func(_, overload string, args []ref.Val, _ ref.Val) uint64 {
		sizes := [2]uint64{1, 1}
		for i := range min(len(args), 2) {
			sizes[i] = uint64(standardSize(args[i]))
		}
		return standardSized(overload)(sizes[0], sizes[1])
	},
	sized: standardSized,
}

func standardSized(overload string) func(x, y uint64) uint64 {
	scan := func(n uint64, factor float64) uint64 { return uint64(math.Ceil(float64(n) * factor)) }
	return func(x, y uint64) uint64 {
		switch overload {
		case overloads.StartsWithString, overloads.EndsWithString:
			return scan(y, 0.1)
		case overloads.InList:
			return y
		case overloads.LessString, overloads.Equals, overloads.NotEquals:
			return scan(min(x, y), 0.1)
		case overloads.AddString:
			return scan(x+y, 0.1)
		case overloads.Matches, overloads.MatchesString:
			return scan(x+1, 0.1) * scan(y, 0.25)
		case overloads.ContainsString:
			return scan(x, 0.1) * scan(y, 0.1)
		}
		return 1
	}
}

func standardSize(v ref.Val) int64 {
	if s, ok := v.(traits.Sizer); ok {
		return int64(s.Size().(types.Int))
	}
	if o, ok := v.(*types.Optional); ok && o.HasValue() {
		return standardSize(o.GetValue())
	}
	return 1
}

// compile returns nil for what does not compile. The validator of literals panics
// on some expressions that end in an optional element of type dyn.
func compile(env *cel.Env, text string) (ast *cel.Ast) {
	defer func() { recover() }()
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil
	}
	return checked
}

// compare runs an expression in both engines, at several limits, and returns the
// cost.
func (e *engines) compare(t testing.TB, text string, vars activation, limits int) {
	t.Helper()
	ast := compile(e.env, text)
	if ast == nil {
		return
	}
	e.compareAST(t, text, ast, vars, limits)
}

func (e *engines) compareAST(t testing.TB, text string, ast *cel.Ast, vars activation, limits int) {
	t.Helper()
	want, wantErr := e.reference(ast)
	got, gotErr := e.plan(ast)
	if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
		t.Errorf("%s: plan error\n got %v\nwant %v", text, gotErr, wantErr)
	}
	if wantErr != nil || gotErr != nil {
		return
	}
	full := e.compareRun(t, text, want, got, vars, Unlimited)
	for limit := uint64(0); limit < min(full, uint64(limits)) && !t.Failed(); limit++ {
		e.compareRun(t, text, want, got, vars, limit)
	}
}

// compareLimit compares the outcomes under a limit of an expression that can be
// planned.
func (e *engines) compareLimit(t testing.TB, text string, ast *cel.Ast, vars activation, limit uint64) {
	t.Helper()
	want, wantErr := e.reference(ast)
	got, gotErr := e.plan(ast)
	if wantErr == nil && gotErr == nil {
		e.compareRun(t, text, want, got, vars, limit)
	}
}

func (e *engines) plan(ast *cel.Ast) (*Program, error) {
	p, err := e.planner.Plan(ast.NativeRep(), e.env.CELTypeProvider())
	if p != nil {
		p.watch = e.watch
	}
	return p, err
}

func native(ast *cel.Ast) *celast.AST { return ast.NativeRep() }

func (e *engines) compareRun(t testing.TB, text string, want reference, got *Program, vars activation, limit uint64) uint64 {
	t.Helper()
	*want.limit = limit
	w, val, err := runReference(want, vars)
	e.newer.start()
	res := got.Eval(context.Background(), vars, limit)
	g := describe(res.Value, res.Err, res.Cost)
	if e.newer.departs(limit, res, g == w) {
		return 0
	}
	evaluated := g
	if e.newer.failedFirst {
		g.cost, w.cost = 0, 0
	}
	if g != w && !possible(want, vars, g) {
		t.Errorf("%s (limit %d, tracked %v):\n got %+v\nwant %+v", text, limit, got.tracked, g, w)
		return w.cost
	}
	// The general path: no fast path but ordered and quick is taken with the stack.
	general := *got
	general.tracked = true
	res = general.Eval(context.Background(), vars, limit)
	if r := describe(res.Value, res.Err, res.Cost); r != evaluated && !possible(want, vars, r) {
		t.Errorf("%s (limit %d): tracked %+v, evaluated %+v", text, limit, r, evaluated)
	}
	recorded, record := got.Record(context.Background(), vars, limit)
	if r := describe(recorded.Value, recorded.Err, recorded.Cost); r != evaluated && !possible(want, vars, r) {
		t.Errorf("%s (limit %d): recorded %+v, evaluated %+v", text, limit, r, evaluated)
	}
	units := uint64(0)
	for _, n := range record.Nodes {
		units += n.Units
	}
	if units != recorded.Cost {
		t.Errorf("%s (limit %d): the nodes cost %d, all %d: %+v", text, limit, units, recorded.Cost, record.Nodes)
	}
	if g == w && (res.Value == nil) != (val == nil) {
		t.Errorf("%s: value %v, want %v", text, res.Value, val)
	}
	var we, ge *types.Err
	if g == w && errors.As(err, &we) && errors.As(res.Err, &ge) && we.NodeID() != ge.NodeID() && we != types.NoSuchOverloadErr() {
		t.Errorf("%s: error %q at node %d, want %d", text, err, ge.NodeID(), we.NodeID())
	}
	return w.cost
}

func runReference(prog reference, vars activation) (outcome, ref.Val, error) {
	val, det, err := prog.ContextEval(context.Background(), vars)
	cost := uint64(0)
	if c := det.ActualCost(); c != nil {
		cost = *c
	}
	return describe(val, err, cost), val, err
}

// possible tells whether the reference has an outcome at times: maps are iterated
// in no order.
func possible(prog reference, vars activation, want outcome) bool {
	for range 100 {
		if o, _, _ := runReference(prog, vars); o == want {
			return true
		}
	}
	return false
}

var variables = map[string]*cel.Type{
	"i": cel.IntType, "u": cel.UintType, "d": cel.DoubleType, "s": cel.StringType, "b": cel.BoolType,
	"y": cel.BytesType, "ts": cel.TimestampType, "dur": cel.DurationType, "n": cel.NullType, "nan": cel.DoubleType,
	"x":     cel.DynType,
	"typed": cel.DynType,
	"li":    cel.ListType(cel.IntType), "ls": cel.ListType(cel.StringType), "ld": cel.ListType(cel.DynType),
	"lm": cel.ListType(cel.MapType(cel.StringType, cel.DynType)),
	"m":  cel.MapType(cel.StringType, cel.IntType), "md": cel.MapType(cel.StringType, cel.DynType),
	"mi": cel.MapType(cel.IntType, cel.StringType), "mb": cel.MapType(cel.BoolType, cel.IntType),
	"self": cel.DynType, "oi": cel.OptionalType(cel.IntType), "os": cel.OptionalType(cel.MapType(cel.StringType, cel.DynType)),
	"none": cel.OptionalType(cel.IntType), "missing": cel.DynType, "ns.v": cel.IntType, "f32": cel.DoubleType,
	"mu": cel.MapType(cel.UintType, cel.StringType), "th": cel.ObjectType("eval.Thing"), "lt": cel.ListType(cel.ObjectType("eval.Thing")),
}

func nativeVars() activation {
	return activation{
		"i": int64(3), "u": uint64(4), "d": 2.5, "s": "hello world", "b": true, "y": []byte("bytes"),
		"ts": time.Unix(1700000000, 0).UTC(), "dur": 90 * time.Second, "n": nil, "nan": math.NaN(), "x": 5, "f32": float32(1.5),
		"li": []int64{1, 2, 3}, "ls": []string{"a", "bb", "hello"}, "ld": []any{int64(1), "two", nil, 4.5, map[string]any{"a": int64(1)}},
		"lm": []any{
			map[string]any{"a": int64(1), "s": "one"}, map[string]any{"s": "two"},
			map[string]any{"a": "x", "m": map[string]any{"k": int64(1)}}, map[string]any{"a": int64(4), "s": "four"},
		},
		"m": map[string]int64{"one": 1}, "md": map[string]any{"k": map[string]any{"a": int64(2)}},
		"mi": map[int64]any{1: "one"}, "mb": map[bool]any{true: 1}, "mu": map[uint64]any{4: "four"},
		"self": map[string]any{
			"name": "foo", "count": int64(3), "list": []any{"a", "b", "c"}, "null": nil, "x": map[string]any{"y": map[string]any{"z": true}},
			"items": []any{map[string]any{"name": "a", "n": int64(1)}, map[string]any{"name": "b"}},
		},
		"oi": types.OptionalOf(types.Int(9)), "none": types.OptionalNone,
		"os":   types.OptionalOf(types.NewDynamicMap(types.DefaultTypeAdapter, map[string]any{"a": 1})),
		"ns.v": 11,
		"th":   &Thing{Name: "thing", Tags: []string{"a", "b"}, Sub: &Thing{Count: 4}, Any: map[string]Thing{"a": {Name: "any"}}},
		"lt":   []*Thing{{Name: "a", Count: 1}, {Count: 2}, {Name: "c", Sub: &Thing{Name: "d"}}},
	}
}

// valueVars are the same variables as CEL values.
func valueVars(adapter types.Adapter) activation {
	vars := activation{}
	for name, v := range nativeVars() {
		vars[name] = adapter.NativeToValue(v)
	}
	return vars
}
