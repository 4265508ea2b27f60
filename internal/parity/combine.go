package parity

import "strings"

// comprehensions combine every macro with ranges and bodies of all kinds,
// among them errors that short-circuiting must absorb or let through.
func comprehensions() []string {
	ranges := []string{
		"[1, 2, 3]", "list_int", "list_int_empty", "list_string", "['a', 'b']", "dyn(list_int)", "list_dyn", "lists.range(5)",
		"map_string_int", "map_empty", "{'a': 1}", "dyn(map_string_int)", "any_int", "any_null", "'abc'", "opt_list", "list_list",
	}
	predicates := []string{"true", "false", "x > 2", "x == 3", "x != 'a'", "dyn(x) == 'a'", "1 / 0 > x", "x.size() > 0", "x", "has(x.y)"}
	one := []string{"all", "exists", "exists_one", "existsOne", "filter", "map", "sortBy"}
	two := []string{"all", "exists", "exists_one", "existsOne", "transformList", "transformMap"}
	var all []string
	for _, r := range ranges {
		for _, p := range predicates {
			for _, m := range one {
				all = append(all, r+"."+m+"(x, "+p+")")
			}
		}
		for _, p := range []string{"true", "x == 3", "dyn(x) == dyn(i)", "i in [0, 1]", "1 / 0 > 0 || true", "x > i"} {
			for _, m := range two {
				all = append(all, r+"."+m+"(i, x, "+p+")")
			}
		}
		all = append(all,
			r+".map(x, x != 3, x)", r+".map(x, dyn(x) != null, [x])",
			r+".transformList(i, x, dyn(i) != 0, [i])", r+".transformMap(i, x, dyn(x) != null, dyn(i))",
			r+".transformMapEntry(i, x, {x: i})", r+".transformMapEntry(i, x, {'same': x})", r+".transformMapEntry(i, x, dyn(i) != 1, {string(dyn(i)): x})",
			r+".map(x, x).filter(x, true).size()", r+".all(x, "+r+".exists(y, y == x))", r+".map(x, "+r+".map(y, [x, y]))",
			r+".exists(x, [x].exists(y, dyn(y) == dyn(x) && true))")
	}
	return all
}

// optionalCases combine the optional functions, macros and selectors.
func optionalCases() []string {
	sources := []string{
		"optional.of('v')", "optional.none()", "opt", "opt_none", "optional.ofNonZeroValue('')", "optional.ofNonZeroValue(1)", "optional.ofNonZeroValue(dyn(null))",
		"{'k': 'v'}.?k", "{'k': 'v'}.?x", "map_string_int.?k", "map_string_int.?x", "map_string_int[?'k']", "map_string_int[?'x']", "map_dyn.?k", "map_dyn.?k.?z",
		"list_int[?0]", "list_int[?99]", "list_int[?-1]", "opt_list[0]", "opt_list[?0]", "opt_list[?99]", "any.?x", "any_null.?x", "any_int[?0]", "list_dyn[?1]",
		"list_int.first()", "list_int.last()", "list_int_empty.first()", "{'a': {'b': 1}}.?a.b", "{'a': {'b': 1}}.?a.?c", "'str'", "1",
	}
	uses := []string{
		"%", "%.hasValue()", "%.value()", "%.orValue('d')", "%.orValue(1)", "%.or(optional.of('e'))", "%.or(optional.none())", "%.or(opt_none).orValue('z')",
		"%.optMap(v, v)", "%.optMap(v, [v])", "%.optMap(v, 1 / 0)", "%.optFlatMap(v, optional.of(v))", "%.optFlatMap(v, optional.none())", "%.optFlatMap(v, v)",
		"[?%]", "{?'key': %}", "[%, %]", "% == %", "% == optional.none()", "% != opt", "optional.unwrap([%])", "[%].unwrapOpt()", "type(%)", "has(%.x)", "%[0]", "%.?f", "dyn(%).hasValue()",
	}
	var all []string
	for _, s := range sources {
		for _, u := range uses {
			all = append(all, strings.ReplaceAll(u, "%", s))
		}
	}
	return all
}

// equality compares values of every kind with every kind, statically typed
// and not.
func equality(g *gen) []string {
	var values []string
	for _, t := range []string{"int", "uint", "double", "string", "bytes", "bool", "null_type", "google.protobuf.Duration", "google.protobuf.Timestamp",
		"list(int)", "list(string)", "map(string, int)", "optional_type(int)", "net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.URL",
		"kubernetes.Semver", "kubernetes.NamedFormat", "kubernetes.authorization.GroupCheck", "type"} {
		values = append(values, g.values(parseType(t), "string", true, true)[0])
	}
	var all []string
	for _, a := range values {
		for _, b := range values {
			all = append(all, "dyn("+a+") == dyn("+b+")", "["+dyn(a)+"] == ["+dyn(b)+"]")
		}
		all = append(all, a+" == "+a, a+" != "+a, a+" in ["+a+"]", "["+a+"] == ["+a+"]", "{'k': "+a+"} == {'k': "+a+"}", "{'k': "+a+"} == {'j': "+a+"}",
			"string("+a+")", "string(dyn("+a+"))", "int(dyn("+a+"))", "double(dyn("+a+"))", "bytes(dyn("+a+"))", "bool(dyn("+a+"))",
			"type("+a+")", "type("+a+") == type("+a+")", "dyn("+a+") < dyn("+a+")", "size(dyn("+a+"))", "optional.ofNonZeroValue("+a+")",
			"["+a+"].isSorted()", "["+a+", "+a+"].sum()", "["+a+"].min()", "["+a+", "+a+"].distinct()", "["+a+"].sort()", "["+a+"].includes("+a+")", "["+a+"].indexOf("+a+")",
			"'%s'.format(["+a+"])", "sets.contains(["+a+"], ["+a+"])", "dyn("+a+").x", "has(dyn("+a+").x)", "dyn("+a+")[0]", a+" == null", a+" ? 1 : 2", "{"+a+": 1}")
	}
	return all
}
