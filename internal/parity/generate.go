package parity

import "strings"

// bindings give types to the type parameters of overloads.
func bindings() []map[string]string {
	return []map[string]string{
		{"A": "int", "B": "string", "K": "string", "V": "int", "T": "int"},
		{"A": "string", "B": "int", "K": "int", "V": "string", "T": "string"},
		{"A": "double", "B": "list(int)", "K": "bool", "V": "list(int)", "T": "list(string)"},
		{"A": "net.IP", "B": "double", "K": "string", "V": "kubernetes.Quantity", "T": "kubernetes.Quantity"},
		{"A": "google.protobuf.Duration", "B": "bytes", "K": "uint", "V": "bytes", "T": "google.protobuf.Timestamp"},
		{"A": "bytes", "B": "optional_type(int)", "K": "string", "V": "map(string, int)", "T": "bytes"},
	}
}

// signature is an overload without type parameters.
type signature struct {
	function string
	member   bool
	args     []typ
}

func signatures(o Overload) []signature {
	var args []typ
	generic := false
	for _, a := range o.Args {
		t := parseType(a)
		generic = generic || t.generic()
		args = append(args, t)
	}
	if !generic {
		return []signature{{o.Function, o.Member, args}}
	}
	var all []signature
	for _, b := range bindings() {
		s := signature{o.Function, o.Member, nil}
		for _, a := range args {
			s.args = append(s.args, a.bind(b))
		}
		// A map key of a type that maps cannot have is no case of ours.
		if len(s.args) > 0 && s.args[0].name == "map" || len(s.args) > 1 && s.args[1].name == "map" {
			if !keyable(s.args) {
				continue
			}
		}
		all = append(all, s)
	}
	return all
}

func keyable(args []typ) bool {
	for _, a := range args {
		if a.name != "map" {
			continue
		}
		switch a.params[0].name {
		case "int", "uint", "string", "bool":
		default:
			return false
		}
	}
	return true
}

// columns are the values of each argument of a signature.
func (g *gen) columns(s signature, variables bool, limit int) [][]string {
	var cols [][]string
	for i, t := range s.args {
		v := g.values(t, meaning(s.function, i), variables, false)
		if len(v) > limit {
			v = v[:limit]
		}
		cols = append(cols, v)
	}
	return cols
}

// star varies one argument at a time around the most ordinary tuple, then all
// at once.
func star(cols [][]string) [][]string {
	first := make([]string, len(cols))
	most := 0
	for i, c := range cols {
		first[i] = c[0]
		most = max(most, len(c))
	}
	tuples := [][]string{first}
	for i, c := range cols {
		for _, v := range c[1:] {
			t := append([]string(nil), first...)
			t[i] = v
			tuples = append(tuples, t)
		}
	}
	for k := 1; k < most; k++ {
		t := make([]string, len(cols))
		for i, c := range cols {
			t[i] = c[k%len(c)]
		}
		tuples = append(tuples, t)
	}
	return tuples
}

// each applies a wrapper to the chosen arguments.
func each(args []string, chosen func(int) bool, wrap func(string) string) []string {
	out := append([]string(nil), args...)
	for i := range out {
		if chosen(i) {
			out[i] = wrap(out[i])
		}
	}
	return out
}

func dyn(s string) string { return "dyn(" + s + ")" }

// overloadCases are the calls of one overload: ordinary, boundary and hostile
// arguments, as literals and as variables, static and dynamic.
func (g *gen) overloadCases(o Overload) []string {
	var all []string
	for n, s := range signatures(o) {
		literals, variables := limits(o, n)
		add := func(args []string) { all = append(all, call(s.function, s.member, args)) }
		litCols, varCols := g.columns(s, false, literals), g.columns(s, true, variables)
		for _, t := range star(litCols) {
			add(t)
		}
		for _, t := range star(varCols) {
			add(t)
		}
		if len(s.args) == 0 || n > 2 {
			continue
		}
		firstVar, firstLit := star(varCols)[0], star(litCols)[0]
		for mask := 1; mask < 1<<len(s.args); mask++ {
			in := func(i int) bool { return mask&(1<<i) != 0 }
			add(each(firstVar, in, dyn))
			add(each(firstLit, in, dyn))
		}
		if n == 0 {
			for _, t := range star(g.columns(s, true, 4)) {
				add(each(t, func(int) bool { return true }, dyn))
			}
		}
		for i, t := range s.args {
			is := func(j int) bool { return i == j }
			for _, w := range wrong(t) {
				add(each(firstVar, is, func(string) string { return dyn(w) }))
			}
			add(each(firstVar, is, func(string) string { return wrong(t)[0] }))
			add(each(firstVar, is, func(string) string { return "any_null" }))
		}
		all = append(all, nested(s, firstVar)...)
	}
	return all
}

// nested puts a call into comprehensions, conditionals and optionals, where
// the cost of an argument comes from elsewhere.
func nested(s signature, args []string) []string {
	plain := call(s.function, s.member, args)
	inner := append([]string{"v"}, args[1:]...)
	bound := call(s.function, s.member, inner)
	return []string{
		"list_int.map(n, " + plain + ")",
		"[" + args[0] + "].map(v, " + bound + ")",
		"[" + args[0] + ", " + args[0] + "].filter(v, dyn(" + bound + ") == null)",
		"[" + args[0] + "].all(i, v, dyn(" + bound + ") != i)",
		"optional.of(" + args[0] + ").optMap(v, " + bound + ").hasValue()",
		"bool_0 ? " + plain + " : " + plain,
		"dyn(" + plain + ") == dyn(" + plain + ")",
		"type(" + plain + ")",
		"[" + plain + "].exists(x, x == " + plain + ")",
	}
}

// limits keep families of like overloads from drowning the rest.
func limits(o Overload, binding int) (literals, variables int) {
	switch o.Function {
	case "_<_", "_<=_", "_>_", "_>=_":
		return 3, 2
	}
	switch {
	case binding > 1:
		return 2, 1
	case binding > 0 || strings.HasPrefix(o.Function, "get"):
		return 4, 2
	}
	return 30, 7
}

// wrong gives values of other types than t.
func wrong(t typ) []string {
	var all []string
	for _, v := range []struct{ typ, expr string }{{"int", "1"}, {"string", "'a'"}, {"bool", "true"}, {"list", "[1]"}, {"map", "{'a': 1}"}} {
		if v.typ != t.name && t.name != "dyn" {
			all = append(all, v.expr)
		}
	}
	if len(all) == 0 {
		return []string{"null"}
	}
	return all[:2]
}

// misuse calls every function in forms that no overload has.
func misuse(functions []string) []string {
	var all []string
	for _, f := range functions {
		if strings.Contains(f, "_") || strings.HasPrefix(f, "@") {
			continue
		}
		all = append(all, f+"()", f+"(1)", f+"('a', 'b')", "'a'."+f+"()", "1."+f+"(2)", "any."+f+"()", f)
	}
	return all
}
