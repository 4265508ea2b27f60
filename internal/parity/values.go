package parity

import "fmt"

// gen writes expressions of a wanted type, the most ordinary first.
type gen struct {
	pools map[string]pool
}

func newGen() *gen {
	g := &gen{pools: map[string]pool{}}
	for _, p := range pools() {
		g.pools[p.name] = p
	}
	return g
}

// values gives expressions of type t: of literals alone, or of variables. dom
// is the meaning of strings in it; goodOnly keeps to what parsers accept.
func (g *gen) values(t typ, dom string, variables, goodOnly bool) []string {
	if t.name == "string" {
		return g.fromPool(g.pools[dom], variables, goodOnly)
	}
	if p, ok := g.pools[t.name]; ok {
		return g.fromPool(p, variables, goodOnly)
	}
	if made, ok := constructors()[t.name]; ok {
		var all []string
		if made.domain == "" {
			return made.fixed
		}
		for _, s := range g.values(typ{name: "string"}, made.domain, variables, true) {
			all = append(all, fmt.Sprintf(made.format, s))
		}
		return append(all, made.fixed...)
	}
	switch t.name {
	case "list":
		return g.lists(t.params[0], dom, variables)
	case "map":
		return g.maps(t, variables)
	case "optional_type":
		return g.optionals(t.params[0], variables)
	case "dyn":
		if variables {
			return []string{"any", "any_int", "any_null", "list_dyn", "map_dyn"}
		}
		return []string{"dyn(1)", "dyn('a')", "dyn([1, 2])", "dyn({'a': 1})", "dyn(null)"}
	case "type":
		return []string{"int", "type('a')", "list", "type(null)"}
	}
	panic("no values of type " + t.String())
}

func (g *gen) fromPool(p pool, variables, goodOnly bool) []string {
	var all []string
	for i, a := range p.args {
		if goodOnly && p.good > 0 && i >= p.good {
			break
		}
		if variables {
			all = append(all, a.variable)
		} else {
			all = append(all, a.literal)
		}
	}
	return all
}

type constructor struct {
	domain, format string
	fixed          []string
}

// constructors make values of the types that have no literals.
func constructors() map[string]constructor {
	const res = "authorizer.group('apps').resource('deployments')"
	return map[string]constructor{
		"net.IP":                             {"ip", "ip(%s)", nil},
		"net.CIDR":                           {"cidr", "cidr(%s)", []string{"cidr('192.168.0.77/24')"}},
		"kubernetes.Quantity":                {"quantity", "quantity(%s)", []string{"quantity('1e400')"}},
		"kubernetes.URL":                     {"url", "url(%s)", nil},
		"kubernetes.Semver":                  {"semver", "semver(%s)", []string{"semver('v1', true)"}},
		"kubernetes.NamedFormat":             {"format", "format.named(%s).value()", []string{"format.dns1123Label()"}},
		"kubernetes.authorization.PathCheck": {"path", "authorizer.path(%s)", nil},
		"kubernetes.authorization.Authorizer": {fixed: []string{"authorizer", "authorizer.serviceAccount('ns', 'sa')",
			"authorizer.serviceAccount('Bad', 'sa')"}},
		"kubernetes.authorization.GroupCheck": {fixed: []string{"authorizer.group('apps')", "authorizer.group('')"}},
		"kubernetes.authorization.ResourceCheck": {fixed: []string{res,
			res + ".subresource('scale').namespace('ns').name('n').fieldSelector('a=b').labelSelector('c in (d,e)')"}},
		"kubernetes.authorization.Decision": {"verb", res + ".check(%s)", []string{"authorizer.path('/x').check('get')"}},
	}
}

func (g *gen) lists(elem typ, dom string, variables bool) []string {
	v := g.values(elem, dom, variables, true)
	at := func(i int) string { return v[i%len(v)] }
	all := []string{
		"[" + at(0) + ", " + at(1) + ", " + at(2) + "]",
		"[" + at(0) + "]",
		"[" + at(2) + ", " + at(1) + ", " + at(0) + ", " + at(1) + "]",
		"[" + at(0) + ", " + at(0) + "]",
	}
	if variables {
		switch elem.String() {
		case "int", "string", "double", "bool", "bytes", "uint", "dyn":
			all = append([]string{"list_" + elem.name}, all...)
		case "list(int)":
			all = append(all, "list_list")
		}
		if elem.name == "int" {
			all = append(all, "list_int_empty")
		}
		return all
	}
	return append(all, "[]")
}

func (g *gen) maps(t typ, variables bool) []string {
	k := g.values(t.params[0], "needle", variables, true)
	v := g.values(t.params[1], "string", variables, true)
	all := []string{
		"{" + k[0] + ": " + v[0] + "}",
		"{" + k[0] + ": " + v[0] + ", " + k[1] + ": " + v[1%len(v)] + "}",
	}
	if !variables {
		return append(all, "{}")
	}
	switch t.String() {
	case "map(string, int)":
		all = append(all, "map_string_int", "map_empty")
	case "map(int, string)":
		all = append(all, "map_int_string")
	}
	return all
}

func (g *gen) optionals(elem typ, variables bool) []string {
	v := g.values(elem, "string", variables, true)
	all := []string{"optional.of(" + v[0] + ")", "optional.of(" + v[1%len(v)] + ")", "optional.none()", "optional.ofNonZeroValue(" + v[1%len(v)] + ")"}
	if variables && elem.String() == "string" {
		all = append(all, "opt", "opt_none")
	}
	return all
}
