package compile

import (
	"testing"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// slips are what authors write out of habit, and what the hint says.
var slips = []struct{ expr, hint string }{
	{"m.startswith('a')", "did you mean startsWith()?"},
	{"self.s.lenght() > 2", "write size()"},
	{"self.s.indexof('a') > 0", "did you mean indexOf()?"},
	{"m.length() > 2", "write size()"},
	{"len(m) > 2", "write size(...)"},
	{"m.toLower() == 'a'", "write lowerAscii()"},
	{"m.isEmpty()", "write size() == 0"},
	{"m.any(x, x > 1)", "write exists(x, ...)"},
	{"m.exists(x)", "write list.exists(x, ...) or list.exists(x, ..., ...)"},
	{"m.all(x, y, z, x > 1)", "write list.all(x, ...) or list.all(x, ..., ...)"},
	{"timestamp(self.s) < now()", "rules know no current time"},
	{"parseInt(self.s) > 1", "write int(...)"},
	{"m.has('a')", "write has(x.field)"},
	{"has(m)", "has takes the selection of a field: has(x.field)"},
	{"has(m['a'])", "has takes the selection of a field: has(x.field)"},
	{"contains(self.s, 'a')", "contains is called on its first argument: write x.contains(...)"},
	{"self.s.int() > 1", "int is no member: write int(x)"},
	{"oldself.s == 'a'", "did you mean oldSelf?"},
	{"sefl.n == 1", "did you mean self?"},
	{"self.N > 1", "did you mean .n?"},
	{"this.n == 1", "the variable here is self"},
	{"object.n == 1", "the variable here is self"},
	{"oldObject.n == 1", "the variable here is oldSelf"},
	{"self.b == True", "write true"},
	{"self.s != nil", "write null"},
	{"m.x = 1", "write == to compare"},
	{"m.x === 1", "write == to compare"},
	{"m.x <> 1", "write !="},
	{"m.x == 1 and m.y == 2", "write &&"},
	{"m.x == 1 || not m.b", "write !"},
	{"m.x & m.y", "write &&"},
	{"self.s =~ 'a'", "write matches('...')"},
	{"self.s.matches(/a/)", "a regular expression stands in quotes: matches('a+')"},
	{"self.s like 'a'", "write matches('...') or contains('...')"},
	{"self.s ?? 'a'", "write has(x.field) ? x.field : other"},
	{"self.n++", "an expression changes nothing"},
	{"m.all(x => x > 1)", "write the variable and the predicate as arguments: all(x, ...)"},
	{"m.all(x -> x > 1)", "write the variable and the predicate as arguments: all(x, ...)"},
	{"if (m) {1}", "write condition ? a : b"},
	{"$.s == 'a'", "names have no $"},
	{"self.s == 'a", "the text in quotes does not end"},
	{"self.s == 'a' &&", "something is missing after &&"},
	{"(self.s == 'a'", "a ) is missing"},
	{"'a' in 'abc'", "in looks into lists and maps: write text.contains(part)"},
	{"self.s[0] == 'a'", "a string has no index: write charAt(i) or substring(i, j)"},
	{"'a' + self.n == 'a1'", "make text of it: '%s'.format([x]) or string(x)"},
	{"self.n == '1'", "convert one of them, such as by string(x)"},
	{"self.n == 1.0", "convert one of the numbers: double(x) or int(x)"},
	{"self.d / 2 > 1.0", "convert one of the numbers: double(x) or int(x)"},
	{"duration(self.s) > 60", "write a duration, such as duration('60s')"},
	{"timestamp(self.s) < '2020-01-01'", "write a timestamp, such as timestamp('2006-01-02T15:04:05Z')"},
	{"type(m) == 'string'", "compare with the type itself, such as type(x) == string"},
	{"self.n == null", "the value is never null: has(x.field) tells whether a field is set"},
	{"size(self) > 0", "an object has no size; has(x.field) tells whether a field is set"},
	// No hint is better than a wrong one.
	{"nothing()", ""},
	{"unknown.n == 1", ""},
	{"self.s.matches(1)", ""},
	{"[1, 2", "a ] is missing"},
	{"self.s == 'it''s'", "the text in quotes does not end"},
	{"*", ""},
}

func TestSlips(t *testing.T) {
	env, err := ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		t.Fatal(err)
	}
	properties := map[string]*typesystem.OpenAPI{}
	for name, of := range map[string]string{"n": "integer", "s": "string", "d": "number", "b": "boolean"} {
		properties[name] = &typesystem.OpenAPI{Type: of}
	}
	schema, err := typesystem.Compile(&typesystem.OpenAPI{Type: "object", Properties: properties}, false)
	if err != nil {
		t.Fatal(err)
	}
	provider := typesystem.NewProvider(env.CEL().CELTypeProvider(), schema, "selfType1")
	scope, err := env.Scope(provider, nil, decls.NewVariable("self", provider.Type()), decls.NewVariable("oldSelf", provider.Type()),
		decls.NewVariable("m", types.DynType))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range slips {
		if issue := firstIssue(t, scope, test.expr); issue.Hint != test.hint {
			t.Errorf("%s: %s: hint %q, want %q", test.expr, issue.Message, issue.Hint, test.hint)
		}
	}
}
