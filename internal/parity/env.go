package parity

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/release"
)

// Environment is where expressions of a group are compiled and evaluated.
type Environment struct {
	Name string
	// Older chooses the environment of the release before the newest one: what a
	// server of the newest release accepts in new expressions, so that the cluster
	// can be rolled back. Only the newest release is asked.
	Older bool
	// Vars are declared with their types and bound to their values.
	Vars []Variable
	// Authorizer declares the variable authorizer, answered by Authorize.
	Authorizer bool
	// JSONPatch adds jsonpatch.escapeKey, which servers have only where
	// expressions make patches.
	JSONPatch bool
	// Self, when not nil, declares self and oldSelf of the schema's type, with
	// its size bounds for the estimate, bound to the first object of the case.
	Self *SchemaCase
}

// Version is the version of the environment for new expressions. Expressions that
// are already stored see the same at the newest release.
func (e *Environment) Version() release.Release {
	if e.Older {
		return release.Newest().Add(-1)
	}
	return release.Newest()
}

// Variable is a typed variable and its value.
type Variable struct {
	Name  string
	Type  *cel.Type
	Value ref.Val
}

// plainEnv has no variables: what every server environment starts from.
func plainEnv() *Environment { return &Environment{Name: "plain"} }

// patchEnv is where expressions make patches.
func patchEnv() *Environment {
	e := varsEnv()
	e.Name, e.JSONPatch = "patch", true
	return e
}

// olderName is the name of olderEnv.
const olderName = "vars-older"

// olderEnv has the variables of varsEnv.
func olderEnv() *Environment {
	e := varsEnv()
	e.Name, e.Older = olderName, true
	return e
}

// varsEnv declares a variable for every value of the pools, so that nothing of
// an expression is known when it is planned, and some lists and maps.
func varsEnv() *Environment {
	e := &Environment{Name: "vars", Authorizer: true}
	for _, p := range pools() {
		for _, a := range p.args {
			if a.variable != "" {
				e.Vars = append(e.Vars, Variable{a.variable, p.celType, a.val})
			}
		}
	}
	list := func(name string, elem *cel.Type, vals ...ref.Val) {
		v := types.NewRefValList(types.DefaultTypeAdapter, vals)
		e.Vars = append(e.Vars, Variable{name, cel.ListType(elem), v})
	}
	ints := []ref.Val{types.Int(5), types.Int(3), types.Int(9), types.Int(3)}
	strs := []ref.Val{types.String("b"), types.String("a"), types.String("ccc"), types.String("a")}
	list("list_int", cel.IntType, ints...)
	list("list_int_empty", cel.IntType)
	list("list_string", cel.StringType, strs...)
	list("list_double", cel.DoubleType, types.Double(2.5), types.Double(-1), types.Double(2.5))
	list("list_bool", cel.BoolType, types.False, types.True)
	list("list_bytes", cel.BytesType, types.Bytes("a"), types.Bytes("b"))
	list("list_uint", cel.UintType, types.Uint(1), types.Uint(2))
	list("list_dyn", cel.DynType, types.Int(1), types.String("a"), types.NullValue, types.Double(1.5))
	list("list_list", cel.ListType(cel.IntType),
		types.NewRefValList(types.DefaultTypeAdapter, ints), types.NewRefValList(types.DefaultTypeAdapter, nil))
	m := map[ref.Val]ref.Val{types.String("k"): types.Int(1)}
	e.Vars = append(e.Vars,
		Variable{"map_string_int", cel.MapType(cel.StringType, cel.IntType), types.NewRefValMap(types.DefaultTypeAdapter, m)},
		Variable{"map_empty", cel.MapType(cel.StringType, cel.IntType), types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{})},
		Variable{"map_int_string", cel.MapType(cel.IntType, cel.StringType),
			types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{types.Int(7): types.String("x")})},
		Variable{"map_dyn", cel.MapType(cel.StringType, cel.DynType),
			types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{types.String("k"): types.NullValue})},
		Variable{"any", cel.DynType, types.String("any")},
		Variable{"any_int", cel.DynType, types.Int(7)},
		Variable{"any_null", cel.DynType, types.NullValue},
		Variable{"opt", cel.OptionalType(cel.StringType), types.OptionalOf(types.String("set"))},
		Variable{"opt_none", cel.OptionalType(cel.StringType), types.OptionalNone},
		Variable{"opt_list", cel.OptionalType(cel.ListType(cel.IntType)), types.OptionalOf(types.NewRefValList(types.DefaultTypeAdapter, ints))},
		Variable{"null_var", cel.NullType, types.NullValue},
		Variable{"type_var", cel.TypeType, types.IntType},
	)
	return e
}
