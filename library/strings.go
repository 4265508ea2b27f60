package library

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// stringsV0 is the library of string functions as it was before Kubernetes 1.29:
// without format and strings.quote.
func stringsV0() Library {
	return Library{
		Name:      "cel.strings",
		Doc:       "Searches, cuts and transforms strings. Positions count characters from zero.",
		until:     release.Minor(29),
		Functions: stringFunctions(),
		Options:   []cel.EnvOption{ext.Strings(ext.StringsVersion(0))},
	}
}

// stringsLibrary is the library of string functions as it is since Kubernetes 1.29.
func stringsLibrary() Library {
	return Library{
		Name:  "cel.strings",
		Doc:   "Searches, cuts, transforms and formats strings. Positions count characters from zero.",
		since: release.Minor(29),
		Functions: append(stringFunctions(),
			function("format", "Formats a list of values by a string with clauses: %s, %d, %f, %e, %b, %x, %X and %o, with a precision as in %.2f, and %% for a percent sign.",
				member("string_format", args(cel.StringType, cel.ListType(cel.DynType)), cel.StringType, cost.Model{},
					Example{Expr: `'%d of %s'.format([3, 'four'])`, Want: `'3 of four'`},
					Example{Expr: `'%x'.format(['ab'])`, Want: `'6162'`},
					Example{Expr: `'%d'.format(['ab'])`, Err: "error during formatting"})),
			function("strings.quote", "Returns a string in double quotes, with what cannot stand between them escaped.",
				global("strings_quote", args(cel.StringType), cel.StringType, cost.Model{},
					Example{Expr: `strings.quote('say "hi"')`, Want: `'"say \\"hi\\""'`})),
		),
		Options: []cel.EnvOption{ext.Strings(ext.StringsVersion(2))},
	}
}

// stringFunctions are the functions of both versions.
func stringFunctions() []Function {
	var (
		str, num = cel.StringType, cel.IntType
		search   = cost.Traversal(0, cost.StringFactor)
		// The estimate takes the results to be as long as the string.
		transform = cost.Scan(cost.Arg(0)).Yields(cost.Arg(0))
		// Reading the string, and writing the result.
		rewrite  = cost.Scaled(cost.Arg(0), 2*cost.StringFactor)
		replaced = rewrite.Yields(cost.Computed("", replacedSize, nil))
		split    = rewrite.Yields(cost.Computed("", splitSize, nil))
	)
	return []Function{
		function("charAt", "Returns the character at a position; at the end of the string it is empty.",
			member("string_char_at_int", args(str, num), str, cost.Model{},
				Example{Expr: `'hello'.charAt(4)`, Want: `'o'`},
				Example{Expr: `'hello'.charAt(5)`, Want: `''`},
				Example{Expr: `'hello'.charAt(6)`, Err: "index out of range: 6"})),
		function("indexOf", "Returns the first position of a string in another, -1 if it is not there. The empty string is everywhere. A third argument is where the search begins.",
			member("string_index_of_string", args(str, str), num, search,
				Example{Expr: `'hello mellow'.indexOf('ello')`, Want: `1`},
				Example{Expr: `'hello mellow'.indexOf('jello')`, Want: `-1`}),
			member("string_index_of_string_int", args(str, str, num), num, search,
				Example{Expr: `'hello mellow'.indexOf('ello', 2)`, Want: `7`},
				Example{Expr: `'hello mellow'.indexOf('ello', 20)`, Want: `-1`},
				Example{Expr: `'hello mellow'.indexOf('ello', -1)`, Err: "index out of range: -1"})),
		function("lastIndexOf", "Returns the last position of a string in another, -1 if it is not there. A third argument is the last position to look at.",
			member("string_last_index_of_string", args(str, str), num, search,
				Example{Expr: `'hello mellow'.lastIndexOf('ello')`, Want: `7`},
				Example{Expr: `'hello mellow'.lastIndexOf('jello')`, Want: `-1`}),
			member("string_last_index_of_string_int", args(str, str, num), num, search,
				Example{Expr: `'hello mellow'.lastIndexOf('ello', 6)`, Want: `1`},
				Example{Expr: `'hello mellow'.lastIndexOf('ello', -1)`, Err: "index out of range: -1"})),
		function("lowerAscii", "Returns a string with its ASCII letters in lower case.",
			member("string_lower_ascii", args(str), str, transform,
				Example{Expr: `'TacoCÆt'.lowerAscii()`, Want: `'tacocÆt'`})),
		function("replace", "Returns a string with each occurrence of another replaced, or at most as many as a fourth argument says if it is not negative. The empty string occurs before each character and at the end.",
			member("string_replace_string_string", args(str, str, str), str, replaced,
				Example{Expr: `'hello hello'.replace('he', 'we')`, Want: `'wello wello'`},
				Example{Expr: `'ab'.replace('', '_')`, Want: `'_a_b_'`}),
			member("string_replace_string_string_int", args(str, str, str, num), str, replaced,
				Example{Expr: `'hello hello'.replace('he', 'we', 1)`, Want: `'wello hello'`},
				Example{Expr: `'hello hello'.replace('he', 'we', -1)`, Want: `'wello wello'`})),
		function("split", "Returns the parts of a string between separators, or at most as many as a third argument says if it is not negative. An empty separator splits into characters.",
			member("string_split_string", args(str, str), cel.ListType(str), split,
				Example{Expr: `'a,b,c'.split(',')`, Want: `['a', 'b', 'c']`},
				Example{Expr: `'abc'.split('')`, Want: `['a', 'b', 'c']`}),
			member("string_split_string_int", args(str, str, num), cel.ListType(str), split,
				Example{Expr: `'a,b,c'.split(',', 2)`, Want: `['a', 'b,c']`},
				Example{Expr: `'a,b,c'.split(',', 0)`, Want: `[]`})),
		function("substring", "Returns the part of a string from a position to its end, or to before a second position.",
			member("string_substring_int", args(str, num), str, transform,
				Example{Expr: `'tacocat'.substring(4)`, Want: `'cat'`},
				Example{Expr: `'tacocat'.substring(-1)`, Err: "index out of range: -1"}),
			member("string_substring_int_int", args(str, num, num), str, transform,
				Example{Expr: `'tacocat'.substring(0, 4)`, Want: `'taco'`},
				Example{Expr: `'tacocat'.substring(4, 2)`, Err: "invalid substring range. start: 4, end: 2"})),
		function("trim", "Returns a string without the white space, as Unicode defines it, at its ends.",
			member("string_trim", args(str), str, transform,
				Example{Expr: `'  trim\n '.trim()`, Want: `'trim'`})),
		function("upperAscii", "Returns a string with its ASCII letters in upper case.",
			member("string_upper_ascii", args(str), str, transform,
				Example{Expr: `'TacoCæt'.upperAscii()`, Want: `'TACOCæT'`})),
		function("join", "Returns the strings of a list one after the other, with the argument between them if there is one.",
			member("list_join", args(cel.ListType(str)), str, joined(),
				Example{Expr: `['x', 'y'].join()`, Want: `'xy'`},
				Example{Expr: `[].join()`, Want: `''`}),
			member("list_join_string", args(cel.ListType(str), str), str, joined(),
				Example{Expr: `['x', 'y'].join(', ')`, Want: `'x, y'`})),
	}
}

// replacedSize estimates the result of str.replace(old, new). It ignores a limit to
// the number of replacements.
func replacedSize(operands []cost.Operand) cost.Range {
	str, old, repl := operands[0].Size(), operands[1].Size(), operands[2].Size()
	var count, kept cost.Range // replacements, and what of str stays besides

	switch {
	case old.Min == 0: // the replacement may surround every character
		count.Max, kept.Max = str.Add(cost.Exactly(1)).Max, str.Max
	case repl.Max <= old.Min: // the result is not longer
		kept.Max = str.Max
	default: // as many as there is room for
		count.Max = quotient(str.Max, old.Min)
	}
	switch {
	case old.Max == 0:
		count.Min, kept.Min = str.Add(cost.Exactly(1)).Min, str.Min
	case old.Max <= repl.Min: // the result is not shorter
		kept.Min = str.Min
	default:
		count.Min = quotient(str.Min, old.Max)
	}
	return count.Mul(repl).Add(kept)
}

// quotient divides in floating point, as an API server does, and rounds up.
func quotient(x, y uint64) uint64 {
	q := math.Ceil(float64(x) / float64(y))
	if q >= math.MaxUint64 {
		return math.MaxUint64
	}
	return uint64(q)
}

// splitSize estimates the number of parts of str.split(separator, limit): one for
// each character, or the limit if it is a literal. A negative limit, which means no
// limit, wraps around to a huge number.
func splitSize(operands []cost.Operand) cost.Range {
	most := operands[0].Size().Max
	if len(operands) > 2 {
		if limit := operands[2].Literal(); limit != nil {
			if n, ok := limit.Value().(int64); ok {
				most = uint64(n)
			}
		}
	}
	return cost.Range{Max: most}
}

// joined prices join by the size of the result. The estimate counts writing the
// result, the evaluation also reading it. So a call can cost more than its estimate.
func joined() cost.Model {
	result := cost.Computed(resultText, joinedSize, resultSize)
	return cost.Split(
		cost.Scan(result).Yields(result),
		cost.Scaled(result, 2*cost.StringFactor),
	).Doubted(doubtfulPrice)
}

const doubtfulPrice = "join and distinct cost more in an evaluation than they are estimated at"

// joinedSize estimates the result of list.join(separator). If the element type of
// the list is unknown, it counts only the separators.
func joinedSize(operands []cost.Operand) cost.Range {
	var size cost.Range
	list := operands[0].Size()
	if elem := operands[0].Elem(); elem != nil {
		size = list.Mul(elem.Size())
	}
	if len(operands) > 1 {
		gaps := cost.Range{Min: max(list.Min, 1) - 1, Max: max(list.Max, 1) - 1}
		size = size.Add(operands[1].Size().Mul(gaps))
	}
	return size
}
