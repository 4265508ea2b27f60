package compile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// habits are names of functions that other languages have, and what to write.
var habits = map[string]string{
	"any": "write exists(x, ...)", "some": "write exists(x, ...)", "every": "write all(x, ...)", "forEach": "write all(x, ...) or map(x, ...)",
	"length": "write size()", "len": "write size(...)", "count": "write filter(x, ...).size()", "isEmpty": "write size() == 0",
	"is_null": "write == null", "isNull": "write == null", "exist": "write exists(x, ...) or has(...)", "defined": "write has(...)",
	"lower": "write lowerAscii()", "toLower": "write lowerAscii()", "toLowerCase": "write lowerAscii()",
	"upper": "write upperAscii()", "toUpper": "write upperAscii()", "toUpperCase": "write upperAscii()",
	"match": "write matches('...')", "regex": "write matches('...')", "test": "write matches('...')",
	"parseInt": "write int(...)", "toInt": "write int(...)", "toString": "write string(...)", "str": "write string(...)",
	"number": "write int(...) or double(...)", "float": "write double(...)", "typeof": "write type(...)",
	"now": "rules know no current time", "reduce": "write sum(), map(x, ...) or filter(x, ...)", "hasKey": "write 'key' in x", "containsKey": "write 'key' in x",
	"append": "write x + [...]", "concat": "write x + y", "slice": "write substring(...) for text", "substr": "write substring(...)", "strip": "write trim()",
}

// names are what other languages call values that CEL has, by lower case.
var names = map[string]string{
	"true": "true", "false": "false", "null": "null", "nil": "null", "none": "null", "undefined": "null",
}

// otherwise are variables of other kinds of expressions, and those that rules have.
var otherwise = map[string][]string{
	"this": {Self, "object"}, "it": {Self, "object"}, "object": {Self}, "self": {"object"},
	"oldObject": {OldSelf}, OldSelf: {"oldObject"}, "old": {OldSelf, "oldObject"},
}

// functionSlip is the hint for a call of a function that no release has.
func (s *Scope) functionSlip(call celast.CallExpr) string {
	name := call.FunctionName()
	forms := s.env.macroForms(name)
	switch {
	case name == operators.Has:
		return "write has(x.field)"
	case len(forms) > 0:
		return "write " + strings.Join(forms, " or ")
	case habits[name] != "":
		return habits[name]
	}
	var candidates []string
	for known, f := range s.env.functions() {
		if !unicode.IsLetter(rune(known[0])) || max(len(known)-len(name), len(name)-len(known)) > maxEdits {
			continue
		}
		for _, o := range f.OverloadDecls() {
			if o.IsMemberFunction() == call.IsMemberFunction() {
				candidates = append(candidates, known)
				break
			}
		}
	}
	for _, m := range s.env.cel.Macros() {
		if m.IsReceiverStyle() == call.IsMemberFunction() {
			candidates = append(candidates, m.Function())
		}
	}
	if hint := didYouMean(name, candidates, "()"); hint != "" {
		return hint
	}
	return habits[nearest(name, slices.Collect(maps.Keys(habits)))]
}

// macroForms are the usages of a macro whose arguments were not those of a call.
func (e *Env) macroForms(name string) (forms []string) {
	for _, m := range e.cel.Macros() {
		if m.Function() != name || m.ArgCount() < 2 {
			continue
		}
		form := "list." + name + "(x, ...)"
		if m.ArgCount() == 3 {
			form = "list." + name + "(x, ..., ...)"
		}
		forms = append(forms, form)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// nameSlip is the hint for a name that no variable has.
func (s *Scope) nameSlip(ident string) string {
	if value, ok := names[strings.ToLower(ident)]; ok {
		return "write " + value
	}
	var candidates []string
	for _, v := range s.vars {
		candidates = append(candidates, v.Name())
	}
	for _, other := range otherwise[ident] {
		if slices.Contains(candidates, other) {
			return fmt.Sprintf("the variable here is %s", other)
		}
	}
	return didYouMean(ident, candidates, "")
}

// didYouMean names the candidate that differs in case alone or is nearest. Suffix
// stands behind it.
func didYouMean(name string, candidates []string, suffix string) string {
	if near := nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %s?", near+suffix)
	}
	return ""
}

// scalars are the types with a conversion to text.
var scalars = map[types.Kind]bool{types.IntKind: true, types.UintKind: true, types.DoubleKind: true, types.BoolKind: true,
	types.BytesKind: true, types.DurationKind: true, types.TimestampKind: true}

var numbers = map[types.Kind]bool{types.IntKind: true, types.UintKind: true, types.DoubleKind: true}

// overloadSlip is the hint for a call whose arguments have the wrong types.
func (s *Scope) overloadSlip(call celast.CallExpr, typeOf map[int64]*types.Type) string {
	args := call.Args()
	if call.IsMemberFunction() {
		args = append([]celast.Expr{call.Target()}, args...)
	}
	kinds := make([]types.Kind, len(args))
	for i, a := range args {
		if t := typeOf[a.ID()]; t != nil {
			kinds[i] = t.Kind()
		}
	}
	if hint := s.styleSlip(call, len(args)); hint != "" || len(args) == 0 {
		return hint
	}
	if len(args) == 1 {
		if call.FunctionName() == "size" && kinds[0] == types.StructKind {
			return "an object has no size; has(x.field) tells whether a field is set"
		}
		return ""
	}
	return operandSlip(call.FunctionName(), kinds[0], kinds[1])
}

// styleSlip is the hint for a function that is called as a member and is none, or
// the other way round.
func (s *Scope) styleSlip(call celast.CallExpr, args int) string {
	name, other := call.FunctionName(), false
	if !unicode.IsLetter(rune(name[0])) {
		return ""
	}
	for _, o := range s.env.functions()[name].OverloadDecls() {
		if o.IsMemberFunction() == call.IsMemberFunction() {
			return ""
		}
		other = other || len(o.ArgTypes()) == args
	}
	switch {
	case !other:
		return ""
	case call.IsMemberFunction():
		return fmt.Sprintf("%s is no member: write %s(x)", name, name)
	}
	return fmt.Sprintf("%s is called on its first argument: write x.%s(...)", name, name)
}

// operandSlip is the hint for operands whose types do not go together.
func operandSlip(function string, left, right types.Kind) string {
	pair := func(kind types.Kind) (other types.Kind, ok bool) {
		if left == kind {
			return right, left != right
		}
		return left, right == kind && left != right
	}
	_, isOperator := operators.FindReverse(function)
	compares := function == operators.Equals || function == operators.NotEquals
	switch {
	case function == operators.In && left == types.StringKind && right == types.StringKind:
		return "in looks into lists and maps: write text.contains(part)"
	case function == operators.Index && left == types.StringKind:
		return "a string has no index: write charAt(i) or substring(i, j)"
	case !isOperator || function == operators.Index || function == operators.In:
		return ""
	}
	if _, ok := pair(types.TypeKind); ok && compares {
		return "compare with the type itself, such as type(x) == string"
	}
	if other, ok := pair(types.DurationKind); ok && (numbers[other] || other == types.StringKind) {
		return "write a duration, such as duration('60s')"
	}
	if other, ok := pair(types.TimestampKind); ok && other == types.StringKind {
		return "write a timestamp, such as timestamp('2006-01-02T15:04:05Z')"
	}
	if other, ok := pair(types.StringKind); ok && scalars[other] {
		if function == operators.Add {
			return "make text of it: '%s'.format([x]) or string(x)"
		}
		return "convert one of them, such as by string(x)"
	}
	if numbers[left] && numbers[right] && left != right {
		return "convert one of the numbers: double(x) or int(x)"
	}
	if other, ok := pair(types.NullTypeKind); ok && scalars[other] || ok && other == types.StringKind {
		return "the value is never null: has(x.field) tells whether a field is set"
	}
	return ""
}

const hasArgument = "has takes the selection of a field: has(x.field)"

// openHas finds the argument of has that ends a text.
var openHas = regexp.MustCompile(`\bhas\([\w.]*$`)

// words are operators of other languages.
var words = map[string]string{
	"and": "write &&", "or": "write ||", "not": "write !", "is": "write ==", "like": "write matches('...') or contains('...')",
	"if": "write condition ? a : b", "then": "write condition ? a : b", "else": "write condition ? a : b", "between": "write a <= x && x <= b",
	"for": "write all(x, ...), exists(x, ...) or map(x, ...)", "function": "an expression declares no functions", "var": "an expression declares no variables",
	"let": "an expression declares no variables", "return": "an expression is its result",
}

// symbols are what is written around the place of a syntax error: the end of what
// stands before it, and the beginning of what stands there. The first that fits counts.
var symbols = []struct{ before, after, hint string }{
	{"has(", "", hasArgument},
	{"", "=~", "write matches('...')"},
	{"", "=>", "write the variable and the predicate as arguments: all(x, ...)"},
	{"-", ">", "write the variable and the predicate as arguments: all(x, ...)"},
	{"<", ">", "write !="},
	{"=", "=", "write == to compare"},
	{"+", "+", "an expression changes nothing"},
	{"-", "-", "an expression changes nothing"},
	{"+", "=", "an expression changes nothing"},
	{"?", "?", "write has(x.field) ? x.field : other"},
	{"", "=", "write == to compare"},
	{"", "&", "write &&"},
	{"", "|", "write ||"},
	{"", "$", "names have no $"},
	{"", "#", "comments begin with //"},
	{"", ";", "an expression has no statements"},
	{"", "'", "the text in quotes does not end"},
	{"", `"`, "the text in quotes does not end"},
	{"", "/", "a regular expression stands in quotes: matches('a+')"},
}

// syntaxSlip is the hint for what stands around the place of a syntax error.
func syntaxSlip(before, after string) string {
	before, after = strings.TrimRightFunc(before, unicode.IsSpace), strings.TrimLeftFunc(after, unicode.IsSpace)
	for _, word := range []string{leading(after), trailing(before)} {
		if hint := words[strings.ToLower(word)]; hint != "" {
			return hint
		}
	}
	if strings.HasPrefix(after, "[") && openHas.MatchString(before) {
		return hasArgument
	}
	for _, s := range symbols {
		if strings.HasSuffix(before, s.before) && strings.HasPrefix(after, s.after) {
			return s.hint
		}
	}
	if after == "" {
		return unfinished(before)
	}
	return ""
}

func leading(text string) string {
	if i := strings.IndexFunc(text, notLetter); i >= 0 {
		return text[:i]
	}
	return text
}

func trailing(text string) string { return text[strings.LastIndexFunc(text, notLetter)+1:] }

func notLetter(r rune) bool {
	return !unicode.IsLetter(r) && r != '_' && r != '.' && !unicode.IsDigit(r)
}

// unfinished says what is missing at the end of an expression.
func unfinished(text string) string {
	closing := map[rune]rune{'(': ')', '[': ']', '{': '}'}
	var open []rune
	var quote rune
	for _, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case closing[r] != 0:
			open = append(open, closing[r])
		case len(open) > 0 && r == open[len(open)-1]:
			open = open[:len(open)-1]
		}
	}
	switch {
	case quote != 0:
		return ""
	case len(open) > 0:
		return fmt.Sprintf("a %c is missing", open[len(open)-1])
	}
	for _, operator := range []string{"&&", "||", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "!", ".", ",", "?"} {
		if strings.HasSuffix(text, operator) {
			return fmt.Sprintf("something is missing after %s", operator)
		}
	}
	return ""
}
