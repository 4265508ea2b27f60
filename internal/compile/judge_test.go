package compile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/internal/parse/judge"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// checkedSamples name each rule of the checker, and what it must leave to cel-go.
var checkedSamples = []string{
	// names
	"i", ".i", "dotted.name", "dotted.name.size()", ".dotted.name", "dotted", "dotted.other", "int", "type(1) == int", "optional_type", "net.IP", "type(ip('::1')) == net.IP",
	"google.protobuf.Timestamp", "[1].all(i, .i == i)", "[1].all(i, i.x)", "[o].all(dotted, dotted.name == 1)", "[o].all(dotted, .dotted.name == 'a')", "unknown", "unknown.a",
	"self", "self.spec", "self.spec.size", "selfType1", "selfType1.spec", "[1].all(selfType1, selfType1 == 1)", "self.list", "list", "map", "timestamp", "duration",
	"[1].all(.x, true)", "[1].all(i, j, i == j)", "[1].exists(x, x, x == 1)", "[1].all(x, [2].all(x, x == 2))", "[1].map(x, x).map(x, [x]).map(x, x[0])", "@result",
	// fields
	"self.spec.missing", "self.spec.labels.a", "self.spec.labels['a']", "has(self.spec)", "has(self.spec.size)", "has(self.spec.labels.a)", "has(d.a.b)", "self.spec.any.a.b", "d.a.b.c",
	"self.spec.tags.a", "i.a", "self.?spec.?size", "self.?spec.size.orValue(1)", "self.spec.?labels[?'a']", "d.?a", "o.?b", "has(o.b)", "opt.a", "opt.?a", "self.?spec.?missing", "self.spec.?tags[0]",
	"optional.none().a", "optional.none().?a", "[].map(x, x.a)", "{}.a", "{}.a.b", "self.spec.ports[0].name", "self.spec.ports.map(p, p.name)", "self.metadata.name", "self.spec.intOrString",
	// calls
	"f(1)", "size([])", "size(d)", ".size('a')", "'a'.size()", "1 + 1", "1 + 1.0", "1 + 'a'", "d + 1", "d + d", "d == 1", "1 == 'a'", "1 == d", "1 < 2.0", "1u < 2", "d < 1", "i in [1]", "'a' in {'a': 1}", "1 in d",
	"[1][0]", "{'a': 1}['a']", "d[0]", "d['a']", "d[d]", "[1][d]", "opt[?0]", "d[?0]", "o[?'a']", "o['a']", "optlist[0]", "optlist[?0]", "[[1]][0][0]", "true ? 1 : 2", "true ? 1 : 'a'", "true ? d : 1", "true ? [] : [1]",
	"true ? [1] : []", "true ? {} : {'a': 1}", "true ? null : d", "true ? null : [1]", "true ? optional.none() : optional.of(1)", "d ? 1 : 2", "d && d", "d || 1", "[] && true", "b && b && b || b", "!d", "-d", "!1",
	"type([])", "type(d)", "type(type(1))", "type(1) == type(d)", "dyn([])", "dyn(1) + 'a'", "math.greatest(1, 2)", "optional.of(1).value()", "optional.of([]).value()", "optional.none().orValue(1)",
	"optional.none().or(optional.of(1))", "optional.none().value()", "optional.none().value() + 1", "optional.of(d).orValue(1)", "d.orValue(1)", "d.value()", "d.hasValue()", "opt.orValue([])", "opt.optMap(x, x)",
	"opt.optFlatMap(x, x)", "opt.optMap(x, [x])", "optional.none().optMap(x, x)", "[1].all(optional, optional.none().hasValue())", "optional.none", "cel.bind(x, [], x + [1])", "cel.bind(x, [], x)", "cel.bind(x, d, x.a)",
	"string(d)", "int('1')", "int(d)", "duration('1s') + timestamp('2020-01-01T00:00:00Z')", "'a'.matches(d)", "d.matches('a')", "ip('1.1.1.1').family()", "quantity('1').add(1)", "quantity('1').add(quantity('2'))",
	"d.format('a')", "'%d'.format([1])", "sets.contains([1], [])", "sets.contains([], [])", "sets.contains([1], ['a'])", "sets.contains(d, [1])", "[1, 2].sum()", "[].sum()", "d.sum()", "['a'].sum()", "[].isSorted()",
	"[3, 1].sort()", "[].sort()", "['a', 1].sort()", "ports.sortBy(p, p.x)", "[[1], [2]].flatten()", "[].flatten()", "[1].flatten()", "lists.range(3)", "[1].slice(0, 1)", "[1, 'a'].distinct()", "[1].indexOf('a')", "[].indexOf(1)",
	"semver('1.0.0').compareTo(semver('1.0.0'))", "isSemver(d)", "authorizer", "url('a').getHost()", "'a'.find('b')", "d.find('b')", "jsonpatch.escapeKey('a')", "format.named('x')", "format.dns1123Label().validate('a')",
	// aggregates
	"[]", "[1, 2]", "[1, 'a']", "[1, d]", "[d, 1]", "[null, 1]", "[1, null]", "[null, duration('1s')]", "[[], [1]]", "[[1], []]", "[[], []]", "[[], {}]", "[[1], ['a']]", "[?opt]", "[?opt, 1]", "[?1]", "[?d]", "[1, ?d]",
	"{}", "{'a': 1}", "{'a': 1, 'b': 'c'}", "{'a': 1, 1: 2}", "{'a': [], 'b': [1]}", "{?'a': opt}", "{?'a': 1}", "{'a': {}}", "{d: d}", "[{}, {'a': 1}]", "[{'a': 1}, {}]", "[optional.none(), optional.of(1)]",
	// comprehensions
	"[].all(x, x)", "[].all(x, x > 1)", "[].map(x, x)", "[].filter(x, x == 1)", "{}.all(k, k == 1)", "{}.map(k, k)", "d.all(x, x)", "d.map(x, x.a)", "d.all(x, y, x == y)", "i.all(x, x)", "'a'.all(x, x)", "opt.all(x, x)",
	"[1].map(x, [])", "[1].map(x, [x])", "[1].map(x, d)", "[1, 'a'].map(x, x)", "[1].filter(x, x)", "[1].all(x, x)", "[1].exists_one(x, d)", "self.spec.ports.all(p, self.spec.ports.exists_one(q, q.name == p.name))",
	"self.spec.labels.all(k, self.spec.labels[k] != '')", "self.spec.labels.all(k, v, v != '')", "self.spec.ports.all(i, p, i < 3 && p.name != '')", "self.spec.tags.transformMap(i, t, t)", "{'a': 1}.transformMap(k, v, [])",
	"{'a': []}.transformMap(k, v, v + [k])", "[].transformList(i, v, v)", "{}.transformMapEntry(k, v, {v: k})", "{'a': 1}.transformList(k, v, k + v)", "[[]].map(x, x + [1])", "[].map(x, []).map(y, y + ['a'])",
	"cel.bind(e, [], [{e: 1}, {[1]: 'a'}])", "[1].all(x, 1 < 2.0)", "1 < 2.0 || [1].all(x, x < 2.0)", "[1].all(x, true) && 1 < 2.0", "[[]].all(x, x == [1])", "[].exists(x, x == [])", "[dyn([])].map(x, x[0])", "[1, 2].map(x, x % 2 == 0, x * 2)",
	"Object{}", "JSONPatch{op: 'a'}", "google.protobuf.Int64Value{value: 1}", "b\"a\" + b'b'", "1u + 2u", "null == d", "null == 1", "null == opt", "duration == null", "self == null", "self == oldSelf", "self.spec == d",
	"self in [oldSelf]", "[self, oldSelf]", "[self, d]", "true ? self : oldSelf", "true ? self.spec.ports[0] : self.spec.ports[1]", "self.spec.ports == []", "self.spec.labels == {}", "self.spec.tags + []", "[] + self.spec.tags",
}

const judgedSchema = `{"type": "object", "properties": {"list": {"type": "string"}, "spec": {"type": "object", "properties": {
	"size": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}},
	"labels": {"type": "object", "additionalProperties": {"type": "string"}},
	"intOrString": {"x-kubernetes-int-or-string": true}, "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	"ports": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "namespace": {"type": "string"}}}}}}}}`

// judgedScopes are those of the newest server, with the types of a schema, of the oldest, where
// numbers of different types do not compare, and of an environment with options.
func judgedScopes(t testing.TB) map[string]*Scope {
	t.Helper()
	document, err := typesystem.ParseOpenAPI([]byte(judgedSchema))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := typesystem.Compile(document, true)
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]*Scope{}
	for name, env := range map[string]func() (*Env, error){
		"newest": func() (*Env, error) { return ForServer(server.StoredIn(release.Newest())) },
		"oldest": func() (*Env, error) { return ForServer(server.WrittenTo(release.Oldest())) },
		"options": func() (*Env, error) {
			env, err := ForServer(server.StoredIn(release.Newest()))
			if err != nil {
				return nil, err
			}
			param := cel.TypeParamType
			return env.Extend(Addition{Options: []cel.EnvOption{
				cel.Constant("color", types.IntType, types.Int(3)), cel.Variable("google.x", cel.StringType),
				cel.Function("six", cel.Overload("six_any", []*cel.Type{
					param("A"), param("B"), param("C"), cel.ListType(param("D")), param("E"), param("A"),
				}, cel.MapType(param("A"), param("D")))),
			}})
		},
	} {
		env, err := env()
		if err != nil {
			t.Fatal(err)
		}
		provider := env.Provider(env.CEL().CELTypeProvider(), schema, typeName)
		vars := []*decls.VariableDecl{
			decls.NewVariable(Self, provider.Type()), decls.NewVariable(OldSelf, provider.Type()),
			decls.NewVariable("i", types.IntType), decls.NewVariable("b", types.BoolType), decls.NewVariable("d", types.DynType),
			decls.NewVariable("dotted.name", types.StringType), decls.NewVariable("o", types.NewMapType(types.StringType, types.DynType)),
			decls.NewVariable("opt", types.NewOptionalType(types.StringType)),
			decls.NewVariable("optlist", types.NewOptionalType(types.NewListType(types.IntType))),
			decls.NewVariable("ports", types.NewListType(types.NewMapType(types.StringType, types.IntType))),
			decls.NewVariable("nullable", types.NewNullableType(types.StringType)),
			decls.NewVariable("generic", types.NewListType(types.NewTypeParamType("T"))),
		}
		if scopes[name], err = env.Scope(provider, nil, vars...); err != nil {
			t.Fatal(err)
		}
		if scopes[name].fast == nil || env.fast() == nil {
			t.Fatal(name, "has no parser or checker of its own")
		}
	}
	return scopes
}

// left are samples that the checker leaves to cel-go, though they have no error.
var left = map[string]bool{
	"google.protobuf.Int64Value{value: 1}": true, "[1].exists(x, x, x == 1)": true, "[1].all(.x, true)": true,
	"generic": true, "generic[0]": true,
}

// TestSamplesChecked compares the samples in all scopes. The checker leaves nothing to cel-go but what
// is listed.
func TestSamplesChecked(t *testing.T) {
	samples := append([]string{
		"nullable == null", "[nullable, 'a']", "[nullable, null]", "true ? nullable : null", "nullable + 'a'", "generic", "generic[0]", "color", "google.x", "google.y",
		"six(1, 2, 3, [4], 5, 6)", "six(1, 2, 3, ['a'], 5, d)", "six(1, 2, 3, [], 5, 6)", "six([], 2, 3, [], 5, [1])", "six(1, 2, 3, [4], 5, 'a')", "six(1, 2, 3, d, 5, 6)",
	}, checkedSamples...)
	for name, scope := range judgedScopes(t) {
		checked := 0
		for _, expr := range samples {
			j := scope.Judge(expr, judge.Difference)
			if j.Difference != "" {
				t.Errorf("%s: %s: %s", name, expr, j.Difference)
			}
			if j.Fast != j.Parsed || j.FastChecked != j.Checked && !left[expr] {
				t.Errorf("%s: %s: %+v", name, expr, j)
			}
			if j.FastChecked {
				checked++
			}
		}
		t.Logf("%s: %d of %d checked", name, checked, len(samples))
		if checked < len(samples)/3 {
			t.Error(name, "has few samples that check")
		}
	}
}

// TestExhaustiveJudgment compares the cases of all functions.
func TestExhaustiveJudgment(t *testing.T) {
	_, declared := variables(t)
	scopes := versions(t, declared)
	count := 0
	for _, expr := range race.Sample(caseExpressions(t), 10) {
		for _, version := range []string{"1.28", "1.37"} {
			j := scopes[version].Judge(expr, judge.Difference)
			if j.Difference != "" || j.Fast != j.Parsed || j.FastChecked != j.Checked {
				t.Errorf("%s: %s: %+v", version, expr, j)
			}
			count++
		}
	}
	t.Logf("%d expressions", count)
}

func caseExpressions(t testing.TB) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rows []row
		if err := yaml.UnmarshalStrict(data, &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			all = append(all, r.Expr)
		}
	}
	return all
}

// FuzzCheck holds that whatever the checker accepts, cel-go's accepts too, with equal types and references,
// and that a check that gives up changes nothing.
func FuzzCheck(f *testing.F) {
	for _, expr := range checkedSamples {
		f.Add(expr)
	}
	for _, expr := range caseExpressions(f) {
		f.Add(expr)
	}
	scopes := judgedScopes(f)
	f.Fuzz(func(t *testing.T, expr string) {
		if len(expr) > 500 {
			return
		}
		for name, scope := range scopes {
			if j := scope.Judge(expr, judge.Difference); j.Difference != "" {
				t.Errorf("%s: %q: %s", name, expr, j.Difference)
			}
		}
	})
}
