package kubecel_test

import (
	"slices"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// ofMinor is the release of a minor, the zero value for one to come or none.
func ofMinor(minor int) release.Release {
	if r := release.Minor(minor); r.Check() == nil {
		return r
	}
	return release.Release{}
}

// acceptEnv has what the examples of the libraries use.
func acceptEnv(t testing.TB) *kubecel.Env {
	t.Helper()
	env, err := kubecel.NewEnv(
		kubecel.Variable("authorizer", library.AuthorizerType()),
		kubecel.Variable("d", cel.DynType),
		kubecel.SchemaVariable("self", schema(t, `{"type": "object", "properties": {"namespace": {"type": "string"}, "name": {"type": "string"}}}`)),
	)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func accepted(t testing.TB, env *kubecel.Env, expr string) *kubecel.Acceptance {
	t.Helper()
	a, err := env.AcceptedBy(expr)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// specification is the table "CEL options, language features, and libraries" of
// the documentation of Kubernetes, with expressions for what a row includes. Rows
// of all versions have the oldest that is known here.
var specification = []struct {
	row   string
	since int
	exprs []string
}{
	{"Standard macros", 25, []string{
		`has(self.name)`, `[1].all(x, x > 0)`, `[1].exists(x, x > 0)`, `[1].exists_one(x, x > 0)`, `[1].map(x, x + 1) == [2]`, `[1].filter(x, x > 1) == []`,
	}},
	{"Standard functions", 25, []string{
		`!true || false && true ? 1 + 2 * 3 - 4 / 5 % 6 == -7 : 1 != 2`, `1 < 2 && 1 <= 2 && 2 > 1 && 2 >= 1`, `1 in [1] && 'a' in {'a': 1}`, `[1][0] == {'a': 1}['a']`,
		`size('a') == 'a'.size() && size([1]) == size({1: 2}) && size(b'a') == 1`,
		`'a'.contains('b') || 'a'.startsWith('b') || 'a'.endsWith('b') || 'a'.matches('b') || matches('a', 'b')`,
		`bool('true') && bytes('a') == b'a' && double(1) == 1.0 && int('1') == 1 && string(1) == '1' && uint(1) == 1u && dyn(1) == 1`,
		`type(1) == int && type('a') == string`, `duration('1h').getHours() == 1 && duration('1h').getMinutes() == 60 && duration('1s').getSeconds() == 1 && duration('1s').getMilliseconds() == 0`,
		`timestamp('2024-01-01T00:00:00Z') + duration('1h') > timestamp('2024-01-01T00:00:00Z')`,
		`timestamp('2024-01-01T00:00:00Z').getFullYear() == 2024 && timestamp('2024-01-01T00:00:00Z').getMonth('Europe/Berlin') == 0`,
	}},
	{"Default UTC Time Zone", 25, []string{`timestamp('2024-01-01T00:00:00Z').getHours() == 0`}},
	{"Extended strings library, Version 1", 25, []string{
		`'a'.charAt(0) == 'a'`, `'a'.indexOf('a') == 0`, `'a'.lastIndexOf('a') == 0`, `'a'.lowerAscii() == 'a'`, `'a'.upperAscii() == 'A'`,
		`'a'.replace('a', 'b') == 'b'`, `'a,b'.split(',') == ['a', 'b']`, `['a'].join(',') == 'a'`, `'ab'.substring(1) == 'b'`, `' a'.trim() == 'a'`,
	}},
	{"Extended strings library, Version 2", 30, []string{`'%s'.format(['a']) == 'a'`, `strings.quote('a') == '"a"'`}},
	{"Kubernetes list library", 25, []string{
		`['a'].isSorted()`, `[1].sum() == 1`, `[1].min() == 1`, `[1].max() == 1`, `[1].indexOf(1) == 0`, `[1].lastIndexOf(1) == 0`,
	}},
	{"Kubernetes regex library", 25, []string{`'a1'.find('[0-9]') == '1'`, `'a1'.findAll('[0-9]') == ['1']`, `'a1'.findAll('[0-9]', 1) == ['1']`}},
	{"Kubernetes URL library", 25, []string{
		`isURL('/a')`, `url('https://a:80/b').getHost() == 'a:80'`, `url('/a').getScheme() == ''`, `url('/a').getHostname() == ''`,
		`url('/a').getPort() == ''`, `url('/a').getEscapedPath() == '/a'`, `url('/a').getQuery() == {}`,
	}},
	{"Kubernetes IP address library", 31, []string{`isIP('::1')`, `ip('::1').family() == 6`, `ip.isCanonical('::1')`, `string(ip('::1')) == '::1'`, `type(d) == net.IP`}},
	{"Kubernetes CIDR library", 31, []string{
		`isCIDR('::/0')`, `cidr('::/0').containsIP('::1')`, `cidr('::/0').containsCIDR('::/1')`, `cidr('::/0').prefixLength() == 0`, `cidr('::/0').masked() == cidr('::/0')`, `type(d) == net.CIDR`,
	}},
	{"Kubernetes authorizer library", 25, []string{
		`authorizer.path('/healthz').check('get').allowed()`, `authorizer.group('').resource('pods').namespace('a').name('b').subresource('c').check('get').reason() == ''`,
		`authorizer.serviceAccount('a', 'b').group('').resource('pods').check('get').errored()`,
	}},
	{"Kubernetes quantity library", 29, []string{`isQuantity('1')`, `quantity('1').isGreaterThan(quantity('2'))`, `quantity('1').add(1).sub(quantity('1')).asInteger() == 1`, `sign(quantity('1')) == 1`}},
	{"Kubernetes semver library", 34, []string{`isSemver('1.0.0')`, `semver('1.0.0').isLessThan(semver('2.0.0'))`, `isSemver('v1', true)`, `semver('v1', true).major() == 1`}},
	{"Kubernetes format library", 32, []string{`!format.dns1123Label().validate('a').hasValue()`, `format.named('uri').hasValue()`}},
	{"CEL optional types", 29, []string{
		`optional.of(1).hasValue()`, `optional.none().orValue(1) == 1`, `self.?name.orValue('') == ''`, `[1][?0].value() == 1`, `[?optional.none()] == []`, `{?'a': optional.of(1)} == {'a': 1}`,
		`optional.of(1).optMap(x, x + 1).value() == 2`, `optional.of(1).optFlatMap(x, optional.of(x)).value() == 1`, `optional.ofNonZeroValue(0).or(optional.of(1)).value() == 1`,
	}},
	{"CEL CrossTypeNumericComparisons", 29, []string{`1 < 1.5`, `1u <= 2`, `1.5 > 1u`, `2 >= 1.5`}},
	{"CEL optional types, lists", 33, []string{`[1].first().value() == 1`, `[1].last().value() == 1`, `optional.unwrap([optional.of(1)]) == [1]`, `[optional.of(1)].unwrapOpt() == [1]`}},
	{"CEL TwoVarComprehensions", 33, []string{
		`[1].all(i, x, i < x)`, `{'a': 1}.exists(k, v, v == 1)`, `[1].existsOne(i, x, x == 1)`, `[1].exists_one(i, x, x == 1)`, `[1].transformList(i, x, x) == [1]`, `[1].transformMap(i, x, x) == {0: 1}`,
		`{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}`,
	}},
	// What an API server has and the table lacks.
	{"Sets", 30, []string{`sets.contains([1], [1])`, `sets.equivalent([1], [1])`, `sets.intersects([1], [1])`}},
	{"Field names that are reserved words", 32, []string{`self.namespace == ''`, `has(self.namespace)`}},
	{"Escaped field names", 25, []string{`self.__namespace__ == ''`}},
	{"Selectors of the authorizer", 32, []string{`authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c').check('get').allowed()`}},
	{"Names in backquotes", 37, []string{"{'a-b': 1}.`a-b` == 1", "d.`a-b`.c == 1"}},
	{"Extended lists library", 35, []string{`[1].slice(0, 1) == [1]`, `[[1]].flatten() == [1]`, `lists.range(1) == [0]`, `[1].reverse() == [1]`, `[1].distinct() == [1]`, `[1].sort() == [1]`, `[1].sortBy(x, -x) == [1]`}},
}

// TestSpecification holds that each row is accepted from exactly its release on,
// by the query and by an environment of each release, and that the requirements
// say so.
func TestSpecification(t *testing.T) {
	env := acceptEnv(t)
	for _, row := range specification {
		for _, expr := range row.exprs {
			a := accepted(t, env, expr)
			for _, v := range a.Verdicts {
				if want := !v.Release.Before(ofMinor(row.since)); (v.Err == nil) != want {
					t.Errorf("%s: %s: Kubernetes %v: %v, want since 1.%d", row.row, expr, v.Release, v.Err, row.since)
				}
			}
			explained(t, expr, a)
		}
	}
	if len(specification) < 17 {
		t.Error("rows of the table are missing")
	}
}

// explained holds that the lowest release that the requirements give is the one
// that compiling gives.
func explained(t *testing.T, expr string, a *kubecel.Acceptance) {
	t.Helper()
	want := release.All()[0]
	last := release.Newest()
	none := false
	for _, r := range a.Requirements {
		if want.Before(r.Since) {
			want = r.Since
		}
		if !r.Until.IsZero() && r.Until.Before(last) {
			last = r.Until
		}
		none = none || r.Reason != ""
	}
	none = none || last.Before(want)
	lowest, ok := a.Lowest()
	if ok == none || ok && lowest != want {
		t.Errorf("%s: lowest is %v (%t), the requirements say %v: %v", expr, lowest, ok, want, a.Requirements)
	}
	if releases := a.Releases(); ok && releases[len(releases)-1] != last {
		t.Errorf("%s: accepted up to %v, the requirements say %v", expr, releases[len(releases)-1], last)
	}
	if first := ok && lowest == release.All()[0]; (len(a.Deciding()) == 0) != first {
		t.Errorf("%s: deciding: %v", expr, a.Deciding())
	}
}

// TestReleaseEnvironments compiles each row in the environments themselves.
func TestReleaseEnvironments(t *testing.T) {
	for _, r := range release.All() {
		env, err := acceptEnv(t).Extend(kubecel.ForRelease(r))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range specification {
			for _, expr := range row.exprs {
				_, err := env.Compile(expr)
				if want := !r.Before(ofMinor(row.since)); (err == nil) != want {
					t.Errorf("%s: %s: Kubernetes %v: %v", row.row, expr, r, err)
				}
			}
		}
		for _, expr := range []string{`[1, 'a'].size() == 2`, `{'a': 1, 'b': ''}.size() == 2`, `duration('x') == duration('1s')`, `timestamp('x') == timestamp('y')`, `'a'.matches('[')`} {
			if _, err := env.Compile(expr); err == nil {
				t.Errorf("%s: Kubernetes %v accepts it", expr, r)
			}
		}
	}
}

// TestOverloadsByRelease derives from the registry that each overload is
// accepted from exactly its release on.
func TestOverloadsByRelease(t *testing.T) {
	env := acceptEnv(t)
	// Several versions of a library have the same overloads: the oldest counts.
	since := map[string]release.Release{}
	libraries := library.All()
	for _, lib := range libraries {
		if lib.Name == library.JSONPatch().Name {
			continue // only mutating admission policies have it
		}
		for _, fn := range lib.Functions {
			for _, o := range fn.Overloads {
				if old, ok := since[o.ID]; !ok || firstRelease(lib).Before(old) {
					since[o.ID] = firstRelease(lib)
				}
			}
		}
	}
	count := 0
	for _, lib := range libraries {
		for _, fn := range lib.Functions {
			for _, o := range fn.Overloads {
				count++
				want, ok := since[o.ID]
				ok = ok && !o.DocumentedOnly && want.Check() == nil
				var lowest []release.Release
				for _, e := range o.Examples {
					if e.Err != "" && len(o.Examples) > 1 {
						continue // it may not compile
					}
					a := accepted(t, env, e.Expr)
					explained(t, e.Expr, a)
					if r, any := a.Lowest(); any {
						lowest = append(lowest, r)
					}
				}
				switch {
				case !ok && len(lowest) > 0:
					t.Errorf("%s: %v accept it", o.ID, lowest)
				case ok && (len(lowest) == 0 || slices.MinFunc(lowest, release.Release.Compare) != want):
					t.Errorf("%s: accepted from %v, want 1.%d", o.ID, lowest, want)
				}
			}
		}
		first := firstRelease(lib)
		if i := slices.IndexFunc(libraries, func(l library.Library) bool { return l.Name == lib.Name }); i >= 0 {
			first = firstRelease(libraries[i]) // the oldest version of it
		}
		for _, m := range lib.Macros {
			for _, e := range m.Examples {
				if e.Err != "" {
					continue
				}
				count++
				a := accepted(t, env, e.Expr)
				explained(t, e.Expr, a)
				if lowest, _ := a.Lowest(); lowest != first {
					t.Errorf("macro %s: accepted from %v, want %v", m.Name, lowest, first)
				}
			}
		}
	}
	if count < 200 {
		t.Errorf("%d overloads and macros", count)
	}
}

// firstRelease is the first server that accepts a library on write.
func firstRelease(l library.Library) release.Release {
	first, _ := l.Releases()
	return first
}

// TestStoredExpressions holds that a server evaluates what came with its own
// release, and accepts it on write if it need not be rolled back.
func TestStoredExpressions(t *testing.T) {
	for _, test := range []struct {
		expr       string
		introduced int
	}{
		{`ip('::1').family() == 6`, 30}, {`1 < 1.5`, 28}, {`self.namespace == ''`, 31}, {`[1].includes(1)`, 37}, {`'%s'.format([1]) == ''`, 29}, {`[1].sort() == [1]`, 34},
	} {
		for _, r := range release.All() {
			stored := !r.Before(ofMinor(test.introduced))
			written := r.Compare(ofMinor(test.introduced)) > 0
			for _, with := range []struct {
				name    string
				options []kubecel.EnvOption
				want    bool
			}{
				{"written", []kubecel.EnvOption{kubecel.ForRelease(r)}, written},
				{"stored", []kubecel.EnvOption{kubecel.ForRelease(r), kubecel.StoredExpressions()}, stored},
				{"no rollback", []kubecel.EnvOption{kubecel.ForRelease(r), kubecel.Compatibility(r)}, stored},
			} {
				env, err := acceptEnv(t).Extend(with.options...)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := env.Compile(test.expr); (err == nil) != with.want {
					t.Errorf("%s: Kubernetes %v, %s: %v", test.expr, r, with.name, err)
				}
			}
		}
	}
}

// TestAcceptanceOfNothing holds what is said of expressions that are wrong
// everywhere.
func TestAcceptanceOfNothing(t *testing.T) {
	env := acceptEnv(t)
	for _, expr := range []string{"", "(", "nosuch(1)", "self.nosuch", "[1, 'a']"} {
		a := accepted(t, env, expr)
		if _, ok := a.Lowest(); ok || len(a.Releases()) > 0 || len(a.Verdicts) != len(release.All()) {
			t.Errorf("%q: %v", expr, a.Releases())
		}
		for _, v := range a.Verdicts {
			if _, ok := errs.As[*kubecel.CompileError](v.Err); !ok {
				t.Errorf("%q: Kubernetes %v: %v", expr, v.Release, v.Err)
			}
		}
	}
	if _, err := (*kubecel.Env)(nil).AcceptedBy("true"); err == nil {
		t.Error("no error without an environment")
	}
}

// TestAcceptedByOwnLibraries holds that the libraries and variables of a caller
// are in every release.
func TestAcceptedByOwnLibraries(t *testing.T) {
	own := library.Library{
		Name: "example.own",
		Functions: []library.Function{{Name: "own", Overloads: []library.Overload{{
			ID: "own_string", Args: []*cel.Type{cel.StringType}, Result: cel.StringType,
			Impl: library.JSONPatch().Functions[0].Overloads[0].Impl,
		}}}},
	}
	env, err := kubecel.NewEnv(kubecel.Libraries(own), kubecel.Variable("s", cel.StringType))
	if err != nil {
		t.Fatal(err)
	}
	a := accepted(t, env, `own(s) == ''`)
	if len(a.Releases()) != len(release.All()) || len(a.Requirements) != 0 {
		t.Errorf("%v, %v", a.Releases(), a.Requirements)
	}
	a = accepted(t, env, `own(s) == '' && isIP(s)`)
	if lowest, _ := a.Lowest(); lowest != ofMinor(31) || a.Requirements[0].String() != "isIP at 1:17: Kubernetes 1.31" {
		t.Errorf("%v, %v", lowest, a.Requirements)
	}
}

func schema(t testing.TB, text string) *kubecel.Schema {
	t.Helper()
	s, err := kubecel.ParseSchema([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRetired holds what newer releases reject: taking integers for durations,
// which type-checks up to 1.36 and always fails.
func TestRetired(t *testing.T) {
	env := acceptEnv(t)
	a := accepted(t, env, `duration(size(self.name)) == duration('5ns')`)
	explained(t, `duration(size(self.name))`, a)
	if len(a.Releases()) != 12 || a.Accepted(ofMinor(37)) || len(a.Requirements) != 1 ||
		a.Requirements[0].String() != "duration(int) → google.protobuf.Duration at 1:1: Kubernetes up to 1.36" {
		t.Errorf("%v: %v", a.Releases(), a.Requirements)
	}
	for _, expr := range []string{`duration(5) == duration('5ns')`, `duration(size(self.name)) == duration('5ns') && [1].includes(1)`} {
		if a := accepted(t, env, expr); len(a.Releases()) != 0 {
			t.Errorf("%s: %v: %v", expr, a.Releases(), a.Requirements)
		}
	}
}

// TestFormatByRelease holds what servers check of calls of format: nothing in
// 1.30, calls with literals since 1.31, and 1.31 itself fails on a text that is
// no literal.
func TestFormatByRelease(t *testing.T) {
	env := acceptEnv(t)
	a := accepted(t, env, `'%d'.format(['a']) == ''`)
	explained(t, `'%d'.format(['a']) == ''`, a)
	if !slices.Equal(a.Releases(), []release.Release{ofMinor(30)}) {
		t.Errorf("%v, %v", a.Releases(), a.Requirements)
	}
	a = accepted(t, env, `self.name.format(['a']) == ''`)
	explained(t, `self.name.format(['a']) == ''`, a)
	want := release.All()[5:]
	if !slices.Equal(a.Releases(), slices.DeleteFunc(want, func(r release.Release) bool { return r == ofMinor(31) })) {
		t.Errorf("%v, %v", a.Releases(), a.Requirements)
	}
	if a := accepted(t, env, `'%s'.format([d]) == ''`); len(a.Releases()) != 8 {
		t.Errorf("%v", a.Releases())
	}
}
