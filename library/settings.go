package library

import (
	"errors"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/release"
)

// settings are what an API server sets of the language itself, as libraries so
// that each has the version that introduced it.
func settings() []Library {
	return []Library{
		{
			Name: "cel.settings",
			Doc:  "Lists and maps hold values of one type, time without a zone is UTC, and has() costs nothing.",
			Options: append(languageOptions(),
				cel.HomogeneousAggregateLiterals(),
				cel.EagerlyValidateDeclarations(true),
				cel.DefaultUTCTimeZone(true),
				cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
			),
		},
		{
			Name:    "cel.numbers",
			trait:   declare.Numbers,
			Doc:     "Compares numbers of different types: `1 < 1.5` and `2u > 1`.",
			since:   release.Minor(28),
			Options: []cel.EnvOption{cel.CrossTypeNumericComparisons(true)},
		},
		{
			Name:  "cel.validators",
			trait: declare.Literals,
			Doc:   "Checks literals when an expression is compiled: durations, timestamps, regular expressions, and that those of a list or map are of one type.",
			since: release.Minor(29),
			Options: []cel.EnvOption{cel.ASTValidators(
				cel.ValidateDurationLiterals(),
				cel.ValidateTimestampLiterals(),
				cel.ValidateRegexLiterals(),
				cel.ValidateHomogeneousAggregateLiterals(),
			)},
		},
		{
			// Strings brings the checks, and an environment without this library
			// leaves them out.
			Name:        "cel.format",
			trait:       declare.Formats,
			Doc:         "Checks calls of format with literals when an expression is compiled.",
			since:       release.Minor(29),
			firstServer: release.Minor(31),
		},
		{
			Name:        "cel.identifiers",
			trait:       declare.Backquotes,
			Doc:         "Selects fields of maps by names in backquotes: {'a-b': 1}.`a-b`.",
			firstServer: release.Minor(37),
		},
		{
			Name:  "cel.keywords",
			trait: declare.Keywords,
			Doc:   "Selects properties whose names are reserved words of CEL by these words: `self.namespace` beside `self.__namespace__`.",
			since: release.Minor(31),
		},
	}
}

// optionals are the versions of the library of values that may be absent. All
// came with the environment version 1.28; a newer server has the newer version of
// it even where it is compatible with 1.28.
func optionals() []Library {
	versions := []Library{optionalTypes(), optionalTypes(), optionalTypes()}
	for i := range versions {
		versions[i].Options = []cel.EnvOption{cel.OptionalTypes(cel.OptionalTypesVersion(uint32(i))), optionalMacros(i)}
	}
	versions[0].lastServer = release.Minor(28)
	versions[1].firstServer, versions[1].lastServer = release.Minor(29), release.Minor(32)
	versions[2].firstServer = release.Minor(33)
	for i := range 2 {
		versions[i].Functions = slices.DeleteFunc(versions[i].Functions, func(f Function) bool {
			return slices.Contains([]string{"first", "last", "optional.unwrap", "unwrapOpt"}, f.Name)
		})
	}
	versions[0].Macros = slices.DeleteFunc(versions[0].Macros, func(m Macro) bool { return m.Name == "optFlatMap" })
	return versions
}

func optionalTypes() Library {
	v := cel.TypeParamType("V")
	k := cel.TypeParamType("K")
	optional, list := cel.OptionalType(v), cel.ListType(v)
	return Library{
		Name:  "cel.optionals",
		trait: declare.Optionals,
		Doc:   "Values that may be absent, and fields, keys and elements that may be missing.",
		since: release.Minor(28),
		Functions: []Function{
			function("optional.of", "Returns an optional that holds a value.",
				Overload{ID: "optional_of", Args: args(v), Result: optional,
					Examples: []Example{{Expr: `optional.of(1).value()`, Want: `1`}}}),
			function("optional.ofNonZeroValue", "Returns an optional that holds a value, or none if it is null, false, zero or empty.",
				Overload{ID: "optional_ofNonZeroValue", Args: args(v), Result: optional,
					Examples: []Example{
						{Expr: `optional.ofNonZeroValue('').hasValue()`, Want: `false`},
						{Expr: `optional.ofNonZeroValue('a').hasValue()`, Want: `true`},
					}}),
			function("optional.none", "Returns the optional that holds nothing.",
				Overload{ID: "optional_none", Args: args(), Result: optional,
					Examples: []Example{{Expr: `optional.none().hasValue()`, Want: `false`}}}),
			function("value", "Returns the value that an optional holds. It must hold one.",
				Overload{ID: "optional_value", Member: true, Args: args(optional), Result: v,
					Examples: []Example{
						{Expr: `optional.of('a').value()`, Want: `'a'`},
						{Expr: `optional.none().value()`, Err: "optional.none() dereference"},
					}}),
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
				Overload{ID: "select_optional_field", Args: args(cel.DynType, cel.StringType), Result: optional,
					Examples: []Example{{Expr: `{'a': 1}.?b.orValue(2)`, Want: `2`}}}),
			function("_[?_]", "Selects an element or key that may be missing: `list[?index]`.",
				Overload{ID: "list_optindex_optional_int", Args: args(list, cel.IntType), Result: optional,
					Examples: []Example{{Expr: `[1][?1].hasValue()`, Want: `false`}}},
				Overload{ID: "optional_list_optindex_optional_int", Args: args(cel.OptionalType(list), cel.IntType), Result: optional,
					Examples: []Example{{Expr: `optional.of([1])[?0].value()`, Want: `1`}}},
				Overload{ID: "map_optindex_optional_value", Args: args(cel.MapType(k, v), k), Result: optional,
					Examples: []Example{{Expr: `{'a': 1}[?'b'].hasValue()`, Want: `false`}}},
				Overload{ID: "optional_map_optindex_optional_value", Args: args(cel.OptionalType(cel.MapType(k, v)), k), Result: optional,
					Examples: []Example{{Expr: `optional.of({'a': 1})[?'a'].value()`, Want: `1`}}}),
			function("_[_]", "Selects from an optional list or map: the result is optional too.",
				Overload{ID: "optional_list_index_int", Args: args(cel.OptionalType(list), cel.IntType), Result: optional,
					Examples: []Example{{Expr: `optional.of([1])[0].value()`, Want: `1`}}},
				Overload{ID: "optional_map_index_value", Args: args(cel.OptionalType(cel.MapType(k, v)), k), Result: optional,
					Examples: []Example{{Expr: `optional.of({'a': 1})['a'].value()`, Want: `1`}}}),
			function("first", "Returns the first element of a list, none if it is empty.",
				member("list_first", args(list), optional, cost.Model{},
					Example{Expr: `[1, 2].first().value()`, Want: `1`})),
			function("last", "Returns the last element of a list, none if it is empty.",
				member("list_last", args(list), optional, cost.Model{},
					Example{Expr: `[1, 2].last().value()`, Want: `2`})),
			function("optional.unwrap", "Returns the values that the optionals of a list hold.",
				Overload{ID: "optional_unwrap", Args: args(cel.ListType(optional)), Result: list,
					Examples: []Example{{Expr: `optional.unwrap([optional.of(1), optional.none()])`, Want: `[1]`}}}),
			function("unwrapOpt", "Returns the values that the optionals of a list hold.",
				member("optional_unwrapOpt", args(cel.ListType(optional)), list, cost.Model{},
					Example{Expr: `[optional.of(1), optional.none()].unwrapOpt()`, Want: `[1]`})),
		},
		Macros: []Macro{
			{
				Name:     "optMap",
				Doc:      "Returns an optional with what an expression makes of the value, none if there is no value.",
				Usage:    []string{"<optional(V)>.optMap(x, <expr of x>) -> <optional(T)>"},
				Examples: []Example{{Expr: `optional.of(2).optMap(x, x * 2).value()`, Want: `4`}},
			},
			{
				Name:     "optFlatMap",
				Doc:      "Returns the optional that an expression makes of the value, none if there is no value.",
				Usage:    []string{"<optional(V)>.optFlatMap(x, <optional expr of x>) -> <optional(T)>"},
				Examples: []Example{{Expr: `optional.of({'a': 1}).optFlatMap(x, x[?'b']).hasValue()`, Want: `false`}},
			},
		},
	}
}

var errNoDuration = errors.New("type conversion error from 'int' to 'google.protobuf.Duration'")

// integerDurations is what cel-go dropped between the versions of Kubernetes
// 1.36 and 1.37. It type-checks, and always fails.
func integerDurations() Library {
	return Library{
		Name:       "cel.durations",
		Doc:        "Takes integers for durations, of which none is valid.",
		lastServer: release.Minor(36),
		Functions: []Function{{
			Name: "duration",
			Doc:  "Fails: no integer is a duration.",
			Overloads: []Overload{{
				ID: "int64_to_duration", Args: args(cel.IntType), Result: cel.DurationType,
				Impl: Unary(func(types.Int) (types.Duration, error) {
					return types.Duration{}, errNoDuration
				}),
				Cost:     cost.Fixed(1),
				Examples: []Example{{Expr: `duration(size('abc'))`, Err: errNoDuration.Error()}},
			}},
		}},
	}
}

// twoVariables is the library of comprehensions over indexes and elements of
// lists, or keys and values of maps.
func twoVariables() Library {
	const overList, overMap = "<list>.", "<map>."
	forms := func(call string) []string { return []string{overList + call, overMap + call} }
	k, v := cel.TypeParamType("K"), cel.TypeParamType("V")
	entries := cel.MapType(k, v)
	return Library{
		Name:  "cel.comprehensions",
		Doc:   "Comprehensions with two variables: the index and element of a list, or the key and value of a map.",
		since: release.Minor(32),
		Functions: []Function{{
			Name: "cel.@mapInsert",
			Doc:  "Returns a map with more entries; transformMap and transformMapEntry call it.",
			Overloads: []Overload{
				{ID: "@mapInsert_map_key_value", Args: args(entries, k, v), Result: entries,
					Examples: []Example{{Expr: `[5].transformMap(i, x, x)`, Want: `{0: 5}`}}},
				{ID: "@mapInsert_map_map", Args: args(entries, entries), Result: entries,
					Examples: []Example{{Expr: `[5].transformMapEntry(i, x, {x: i})`, Want: `{5: 0}`}}},
			},
		}},
		Macros: []Macro{
			{
				Name: "all", Doc: "Tells whether a condition is true of every entry.", Usage: forms("all(k, v, <condition>) -> <bool>"),
				Examples: []Example{{Expr: `[0, 1].all(i, x, i == x)`, Want: `true`}},
			},
			{
				Name: "exists", Doc: "Tells whether a condition is true of some entry.", Usage: forms("exists(k, v, <condition>) -> <bool>"),
				Examples: []Example{{Expr: `{'a': 1}.exists(k, v, k == 'a' && v == 2)`, Want: `false`}},
			},
			{
				Name: "existsOne", Doc: "Tells whether a condition is true of exactly one entry.",
				Usage:    append(forms("existsOne(k, v, <condition>) -> <bool>"), forms("exists_one(k, v, <condition>) -> <bool>")...),
				Examples: []Example{{Expr: `[1, 1].existsOne(i, x, x == 1)`, Want: `false`}},
			},
			{
				Name: "transformList", Doc: "Returns a list with a value made of each entry, or of each of which a filter is true.",
				Usage: append(forms("transformList(k, v, <expr>) -> <list>"), forms("transformList(k, v, <filter>, <expr>) -> <list>")...),
				Examples: []Example{
					{Expr: `[3, 4].transformList(i, x, i + x)`, Want: `[3, 5]`},
					{Expr: `[3, 4].transformList(i, x, i > 0, x)`, Want: `[4]`},
				},
			},
			{
				Name: "transformMap", Doc: "Returns a map with the same keys and a value made of each entry, or of each of which a filter is true.",
				Usage:    append(forms("transformMap(k, v, <expr>) -> <map>"), forms("transformMap(k, v, <filter>, <expr>) -> <map>")...),
				Examples: []Example{{Expr: `{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)`, Want: `{'b': 4}`}},
			},
			{
				Name: "transformMapEntry", Doc: "Returns a map of the entries made of each entry, or of each of which a filter is true. A key made twice is an error.",
				Usage: append(forms("transformMapEntry(k, v, <map>) -> <map>"), forms("transformMapEntry(k, v, <filter>, <map>) -> <map>")...),
				Examples: []Example{
					{Expr: `{'a': 'x'}.transformMapEntry(k, v, {v: k})`, Want: `{'x': 'a'}`},
					{Expr: `['a', 'a'].transformMapEntry(i, x, {x: i})`, Err: "insert failed: key a already exists"},
				},
			},
		},
		Options: []cel.EnvOption{ext.TwoVarComprehensions()},
	}
}
