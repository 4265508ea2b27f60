package parse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"

	"github.com/kubecel/kubecel/internal/parse"
	"github.com/kubecel/kubecel/internal/parse/judge"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// sides are a parser and the one of cel-go that judges it.
type sides struct {
	name  string
	ours  *parse.Parser
	judge *parser.Parser
}

// all are parsers for all that a syntax can have, and for nothing but macros.
func all(t testing.TB) []sides {
	t.Helper()
	var options []cel.EnvOption
	for _, lib := range library.For(release.Newest(), release.Newest()) {
		options = append(options, lib.EnvOption())
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatal(err)
	}
	macros := append(env.Macros(), ownMacros()...)
	var both []sides
	for _, on := range []bool{true, false} {
		judge, err := parser.NewParser(parser.Macros(macros...), parser.EnableOptionalSyntax(on), parser.EnableIdentEscapeSyntax(on))
		if err != nil {
			t.Fatal(err)
		}
		ours := parse.New(parse.Syntax{Macros: macros, Optionals: on, Backquotes: on})
		both = append(both, sides{map[bool]string{true: "full", false: "plain"}[on], ours, judge})
	}
	return both
}

// ownMacros use all that a helper of macros has, which no library does.
func ownMacros() []parser.Macro {
	return []parser.Macro{
		parser.NewGlobalVarArgMacro("copied", func(h parser.ExprHelper, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			var copies []ast.Expr
			for _, arg := range args {
				copies = append(copies, h.Copy(arg), arg)
			}
			return h.NewList(copies...), nil
		}),
		parser.NewReceiverVarArgMacro("built", func(h parser.ExprHelper, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			if len(args) == 0 {
				return nil, nil
			}
			at := h.OffsetLocation(args[0].ID())
			fields := []ast.EntryExpr{h.NewStructField(fmt.Sprint(at.Line(), " ", at.Column()), args[0], len(args) > 1)}
			entries := []ast.EntryExpr{h.NewMapEntry(h.NewIdent("i"), h.NewStruct("T", fields...), true)}
			return h.NewMemberCall("m", h.NewSelect(target, "f"), h.NewPresenceTest(h.NewMap(entries...), "g")), nil
		}),
		parser.NewGlobalMacro("refused", 1, func(h parser.ExprHelper, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			return nil, h.NewError(args[0].ID(), "refused")
		}),
	}
}

// compare tells whether both accept a text, and fails if ours accepts what the judge
// does not, or if the trees differ.
func (s sides) compare(t testing.TB, text string) (ours, judge bool) {
	t.Helper()
	want, judge := s.verdict(text)
	got, ours := s.ours.Parse(text)
	switch {
	case !ours:
	case !judge:
		t.Errorf("%s: %q is parsed, and not by cel-go", s.name, text)
	default:
		if d := judgment(got, want); d != "" {
			t.Errorf("%s: %q: %s", s.name, text, d)
		}
	}
	return ours, judge
}

// verdict is what cel-go says. Its parser panics if a macro copies what has errors.
func (s sides) verdict(text string) (parsed *ast.AST, ok bool) {
	defer func() {
		if recover() != nil {
			parsed, ok = nil, false
		}
	}()
	parsed, errs := s.judge.Parse(common.NewTextSource(text))
	return parsed, len(errs.GetErrors()) == 0
}

func judgment(got, want *ast.AST) string { return judge.Difference(got, want) }

// accepted are texts that the parser must accept where cel-go does: one line for each
// thing that could go wrong.
func accepted() []string {
	return []string{
		"a", ".a", "a.b.c", ".a.b", "a . b", "_x1", "null", "true", "false",
		"0", "00", "12345678901", "-1", "- 1", "- /*", "-\n1", "- // no\n 1", "--1", "---1", "- - 1", "-a", "--a", "---a", "- -a", "-1.a()", "-1[0]",
		"0x1F", "-0x1f", "0xau", "1u", "2U", "1.5", "1e5", "1E+5", "1.5e-3", ".5", "-.5", "-1.5", "1.a", "1.5.a", "9223372036854775807",
		"-9223372036854775808", "18446744073709551615u", "1e308", "-0", "-0.0", "1-1", "1 -1", "a- -1", "a--1", "a---1",
		"!a", "!!a", "!!!a", "! ! a", "!-1", "!a.b", "!(a)", "-(1)", "-(-1)",
		"a+b*c-d/e%f", "a*b+c", "a-b-c", "a/b/c", "(a+b)*c", "a<b", "a<=b", "a>b", "a>=b", "a==b", "a!=b", "a in b", "a in b in c", "a<b<c",
		"a+b<c*d", "a<b+c==d", "a&&b", "a||b", "a&&b&&c", "a&&b&&c&&d", "a||b||c||d||e||f||g", "a&&b||c&&d", "a||b&&c||d", "(a||b)||c",
		"a?b:c", "a?b:c?d:e", "a||b?c&&d:e", "(a?b:c)?d:e", "a?(b?c:d):e", "a ? -1 : - 1",
		"f()", ".f()", "f(a)", "f(a,b,c)", "a.f()", "a.f(b)", "a.b.f(c).d", "f(a)(", "f(g(h(a)))", "a[0]", "a[b][c]", "a[b].c[d]", "a.in",
		"[]", "[,]", "[a]", "[a,]", "[a,b]", "[a,b,]", "[a,,]", "[[a],[]]", "{}", "{,}", "{a:b}", "{a:b,}", "{a:b,c:d}", "{a:b,,}", "{'a':{'b':1}}",
		"{a.all(x,x):b}", "{has(a.b):has(c.d)}", "T{}", "T{,}", "a.b.T{}", ".a.T{}", "T{a:1}", "T{a:1,}", "T{a:1,b:2}", "a.b.T{c:D{e:1}}", "T{a:1}.a", "in.T{}",
		"as.T{}", "T{as:1}", "T {a:1}", "a.T{`b-c`:1}", "T{?a:b}",
		`""`, `''`, `"a"`, `'a'`, `'"'`, `"'"`, `'\''`, `"\""`, `"\a\b\f\n\r\t\v\\\?\'\"` + "\\`" + `"`, `"\x41\X42\u00e9\U0001F600\101\377"`, `"ä€😀"`, `"\ud800"`,
		`"\U00110000"`, `"\400"`, `"\8"`, `r"\d"`, `R'\'`, `r"""a"b"""`, `"""a"b"""`, "\"\"\"a\nb\"\"\"", "'''a\r\nb\rc'''", "r'''a\r\n'''", `""""""`, `""""`, `"""""""`,
		`'''\''''`, `b"a"`, `B'\xff\377'`, `b"ä"`, `b"\u0041"`, `br"\x"`, `bR'''a'''`, `Br"a"`, `rb"a"`, "'a\nb'", `"a`, `b""`, `r""`,
		"a // comment\n+ b", "a // ä\n+ b.c", "// only", " \t\r\n\fa\n", "'ä' + b.c + 'ö'", "[a,\n b,\n\tc]\n.d", "'ä'\n+ a\n", "\n\na.b", "''\r+a", "a\r\n+b",
		"a.?b", "a.?b.c", "a.?b.?c[?d]", "a[?b]", "[?a]", "[a,?b,?c]", "{?a:b}", "{?a:?b}", "a.`b-c`", "a.`b`.c", "a.?`b/c`", "a.`b c.d`()", "`a`", "a.``", "a.`ä`",
		"has(a.b)", "has(a.b.c)", "has(a)", "has(a.?b)", "has(a.`b-c`)", "has(has(a.b).c)", "!has(a.b)", "has(a.b, c)", "a.has(b.c)", "has", "has(a.b)?1:2",
		"a.all(x,x)", "a.all(x,x>0&&x<2)", "a.exists(x,x)", "a.exists_one(x,x)", "a.existsOne(x,x)", "a.map(x,x)", "a.map(x,y,z)", "a.filter(x,x)", "a.all(x,b.all(y,x==y))",
		"a.all(x.y,z)", "a.all(1,z)", "a.all(x)", "a.all(x,y,z)", "a.all(__result__,true)", "a.map(x, x.map(y, [x,y])).filter(z, size(z)>1)", "all(a,b)", "a.all(x,x).b",
		"a.exists(k,v,k==v)", "a.existsOne(i,v,v)", "a.transformList(i,v,v)", "a.transformList(i,v,i>0,v)", "a.transformMap(k,v,v)", "a.transformMapEntry(k,v,{v:k})",
		"a.optMap(x,x+1)", "a.optFlatMap(x,x.?b)", "a.?b.optMap(x,x.c).orValue(d)", "a.optMap(1,x)", "cel.bind(x,a,x+x)", "cel.bind(x,a,cel.bind(y,b,x+y))", "cel.bind(1,a,b)",
		"a.bind(x,b,c)", "cel.bind(x, [1].map(y,y), x).all(z, has(z.w))", "a.sortBy(x,x.b)", "a.sortBy(1,x)", "copied(a.b[c], {d:e}, T{f:g}, has(h.i), j.all(k,k), 'l', m.n(o), [?p])",
		"copied()", "a.built()", "a.built(b)", "\n a\n .built(b, c)", "refused(a)", "copied(copied(a.b))", "a.built(b).built(c)", "copied({?a:b}, T{?c:d})",
		"if", "package.a", "a.package", "a.if", "f.true", "while(a)", ".for", "return", "a.namespace.b", "self.__namespace__", "1 2", "a b", "a.", "a..b", "(a", "a)", "", " ", "a..5",
		"a.5", "1..5", "a&b", "a|b", "a=b", "a===b", "a#b", "a ? b", "a:b", "f(a,)", "f(,)", "a[", "a[]", "a[b", "a[b,c]", "[a b]", "{a}", "{a:}", "{:a}", "T{1:2}", "T{a}", "a.f(b", "@result",
		"a;b", "0x", "0xg", "1ee", "1e", "1.5u", "99999999999999999999", "-9223372036854775809", "1e999", "18446744073709551616u", "-1u", "--1u", "'\x00'", "a\x00", "'a' 'b'",
		"a.b{c:d}", "a.b.c{}", "f().b{}", "(a){}", "a.`b`{}", "a.b{}.c{}",
	}
}

// TestSamples compares each sample in both syntaxes. The parser gives up only
// where cel-go finds an error.
func TestSamples(t *testing.T) {
	for _, s := range all(t) {
		for _, text := range accepted() {
			if ours, judge := s.compare(t, text); ours != judge {
				t.Errorf("%s: %q: accepted %v, by cel-go %v", s.name, text, ours, judge)
			}
		}
	}
}

// TestLimits compares where the limits of cel-go are near: the parser may give up early, and never late.
func TestLimits(t *testing.T) {
	for name, form := range map[string]func(n int) string{
		"parentheses": func(n int) string { return strings.Repeat("(", n) + "a" + strings.Repeat(")", n) },
		"lists":       func(n int) string { return strings.Repeat("[", n) + "a" + strings.Repeat("]", n) },
		"calls":       func(n int) string { return strings.Repeat("f(", n) + "a" + strings.Repeat(")", n) },
		"indices":     func(n int) string { return strings.Repeat("a[", n) + "a" + strings.Repeat("]", n) },
		"conditions":  func(n int) string { return strings.Repeat("a?b:", n) + "c" },
		"fields":      func(n int) string { return "a" + strings.Repeat(".b", n) },
		"members":     func(n int) string { return "a" + strings.Repeat(".f()", n) },
		"arguments":   func(n int) string { return strings.Repeat("a.f(", n) + "a" + strings.Repeat(")", n) },
		"sums":        func(n int) string { return "a" + strings.Repeat("+b", n) },
		"right sums":  func(n int) string { return strings.Repeat("a+(", n) + "b" + strings.Repeat(")", n) },
		"mixed": func(n int) string {
			return strings.Repeat("a+b*(", n/3) + "a" + strings.Repeat(".b", n/3) + strings.Repeat(")", n/3)
		},
		"relations": func(n int) string { return "a" + strings.Repeat("<b", n) },
		"terms":     func(n int) string { return "a" + strings.Repeat("&&b", n) },
		"signs":     func(n int) string { return strings.Repeat("!", n) + "a" },
		"macros":    func(n int) string { return strings.Repeat("a.all(x,", n) + "b" + strings.Repeat(")", n) },
		"has":       func(n int) string { return "has(a" + strings.Repeat(".b", n) + ")" },
	} {
		near := 0
		for _, s := range all(t)[:1] {
			for _, n := range []int{1, 30, 60, 82, 83, 84, 85, 100, 120, 123, 124, 125, 126, 127, 166, 240, 247, 248, 249, 250, 251, 252, 253, 400} {
				ours, judge := s.compare(t, form(n))
				if ours && n >= 30 {
					near++
				}
				if judge && !ours && n <= 60 {
					t.Errorf("%s: the parser gives up %d, which cel-go accepts", name, n)
				}
			}
		}
		if near == 0 {
			t.Errorf("%s: the parser accepts nothing long", name)
		}
	}
	if ours, _ := all(t)[0].compare(t, "'\xff'"); ours {
		t.Error("a text that is no UTF-8 is parsed; cel-go replaces what is none")
	}
	if _, ok := all(t)[0].ours.Parse("'" + strings.Repeat("a", 100_000) + "'"); ok {
		t.Error("a text of more than 100,000 bytes is parsed")
	}
}

// TestOperatorMacro holds that macros which replace operators are left to cel-go.
func TestOperatorMacro(t *testing.T) {
	m := parser.NewGlobalMacro("_+_", 2, func(h parser.ExprHelper, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		return args[0], nil
	})
	if parse.New(parse.Syntax{Macros: []parser.Macro{m}}) != nil {
		t.Error("a parser that takes the macro _+_")
	}
}

// rule is an expression of the size that rules have.
const rule = "!has(self.filters) || self.filters.all(f, f.type != 'RequestRedirect' || (has(f.requestRedirect) && f.requestRedirect.port in [80, 443]))"

// TestAllocations holds how often the parser allocates: less than a tenth as
// often as cel-go's, which needs 1,300 allocations for the rule.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that allocations cannot be counted")
	}
	ours := all(t)[0].ours
	if _, ok := ours.Parse(rule); !ok {
		t.Fatal("the rule is not parsed")
	}
	const limit = 130
	if n := testing.AllocsPerRun(100, func() { ours.Parse(rule) }); n > limit {
		t.Errorf("%v allocations, want at most %d", n, limit)
	} else {
		t.Logf("%v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	s := all(b)[0]
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.ours.Parse(rule)
		}
	})
	b.Run("cel-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.judge.Parse(common.NewTextSource(rule))
		}
	})
}

// FuzzParse holds that whatever the parser accepts, cel-go's accepts too, with an equal tree.
func FuzzParse(f *testing.F) {
	for _, text := range accepted() {
		f.Add(text)
	}
	f.Add(rule)
	cases, err := filepath.Glob(filepath.Join("..", "..", "testdata", "cases", "*.yaml"))
	if err != nil || len(cases) == 0 {
		f.Fatal("no cases", err)
	}
	for _, name := range cases {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if _, expr, ok := strings.Cut(line, "expr: "); ok {
				f.Add(strings.Trim(strings.TrimSpace(expr), "'"))
			}
		}
	}
	both := all(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		for _, s := range both {
			s.compare(t, text)
		}
	})
}
