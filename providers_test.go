package kubecel_test

import (
	"errors"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// points knows the type example.Point, whose values are maps.
type points struct{ types.Provider }

func (points) EnumValue(name string) ref.Val {
	if name == "example.Axis.Y" {
		return types.Int(1)
	}
	return types.NewErr("unknown enum name '%s'", name)
}

func (points) FindIdent(name string) (ref.Val, bool) {
	return cel.ObjectType(name), name == "example.Point"
}

func (points) FindStructType(name string) (*types.Type, bool) {
	return types.NewTypeTypeWithParam(cel.ObjectType(name)), name == "example.Point"
}

func (points) FindStructFieldNames(name string) ([]string, bool) {
	return []string{"x"}, name == "example.Point"
}

func (points) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	return &types.FieldType{Type: types.IntType}, name == "example.Point" && field == "x"
}

func (points) NewValue(_ string, fields map[string]ref.Val) ref.Val {
	values := map[ref.Val]ref.Val{}
	for name, v := range fields {
		values[types.String(name)] = v
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, values)
}

// TestTypeProvider holds that a provider of the caller counts in compilation and
// evaluation, beside the types of Kubernetes and of schemas.
func TestTypeProvider(t *testing.T) {
	schema := must(kubecel.ParseSchema([]byte(`{type: object, properties: {m: {type: integer}}}`)))
	options := []kubecel.EnvOption{
		kubecel.TypeProvider(points{}), kubecel.Variable("p", cel.ObjectType("example.Point")), kubecel.SchemaVariable("self", schema),
	}
	vars := map[string]any{
		"p":    types.NewStringInterfaceMap(types.DefaultTypeAdapter, map[string]any{"x": int64(2)}),
		"self": map[string]any{"m": int64(1)},
	}
	env := must(kubecel.NewEnv(options...))
	interpreted := must(env.Extend(kubecel.CELOptions(programOptions(cel.Globals(map[string]any{"unused": 1})))))
	for name, env := range map[string]*kubecel.Env{"own": env, "interpreted": interpreted} {
		for _, expr := range []string{
			"p.x == 2", "example.Point{x: 3}.x == 3", "example.Axis.Y == self.m", "quantity('1').isInteger()", "type(quantity('1')) != example.Point",
		} {
			x, err := env.Compile(expr)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if result, err := x.Eval(t.Context(), vars); err != nil || !result.Bool() {
				t.Errorf("%s: %s: %v, %v", name, expr, result, err)
			}
		}
		for _, expr := range []string{"p.y == 2", "example.Point{y: 3}", "example.Line{}"} {
			if _, err := env.Compile(expr); err == nil {
				t.Errorf("%s: %s compiles", name, expr)
			}
		}
	}
	if _, issues := must(env.CEL()).Compile("p.x == 2 && self.m == 1"); issues.Err() != nil {
		t.Error(issues.Err())
	}
	var input *kubecel.InputError
	if _, err := kubecel.NewEnv(kubecel.TypeProvider(nil)); !errors.As(err, &input) {
		t.Errorf("nil: %v", err)
	}
}

// TestBindings holds that cel.bind works for those who ask, and that no server is said
// to accept it.
func TestBindings(t *testing.T) {
	const expr = "cel.bind(x, 'a' + 'b', x + x == 'abab')"
	var failed *kubecel.CompileError
	if _, err := must(kubecel.NewEnv()).Compile(expr); !errors.As(err, &failed) {
		t.Errorf("without the library: %v", err)
	}
	env := must(kubecel.NewEnv(kubecel.Libraries(library.Bindings())))
	x := must(env.Compile(expr))
	result := must(x.Eval(t.Context(), nil))
	want := byCELGo(t, must(env.CEL()), expr, nil)
	if !result.Bool() || result.Cost != want.cost || x.Estimate().Max != want.estimate[1] {
		t.Errorf("%v, estimate %v, want cost %d, estimate %d", result, x.Estimate(), want.cost, want.estimate)
	}
	if _, err := env.ReportEval(t.Context(), expr, nil); err != nil {
		t.Error(err)
	}
	for name, env := range map[string]*kubecel.Env{"with": env, "without": must(kubecel.NewEnv())} {
		accepted := must(env.AcceptedBy(expr))
		if len(accepted.Releases()) != 0 || len(accepted.Requirements) != 1 || accepted.Requirements[0].Feature != "cel.bind" ||
			accepted.Requirements[0].Reason != "cel.bind is in no released API server" {
			t.Errorf("%s: %v %v", name, accepted.Releases(), accepted.Requirements)
		}
	}
	if lowest, ok := must(env.AcceptedBy("1 == 1")).Lowest(); !ok || lowest != release.Oldest() {
		t.Errorf("lowest: %v", lowest)
	}
}
