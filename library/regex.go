package library

import (
	"fmt"
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
)

// regexLibrary is the library that finds matches of regular expressions (RE2).
func regexLibrary() Library {
	price := cost.Regex(cost.Arg(0), cost.Arg(1)).Yields(cost.Computed("", func(operands []cost.Operand) cost.Range {
		return cost.Range{Max: operands[0].Size().Max}
	}, nil))
	return Library{
		Name: "kubernetes.regex",
		Doc:  "Finds the parts of a string that match a regular expression.",
		Functions: []Function{
			function("find", "Returns the first match of a regular expression in a string, or the empty string if there is none.",
				member("string_find_string", args(cel.StringType, cel.StringType), cel.StringType, price).by(
					Binary(func(str, pattern types.String) (ref.Val, error) { return match(find, str, pattern, -1) }),
					Example{Expr: `'abc 123'.find('[0-9]+')`, Want: `'123'`},
					Example{Expr: `'abc 123'.find('xyz')`, Want: `''`},
					Example{Expr: `'abc'.find('(')`, Err: "missing closing )"})),
			function("findAll", "Returns all matches of a regular expression in a string, at most as many as the limit says if there is one that is not negative.",
				member("string_find_all_string", args(cel.StringType, cel.StringType), cel.ListType(cel.StringType), price).by(
					Binary(func(str, pattern types.String) (ref.Val, error) { return match(findAll, str, pattern, -1) }),
					Example{Expr: `'123 abc 456'.findAll('[0-9]+')`, Want: `['123', '456']`},
					Example{Expr: `'123 abc 456'.findAll('xyz')`, Want: `[]`}),
				member("string_find_all_string_int", args(cel.StringType, cel.StringType, cel.IntType), cel.ListType(cel.StringType), price).by(
					Ternary(func(str, pattern types.String, limit types.Int) (ref.Val, error) {
						return match(findAll, str, pattern, limit)
					}),
					Example{Expr: `'123 abc 456'.findAll('[0-9]+', 1)`, Want: `['123']`},
					Example{Expr: `'123 abc 456'.findAll('[0-9]+', -1)`, Want: `['123', '456']`})),
		},
		regexes: []declare.Regex{constantRegex("find", find), constantRegex("findAll", findAll)},
	}
}

// A matcher returns the matches in a string, at most as many as the limit says if it
// is not negative.
type matcher func(re *regexp.Regexp, str string, limit int) ref.Val

func find(re *regexp.Regexp, str string, _ int) ref.Val { return types.String(re.FindString(str)) }

func findAll(re *regexp.Regexp, str string, limit int) ref.Val {
	return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(str, limit))
}

func match(with matcher, str, pattern types.String, limit types.Int) (ref.Val, error) {
	re, err := regexp.Compile(string(pattern))
	if err != nil {
		return nil, fmt.Errorf("Illegal regex: %w", err)
	}
	return with(re, string(str), int(limit)), nil
}

// constantRegex compiles the pattern of a call once, when the program is
// planned. The limit of a call without one is negative.
func constantRegex(function string, with matcher) declare.Regex {
	return declare.Regex{Function: function, Index: 1, Compile: func(pattern string) (functions.FunctionOp, error) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		return func(args ...ref.Val) ref.Val {
			str, ok := args[0].(types.String)
			if !ok {
				return types.MaybeNoSuchOverloadErr(args[0])
			}
			limit := types.Int(-1)
			if len(args) > 2 {
				if limit, ok = args[2].(types.Int); !ok {
					return types.MaybeNoSuchOverloadErr(args[2])
				}
			}
			return with(re, string(str), int(limit))
		}, nil
	}}
}
