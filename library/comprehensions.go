package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// comprehensionsLibrary is the library of comprehensions over indexes and elements
// of lists, or keys and values of maps.
func comprehensionsLibrary() Library {
	const overList, overMap = "<list>.", "<map>."
	forms := func(call string) []string { return []string{overList + call, overMap + call} }
	k, v := cel.TypeParamType("K"), cel.TypeParamType("V")
	entries := cel.MapType(k, v)
	return Library{
		Name:  "cel.comprehensions",
		Doc:   "Comprehensions with two variables: the index and element of a list, or the key and value of a map.",
		since: release.Minor(32),
		Functions: []Function{
			function("cel.@mapInsert", "Returns a map with more entries; transformMap and transformMapEntry call it.",
				global("@mapInsert_map_key_value", args(entries, k, v), entries, cost.Model{},
					Example{Expr: `[5].transformMap(i, x, x)`, Want: `{0: 5}`}),
				global("@mapInsert_map_map", args(entries, entries), entries, cost.Model{},
					Example{Expr: `[5].transformMapEntry(i, x, {x: i})`, Want: `{5: 0}`})),
		},
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
