package explain

import (
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

func testScope(t testing.TB) *compile.Scope {
	t.Helper()
	env, err := compile.ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := env.Scope(env.CEL().CELTypeProvider(), nil, decls.NewVariable("a", types.DynType), decls.NewVariable("l", cel.ListType(cel.StringType)), decls.NewVariable("n", cel.IntType))
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

func nothing([]string) (typesystem.Bound, bool) { return typesystem.Bound{}, false }

// TestTexts holds the text of every node that the source has.
func TestTexts(t *testing.T) {
	scope := testScope(t)
	for _, test := range []struct {
		expr string
		want []string
	}{
		{"n + 1", []string{"n + 1", "n", "1"}},
		{"(n+1) * 2 > -(3)", []string{"(n+1) * 2 > -(3)", "(n+1) * 2", "n+1", "n", "1", "2", "-(3)", "3"}},
		{"a.b.c(')')", nil},
		{"has(a.b) && a.?b.hasValue()", []string{"has(a.b) && a.?b.hasValue()", "has(a.b)", "a", "a.?b.hasValue()", "a.?b", "a", "b"}},
		{"l[0].matches(r\"(\\)\" + 'é\\')')", []string{"l[0].matches(r\"(\\)\" + 'é\\')')", "l[0]", "l", "0", "r\"(\\)\" + 'é\\')'", "r\"(\\)\"", "'é\\')'"}},
		{"l.all(x, x == 'y') // (", []string{"l.all(x, x == 'y')", "l", "x == 'y'", "x", "'y'"}},
		{"sets.contains([1,2], [n])", []string{"sets.contains([1,2], [n])", "[1,2]", "1", "2", "[n]", "n"}},
		{"{'k': [n]}['k'].size() >= 1.5e-3", []string{"{'k': [n]}['k'].size() >= 1.5e-3", "{'k': [n]}['k'].size()", "{'k': [n]}['k']", "{'k': [n]}", "'k'", "[n]", "n", "1.5e-3"}},
		{"n > 1 ? '''a'b''' : b'x' == b'y' ? 'c' : \"d\"", []string{"n > 1 ? '''a'b''' : b'x' == b'y' ? 'c' : \"d\"", "n > 1", "n", "1", "'''a'b'''", "b'x' == b'y' ? 'c' : \"d\"", "b'x' == b'y'", "b'x'", "b'y'", "'c'", "\"d\""}},
		{"0x1E+1 == n", []string{"0x1E+1 == n", "0x1E+1", "0x1E", "1", "n"}},
		{"R\"\\\" == r'\\' + '\\\\'", []string{"R\"\\\" == r'\\' + '\\\\'", "R\"\\\"", "r'\\' + '\\\\'", "r'\\'", "'\\\\'"}},
		{"-.5 < 1e3 && n > - 5", []string{"-.5 < 1e3 && n > - 5", "-.5 < 1e3", "-.5", "1e3", "n > - 5", "n", "- 5"}},
		{"size(l)+size('a')", []string{"size(l)+size('a')", "size(l)", "l", "size('a')", "'a'"}},
		{"a.`x-y`\n  .z", []string{"a.`x-y`\n  .z", "a.`x-y`", "a"}},
	} {
		checked, err := scope.Compile(test.expr)
		if err != nil {
			if test.want != nil {
				t.Errorf("%s: %v", test.expr, err)
			}
			continue
		}
		x := Expression(checked, nothing, report.Limits{})
		var texts []string
		x.Root.Each(func(n *report.Node) {
			if !slices.Contains(texts, n.Text) || slices.Contains([]string{"a", "n", "'k'"}, n.Text) {
				texts = append(texts, n.Text)
			}
		})
		slices.Sort(texts)
		want := slices.Clone(test.want)
		slices.Sort(want)
		if texts, want = slices.Compact(texts), slices.Compact(want); !slices.Equal(texts, want) {
			t.Errorf("%s: texts\n got %q\nwant %q", test.expr, texts, want)
		}
	}
}

// FuzzSource holds that every node of what compiles has a place in the source.
func FuzzSource(f *testing.F) {
	for _, seed := range []string{"n + 1", "l.all(x, x.matches('(') || a.b[?0].c == {'é': 1}['é'])", "'\\'' + r'\\' + \"\"\"\n\"\"\"", "a.`x-y` // (\n", "(((n)))", "'", "[(]"} {
		f.Add(seed)
	}
	scope := testScope(f)
	f.Fuzz(func(t *testing.T, expr string) {
		s := newSource(expr)
		for i, token := range s.tokens {
			if token.start >= token.end || token.end > len(s.text) || i > 0 && token.start < s.tokens[i-1].end {
				t.Fatalf("%q: token %d is %+v", expr, i, token)
			}
		}
		checked, err := scope.Compile(expr)
		if err != nil {
			return
		}
		x := Expression(checked, nothing, report.Limits{})
		x.Root.Each(func(n *report.Node) {
			if n.At.Start >= n.At.End || n.At.Line < 1 || n.At.Column < 1 {
				t.Errorf("%q: %s %s is at %+v", expr, n.Kind, n.Name, n.At)
			}
		})
	})
}
