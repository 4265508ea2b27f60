package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/release"
)

// optionals are the versions of the library of optional values. All came with the
// environment version 1.28. A newer server has the newer version even where it is
// compatible with 1.28.
func optionals() []Library {
	v0, v1, v2 := optionalTypes(0), optionalTypes(1), optionalTypes(2)
	v0.lastServer = release.Minor(28)
	v1.firstServer, v1.lastServer = release.Minor(29), release.Minor(32)
	v2.firstServer = release.Minor(33)
	return []Library{v0, v1, v2}
}

func optionalTypes(version uint32) Library {
	lib := Library{
		Name:      "cel.optionals",
		trait:     declare.Optionals,
		Doc:       "Values that may be absent, and fields, keys and elements that may be missing.",
		since:     release.Minor(28),
		Functions: optionalFunctions(),
		Macros: []Macro{{
			Name:     "optMap",
			Doc:      "Returns an optional with what an expression makes of the value, none if there is no value.",
			Usage:    []string{"<optional(V)>.optMap(x, <expr of x>) -> <optional(T)>"},
			Examples: []Example{{Expr: `optional.of(2).optMap(x, x * 2).value()`, Want: `4`}},
		}},
		Options: []cel.EnvOption{
			cel.OptionalTypes(cel.OptionalTypesVersion(version)),
			cel.Macros(optionalMacro("optMap", func(f cel.MacroExprFactory, mapped ast.Expr) ast.Expr {
				return f.NewCall("optional.of", mapped)
			})),
		},
	}
	if version >= 1 {
		lib.Macros = append(lib.Macros, Macro{
			Name:     "optFlatMap",
			Doc:      "Returns the optional that an expression makes of the value, none if there is no value.",
			Usage:    []string{"<optional(V)>.optFlatMap(x, <optional expr of x>) -> <optional(T)>"},
			Examples: []Example{{Expr: `optional.of({'a': 1}).optFlatMap(x, x[?'b']).hasValue()`, Want: `false`}},
		})
		lib.Options = append(lib.Options, cel.Macros(optionalMacro("optFlatMap", func(_ cel.MacroExprFactory, mapped ast.Expr) ast.Expr {
			return mapped
		})))
	}
	if version >= 2 {
		lib.Functions = append(lib.Functions, newerOptionalFunctions()...)
	}
	return lib
}

// optionalFunctions are the functions of every version.
func optionalFunctions() []Function {
	k, v := cel.TypeParamType("K"), cel.TypeParamType("V")
	optional, list := cel.OptionalType(v), cel.ListType(v)
	return []Function{
		function("optional.of", "Returns an optional that holds a value.",
			global("optional_of", args(v), optional, cost.Model{},
				Example{Expr: `optional.of(1).value()`, Want: `1`})),
		function("optional.ofNonZeroValue", "Returns an optional that holds a value, or none if it is null, false, zero or empty.",
			global("optional_ofNonZeroValue", args(v), optional, cost.Model{},
				Example{Expr: `optional.ofNonZeroValue('').hasValue()`, Want: `false`},
				Example{Expr: `optional.ofNonZeroValue('a').hasValue()`, Want: `true`})),
		function("optional.none", "Returns the optional that holds nothing.",
			global("optional_none", args(), optional, cost.Model{},
				Example{Expr: `optional.none().hasValue()`, Want: `false`})),
		function("value", "Returns the value that an optional holds. It must hold one.",
			member("optional_value", args(optional), v, cost.Model{},
				Example{Expr: `optional.of('a').value()`, Want: `'a'`},
				Example{Expr: `optional.none().value()`, Err: "optional.none() dereference"})),
		function("hasValue", "Tells whether an optional holds a value.",
			member("optional_hasValue", args(optional), cel.BoolType, cost.Model{},
				Example{Expr: `optional.of(1).hasValue()`, Want: `true`})),
		function("or", "Returns an optional if it holds a value, and another if it does not.",
			member("optional_or_optional", args(optional, optional), optional, cost.Model{},
				Example{Expr: `optional.none().or(optional.of(1)).value()`, Want: `1`})),
		function("orValue", "Returns the value that an optional holds, and another if it holds none.",
			member("optional_orValue_value", args(optional, v), v, cost.Model{},
				Example{Expr: `optional.none().orValue(1)`, Want: `1`})),
		function("_?._", "Selects a field or key that may be missing: `object.?field`.",
			global("select_optional_field", args(cel.DynType, cel.StringType), optional, cost.Model{},
				Example{Expr: `{'a': 1}.?b.orValue(2)`, Want: `2`})),
		function("_[?_]", "Selects an element or key that may be missing: `list[?index]`.",
			global("list_optindex_optional_int", args(list, cel.IntType), optional, cost.Model{},
				Example{Expr: `[1][?1].hasValue()`, Want: `false`}),
			global("optional_list_optindex_optional_int", args(cel.OptionalType(list), cel.IntType), optional, cost.Model{},
				Example{Expr: `optional.of([1])[?0].value()`, Want: `1`}),
			global("map_optindex_optional_value", args(cel.MapType(k, v), k), optional, cost.Model{},
				Example{Expr: `{'a': 1}[?'b'].hasValue()`, Want: `false`}),
			global("optional_map_optindex_optional_value", args(cel.OptionalType(cel.MapType(k, v)), k), optional, cost.Model{},
				Example{Expr: `optional.of({'a': 1})[?'a'].value()`, Want: `1`})),
		function("_[_]", "Selects from an optional list or map: the result is optional too.",
			global("optional_list_index_int", args(cel.OptionalType(list), cel.IntType), optional, cost.Model{},
				Example{Expr: `optional.of([1])[0].value()`, Want: `1`}),
			global("optional_map_index_value", args(cel.OptionalType(cel.MapType(k, v)), k), optional, cost.Model{},
				Example{Expr: `optional.of({'a': 1})['a'].value()`, Want: `1`})),
	}
}

func newerOptionalFunctions() []Function {
	v := cel.TypeParamType("V")
	optional, list := cel.OptionalType(v), cel.ListType(v)
	return []Function{
		function("first", "Returns the first element of a list, none if it is empty.",
			member("list_first", args(list), optional, cost.Model{},
				Example{Expr: `[1, 2].first().value()`, Want: `1`})),
		function("last", "Returns the last element of a list, none if it is empty.",
			member("list_last", args(list), optional, cost.Model{},
				Example{Expr: `[1, 2].last().value()`, Want: `2`})),
		function("optional.unwrap", "Returns the values that the optionals of a list hold.",
			global("optional_unwrap", args(cel.ListType(optional)), list, cost.Model{},
				Example{Expr: `optional.unwrap([optional.of(1), optional.none()])`, Want: `[1]`})),
		function("unwrapOpt", "Returns the values that the optionals of a list hold.",
			member("optional_unwrapOpt", args(cel.ListType(optional)), list, cost.Model{},
				Example{Expr: `[optional.of(1), optional.none()].unwrapOpt()`, Want: `[1]`})),
	}
}

// optionalMacro makes of o.name(v, e):
//
//	o.hasValue() ? wrap(e with v for o.value()) : optional.none()
//
// It evaluates the optional twice if that holds a value. Since v0.31 cel-go
// evaluates it once, at another cost.
func optionalMacro(name string, wrap func(cel.MacroExprFactory, ast.Expr) ast.Expr) cel.Macro {
	return cel.ReceiverMacro(name, 2, func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
		if args[0].Kind() != ast.IdentKind {
			return nil, f.NewError(args[0].ID(), name+"() variable name must be a simple identifier")
		}
		variable := args[0].AsIdent()
		condition := f.NewMemberCall("hasValue", target)
		// A loop over nothing binds the variable.
		mapped := f.NewComprehension(f.NewList(), "#unused", variable,
			f.NewMemberCall("value", f.Copy(target)), f.NewLiteral(types.False), f.NewIdent(variable), args[1])
		return f.NewCall(operators.Conditional, condition, wrap(f, mapped), f.NewCall("optional.none")), nil
	})
}
