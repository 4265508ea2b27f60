package compile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/decls"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// fieldScope has self, with a property for each name.
func fieldScope(t *testing.T, names ...string) *Scope {
	t.Helper()
	env, err := ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		t.Fatal(err)
	}
	doc := &typesystem.OpenAPI{Type: "object", Properties: map[string]*typesystem.OpenAPI{}}
	for _, name := range names {
		doc.Properties[name] = &typesystem.OpenAPI{Type: "string"}
	}
	doc.Properties["hidden"] = &typesystem.OpenAPI{} // expressions cannot see it
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		t.Fatal(err)
	}
	provider := typesystem.NewProvider(env.CEL().CELTypeProvider(), schema, "selfType1")
	scope, err := env.Scope(provider, nil, decls.NewVariable("self", provider.Type()))
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

func firstIssue(t *testing.T, scope *Scope, expression string) diag.Issue {
	t.Helper()
	_, err := scope.Compile(expression)
	if err == nil {
		t.Fatalf("%s compiles", expression)
	}
	return err.Issues[0]
}

// TestFieldHints holds when a hint says how a property is written or which one
// may be meant, and when there is none.
func TestFieldHints(t *testing.T) {
	escaped := func(name, ident string) string { return fmt.Sprintf("the property %q is written .%s", name, ident) }
	for _, test := range []struct {
		expression, hint string
		properties       []string
	}{
		{"self.foo-bar", escaped("foo-bar", "foo__dash__bar"), []string{"foo-bar"}},
		{"self.foo-bar-baz", escaped("foo-bar-baz", "foo__dash__bar__dash__baz"), []string{"foo-bar", "foo-bar-baz"}},
		{"self.foo-barb", "", []string{"foo-bar"}},
		{"self.\n  foo-bar", escaped("foo-bar", "foo__dash__bar"), []string{"foo-bar"}},
		{"self\n  .foo-bar", escaped("foo-bar", "foo__dash__bar"), []string{"foo-bar"}},
		{"'é\U0001F600' + self.foo-bar", escaped("foo-bar", "foo__dash__bar"), []string{"foo-bar"}},
		{"self.foo - bar", "", []string{"foo-bar"}},
		{"self.nmae", "did you mean .name?", []string{"name", "labels"}},
		{"self.Name", "did you mean .name?", []string{"name"}},
		{"self.names", "did you mean .name?", []string{"name"}},
		{"self.nam", "did you mean .name?", []string{"name"}},
		{"self.foo_bar", "", []string{"foo-bar"}},
		{"self.foo__dash_bar", "did you mean .foo__dash__bar?", []string{"foo-bar"}},
		{"self.abcf", "did you mean .abcd?", []string{"abce", "abcd"}},
		{"self.ab", "", []string{"cd"}},
		{"self.a", "", []string{"b"}},
		{"self.hiden", "", nil},
		{"self." + strings.Repeat("a", 1000), "", []string{strings.Repeat("a", 1001)}},
		{"self.other", "", []string{"name", "not an identifier"}},
	} {
		scope := fieldScope(t, test.properties...)
		issue := firstIssue(t, scope, test.expression)
		if issue.Code != diag.UndefinedField || issue.Hint != test.hint {
			t.Errorf("%.40q of %.40q: %s, hint %q, want %q", test.expression, test.properties, issue.Code, issue.Hint, test.hint)
		}
	}
}

// TestKeywordHints holds that only a keyword behind a dot is taken for a property.
func TestKeywordHints(t *testing.T) {
	scope := fieldScope(t, "in", "true")
	for expression, hint := range map[string]string{
		"self.in":       `the property "in" is written __in__`,
		"self.true":     `the property "true" is written __true__`,
		"self.null.x":   `the property "null" is written __null__`,
		"'é' + self.in": `the property "in" is written __in__`,
		"1 in in":       "",
		"self.int +":    "something is missing after +",
	} {
		issue := firstIssue(t, scope, expression)
		if issue.Code != diag.SyntaxError || issue.Hint != hint {
			t.Errorf("%s: %s, hint %q, want %q", expression, issue.Code, issue.Hint, hint)
		}
	}
	if _, err := scope.Compile("self.__in__ == self.__true__"); err != nil {
		t.Error(err)
	}
}

// TestEdits compares with distances counted by hand.
func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"ab", "ab", 0}, {"ab", "ba", 1}, {"abc", "ac", 1}, {"ac", "abc", 1},
		{"abc", "axc", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"replcias", "replicas", 1},
	} {
		if got := edits(test.a, test.b); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// TestHintsOfReleases holds what a server says that lacks what newer ones have.
func TestHintsOfReleases(t *testing.T) {
	for _, test := range []struct {
		minor      int
		expr, hint string
	}{
		{30, `cidr('::/0').ip() == ip('::')`, "cidr needs Kubernetes 1.31"},
		{29, `string(ip('::'))`, "ip needs Kubernetes 1.31"},
		{32, `[1].transformList(i, x, i + x)`, "transformList needs Kubernetes 1.33"},
		{32, `[1].all(i, x, i < x)`, "all with two variables needs Kubernetes 1.33"},
		{28, `1 < 1.5`, "comparing numbers of different types needs Kubernetes 1.29"},
		{28, `{'a': 1}.?a.hasValue()`, "the syntax of optional types needs Kubernetes 1.29"},
		{28, `[?1]`, "the syntax of optional types needs Kubernetes 1.29"},
		{28, `[1,`, "a ] is missing"},
		{37, `[1].includes(1)`, "includes came with Kubernetes 1.37; API servers accept it in new expressions from 1.38 on"},
		{37, `ip('::').isCanonical()`, "isCanonical is in no released API server"},
		{37, `jsonpatch.escapeKey('a')`, "only mutating admission policies have jsonpatch.escapeKey"},
		{29, `sets.contains([1], [2])`, "sets.contains needs Kubernetes 1.30"},
		{29, `type('') == net.IP`, "the type net.IP needs Kubernetes 1.31"},
		{37, `nothing()`, ""},
		{37, `'a'.matches(1)`, ""},
	} {
		env, err := ForServer(server.WrittenTo(release.Minor(test.minor)))
		if err != nil {
			t.Fatal(err)
		}
		scope, err := env.Scope(env.CEL().CELTypeProvider(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, failure := scope.Compile(test.expr)
		if failure == nil {
			t.Errorf("1.%d: %s compiles", test.minor, test.expr)
			continue
		}
		var hints []string
		for _, issue := range failure.Issues {
			hints = append(hints, issue.Hint)
		}
		if !slices.Contains(hints, test.hint) {
			t.Errorf("1.%d: %s: %q, want %q", test.minor, test.expr, hints, test.hint)
		}
	}
}

// TestIssuesHaveNoPlace holds that what is no place in the expression is none.
func TestIssuesHaveNoPlace(t *testing.T) {
	scope := fieldScope(t)
	for expression, code := range map[string]diag.Code{
		strings.Repeat("a", DefaultExpressionSize+1): diag.ExpressionTooLarge,
		strings.Repeat("(", 1000):                    diag.SyntaxError,
	} {
		if issue := firstIssue(t, scope, expression); issue.Code != code || issue.Position.Line != 0 || issue.Position.Column != 0 {
			t.Errorf("%.20s: %+v, want %s without a place", expression, issue, code)
		}
	}
	if issue := firstIssue(t, scope, ""); issue.Position.Line != 1 || issue.Position.Column != 1 {
		t.Errorf("empty expression: %+v, want line 1, column 1", issue)
	}
}

// TestErrorsHoldTheSource holds that each error has the caller's own bytes, also where
// they are no UTF-8 and cel-go reads U+FFFD.
func TestErrorsHoldTheSource(t *testing.T) {
	scope := fieldScope(t, "a")
	for name, expression := range map[string]string{
		"syntax":   "'\xff' +",
		"type":     "'\xff' + 1",
		"validity": "'\xff'.matches('\xff(')",
		"too long": strings.Repeat("\xff", 1e6),
	} {
		if _, err := scope.Compile(expression); err == nil || err.Expression != expression {
			t.Errorf("%s: the error is of another expression: %.200v", name, err)
		}
	}
}
