package pricing

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"

	"github.com/kubecel/kubecel/cost"
)

// decl is a small schema: what an object of a CRD looks like to the estimator.
type decl struct {
	typ    *cel.Type
	max    uint64
	elem   *decl
	key    *decl
	fields map[string]*decl
}

func list(max uint64, elem *decl) *decl {
	return &decl{typ: cel.ListType(elem.typ), max: max, elem: elem}
}

func mapOf(max uint64, elem *decl) *decl {
	return &decl{typ: cel.MapType(cel.StringType, elem.typ), max: max, key: text(20), elem: elem}
}

func text(max uint64) *decl { return &decl{typ: cel.StringType, max: max} }

func leaf(t *cel.Type) *decl { return &decl{typ: t, max: 1} }

func object(name string, fields map[string]*decl) *decl {
	return &decl{typ: cel.ObjectType(name), max: 11, fields: fields}
}

func schema() *decl {
	inner := object("inner", map[string]*decl{
		"s": text(30), "u": text(math.MaxUint64), "n": leaf(cel.IntType), "l": list(4, text(8)),
		"q": list(7, text(9)), "m": mapOf(5, leaf(cel.IntType)), "d": leaf(cel.DynType),
	})
	middle := object("middle", map[string]*decl{"inner": inner, "items": list(6, inner), "s": text(12)})
	return object("root", map[string]*decl{
		"s": text(100), "t": text(0), "u": text(math.MaxUint64), "y": {typ: cel.BytesType, max: 40},
		"n": leaf(cel.IntType), "x": leaf(cel.DoubleType), "b": leaf(cel.BoolType), "d": leaf(cel.DynType),
		"ts": leaf(cel.TimestampType), "dur": leaf(cel.DurationType),
		"l": list(50, text(10)), "ints": list(25, leaf(cel.IntType)), "big": list(math.MaxUint64, inner),
		"m": mapOf(60, text(15)), "mm": mapOf(3, mapOf(9, inner)), "ll": list(8, list(2, text(5))),
		"o": middle, "objs": list(13, middle), "inner": inner,
	})
}

// provider makes the object types of a schema known to the checker.
type provider struct {
	types.Provider
	objects map[string]*decl
}

func newProvider(t testing.TB, root *decl) *provider {
	t.Helper()
	registry, err := types.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{Provider: registry, objects: map[string]*decl{}}
	p.add(root)
	return p
}

func (p *provider) add(d *decl) {
	if d == nil {
		return
	}
	if d.fields != nil {
		p.objects[d.typ.TypeName()] = d
	}
	p.add(d.elem)
	for _, f := range d.fields {
		p.add(f)
	}
}

func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if d, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(d.typ), true
	}
	return p.Provider.FindStructType(name)
}

func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if d, ok := p.objects[name]; ok {
		return slices.Sorted(maps.Keys(d.fields)), true
	}
	return p.Provider.FindStructFieldNames(name)
}

func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if d, ok := p.objects[name]; ok {
		f, ok := d.fields[field]
		if !ok {
			return nil, false
		}
		return &types.FieldType{Type: f.typ}, true
	}
	return p.Provider.FindStructFieldType(name, field)
}

func (p *provider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	return types.NewErr("no values")
}

// testEnv has `self`, an `oldSelf` of the same type, and variables of every type.
func testEnv(t testing.TB) *cel.Env {
	t.Helper()
	root := schema()
	p := newProvider(t, root)
	env, err := cel.NewEnv(
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		ext.TwoVarComprehensions(), ext.Bindings(), ext.Strings(), ext.Sets(), ext.Lists(),
		cel.CustomTypeProvider(p),
		cel.Variable("self", root.typ), cel.Variable("oldSelf", root.typ),
		cel.Variable("optSelf", cel.OptionalType(root.typ)),
		cel.Variable("vs", cel.StringType), cel.Variable("vl", cel.ListType(cel.StringType)),
		cel.Variable("vm", cel.MapType(cel.StringType, cel.StringType)), cel.Variable("vd", cel.DynType),
		cel.Variable("vy", cel.BytesType), cel.Variable("__result__", cel.ListType(cel.StringType)),
	)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// schemaSizer finds sizes as an API server does: the variable is not looked at.
type schemaSizer struct{ root *decl }

func (s schemaSizer) SizeOf(path []string) (cost.Range, bool) {
	at := s.root
	for _, segment := range path[1:] {
		switch segment {
		case PathItems, PathValues:
			at = at.elem
		case PathKeys:
			at = at.key
		default:
			at = at.fields[segment]
		}
		if at == nil {
			return cost.Range{}, false
		}
	}
	return cost.Range{Max: at.max}, true
}

// hashSizer gives every path a size of its own, and some none, so that each
// question for a wrong path shows.
type hashSizer struct{ seed uint64 }

func (s hashSizer) SizeOf(path []string) (cost.Range, bool) {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, strings.Join(path, "/"))
	n := h.Sum64()
	lo, hi := n>>8%7, n>>16%1000
	switch n % 8 {
	case 0, 1, 2:
		return cost.Range{}, false
	case 3:
		return cost.Range{Min: lo, Max: math.MaxUint64}, true
	case 4:
		return cost.Range{Min: hi, Max: lo}, true
	case 5:
		return cost.Range{Min: lo, Max: 1<<62 + hi}, true
	}
	return cost.Range{Min: lo, Max: lo + hi}, true
}

// generator writes random expressions of given types.
type generator struct {
	*rand.Rand
	scope []variable
}

type variable struct{ name, typ string }

// productions are the ways to write an expression of a type. A word in braces is
// replaced by an expression of that type; {x:T:R} stands for an R in which the
// variable x has the type T.
var productions = map[string][]string{
	"s": {
		"'abc'", "''", "'é世界'", "vs", "self.s", "self.t", "self.u", "oldSelf.s", "self.o.s", "{in}.s", "{in}.u", "self.o.inner.s", "self.m[{s}]", "self.l[{n}]",
		"{l}[{n}]", "{m}[{s}]", "{s} + {s}", "({b} ? {s} : {s})", "string({n})", "string({y})", "string({s})", "string({x})",
		"strings.quote({s})", "'%s %d'.format([{s}, {n}])", "{s}.substring({n})", "{s}.lowerAscii()", "{l}.join({s})", "string({d})",
		"cel.bind(v, {s}, {v:s:s})", "cel.bind(v, {l}, {v:l:s})", "optional.of({s}).orValue({s})", "self.?s.orValue({s})", "self.m[?{s}].orValue({s})",
		"optSelf.s.orValue({s})", "{middle}.s", "string(self.ts)", "{'k': {s}}['k']", "[{s}, {s}][{n}]", "{ll}[{n}][{n}]", "'abc'.charAt({n})", "{s}.replace({s}, {s})", "__result__[{n}]", "__result__.join({s})", "[__result__, {l}][{n}].join('12')", "self.objs.map(o, {o:middle:s}).join('a')", "[{l}].map(x, {x:l:s}).join({s})",
		"self.objs.map(o, o.items.map(p, p.l.join(o.s)).join({s})).join()",
	},
	"y": {"b'xyz'", "self.y", "vy", "bytes({s})", "bytes({y})", "{y} + {y}", "({b} ? {y} : {y})"},
	"n": {
		"1", "size({s})", "{s}.size()", "{l}.size()", "size({m})", "size({y})", "{in}.n", "self.n", "{n} + {n}", "{n} * {n}", "-({n})", "int({x})", "int({s})",
		"self.ints[{n}]", "{in}.m[{s}]", "{in}.m.size()", "self.ts.getHours()", "self.dur.getMinutes({s})", "({b} ? {n} : {n})", "{ll}.size()", "{s}.indexOf({s})",
		"cel.bind(v, {n}, {v:n:n} + v)", "{big}.size()", "{mm}.size()", "int({d})", "[{n}, {n}][{n}]", "optional.of({n}).value()", "lists.range({n}).size()",
	},
	"x": {"1.5", "self.x", "double({n})", "{x} / {x}", "double({s})"},
	"d": {"vd", "self.d", "dyn({s})", "dyn({l})", "dyn({n})", "vd.field", "vd[{s}]", "vd[{n}]", "{in}.d", "dyn({in}).s", "dyn({m})", "{d}.a.b", "{d} + {d}"},
	"b": {
		"true", "false", "self.b", "{b} && {b}", "{b} || {b}", "!({b})", "({b} ? {b} : {b})", "{s} == {s}", "{s} != {s}", "{s} < {s}", "{s} <= {s}", "{s} > {s}", "{s} >= {s}", "{y} < {y}", "{y} <= {y}", "{y} > {y}", "{y} >= {y}", "{y} == {y}",
		"{n} < {n}", "{n} == {n}", "{x} > {n}", "{l} == {l}", "{m} == {m}", "{in} == {in}", "{d} == {s}", "{d} < {d}", "{d} == {d}", "{s}.startsWith({s})", "{s}.endsWith({s})",
		"{s}.contains({s})", "{s}.matches({s})", "matches({s}, {s})", "{s} in {l}", "{s} in {m}", "{n} in self.ints", "{d} in {d}", "vd.startsWith({s})", "{d}.contains({d})", "vd.matches({s})",
		"has(self.s)", "has({in}.s)", "has(self.m.foo)", "has({middle}.inner)", "has({d}.z)", "self.ts > self.ts", "self.dur == self.dur", "bool({s})",
		"{l}.all(x, {x:s:b})", "{l}.exists(x, {x:s:b})", "{l}.exists_one(x, {x:s:b})", "{m}.all(k, {k:s:b})", "{m}.exists(k, {k:s:b})", "{ll}.all(x, {x:l:b})", "{big}.all(o, {o:in:b})",
		"self.objs.all(o, {o:middle:b})", "self.objs.exists(o, {o:middle:b})", "{mm}.all(k, {k:s:b})", "vd.all(x, {x:d:b})", "{d}.exists(x, {x:d:b})",
		"self.objs.all(o, o.items.all(p, o.s == p.s))", "{big}.all(o, o.l.all(p, o.s == p && {o:in:b}))", "self.big.all(o, o.s.contains(o.u) && o.u.matches(o.s))", "self.objs.all(o, o.items.all(p, p.u.contains(p.s) && p.s.contains(p.u)))",
		"{big}.all(o, o.m.all(p, q, o.s == p && {o:in:b}))",
		"{l}.all(i, x, {x:s:b})", "{l}.exists(i, x, i == {n})", "{l}.exists(i, x, {i:n:b})", "{m}.all(k, v, {v:s:b})", "{m}.exists_one(k, v, {k:s:b})", "{mm}.exists(k, v, {v:min:b})",
		"cel.bind(v, {s}, {v:s:b})", "cel.bind(v, {l}, {v:l:b})", "cel.bind(v, {in}, {v:in:b})", "cel.bind(v, {middle}, {v:middle:b})",
		"self.?s.hasValue()", "self.?o.s.optMap(v, {v:s:b}).orValue({b})", "self.?l.optMap(v, {v:l:b}).orValue({b})", "optional.of({s}) == optional.of({s})", "self.?o.optFlatMap(v, v.?s).hasValue()",
		"sets.contains({l}, {l})", "{s} in __result__", "{in} == vd", "{in} == {in}", "{l} == {l}.map(x, {x:s:s})", "type({s}) == string", "{l}.isSorted()",
	},
	"l": {
		"[]", "['a', 'bcd']", "[{s}, {s}]", "self.l", "vl", "{in}.l", "{in}.q", "{ll}[{n}]", "{l} + {l}", "({b} ? {l} : {l})", "{l}.filter(x, {x:s:b})", "{l}.map(x, {x:s:s})",
		"{m}.map(k, {k:s:s})", "{l}.map(x, {x:s:b}, {x:s:s})", "{m}.filter(k, {k:s:b})", "{big}.map(o, {o:in:s})", "self.objs.map(o, {o:middle:s})", "{s}.split({s})", "{ll}.flatten()",
		"{l}.transformList(i, x, {x:s:s})", "{m}.transformList(k, v, {v:s:s})", "{l}.transformList(i, x, {x:s:b}, {x:s:s})", "{l}.distinct()", "{l}.slice(0, {n})", "{l}.sort()",
		"cel.bind(v, {l}, {v:l:l})", "[?self.?s, {s}]", "self.l.map(x, {x:s:s}).filter(y, {y:s:b})", "optional.of({l}).value()",
	},
	"m": {
		"{}", "{'a': {s}}", "{{s}: {s}, 'b': {s}}", "self.m", "vm", "({b} ? {m} : {m})", "{m}.transformMap(k, v, {v:s:s})", "{m}.transformMap(k, v, {v:s:b}, {k:s:s})",
		"cel.bind(v, {m}, {v:m:m})", "{l}.transformMapEntry(i, x, {x: {x:s:s}})", "{?'a': self.?s}",
	},
	"in":     {"self.inner", "self.o.inner", "{middle}.inner", "self.big[{n}]", "{middle}.items[{n}]", "{mm}[{s}][{s}]", "({b} ? {in} : {in})", "[{in}][{n}]", "{'z': {in}}['z']", "dyn({in})"},
	"middle": {"self.o", "oldSelf.o", "self.objs[{n}]", "({b} ? {middle} : {middle})", "[{middle}, self.o][0]", "cel.bind(v, {middle}, {v:middle:middle})"},
	"ll":     {"self.ll", "[{l}, {l}]", "[[]]", "{ll} + {ll}", "{ll}.filter(x, {x:l:b})", "{l}.map(x, [{x:s:s}])", "({b} ? {ll} : {ll})", "{m}.map(k, {k:s:l})"},
	"big":    {"self.big", "{middle}.items", "[{in}]", "{big} + {big}", "{big}.filter(o, {o:in:b})", "({b} ? {big} : {big})", "self.objs.map(o, {o:middle:in})"},
	"mm":     {"self.mm", "{'a': {min}}", "({b} ? {mm} : {mm})"},
	"min":    {"self.mm[{s}]", "{'b': {in}}", "{mm}[{s}]"},
}

// expr writes an expression of a type. At depth zero it takes what needs no other
// expression.
func (g *generator) expr(typ string, depth int) string {
	var visible []string
	for _, v := range g.scope {
		if v.typ == typ {
			visible = append(visible, v.name)
		}
	}
	if len(visible) > 0 && g.Intn(2) == 0 {
		return visible[g.Intn(len(visible))]
	}
	choices := productions[typ]
	form := choices[g.Intn(len(choices))]
	for tries := 0; depth <= 0 && holes(form) && tries < 200; tries++ {
		form = choices[g.Intn(len(choices))]
	}
	return g.fill(form, depth)
}

// fill replaces the words in braces of a form.
func (g *generator) fill(form string, depth int) string {
	var out strings.Builder
	for len(form) > 0 {
		open := strings.IndexByte(form, '{')
		if open < 0 {
			break
		}
		word, rest, found := strings.Cut(form[open+1:], "}")
		parts := strings.Split(word, ":")
		if _, known := productions[parts[len(parts)-1]]; !found || !known || len(parts) == 2 || strings.Contains(word, " ") {
			out.WriteString(form[:open+1]) // the brace of a map literal
			form = form[open+1:]
			continue
		}
		out.WriteString(form[:open])
		if len(parts) == 3 {
			g.scope = append(g.scope, variable{parts[0], parts[1]})
			out.WriteString(g.expr(parts[2], depth-1))
			g.scope = g.scope[:len(g.scope)-1]
		} else {
			out.WriteString(g.expr(word, depth-1))
		}
		form = rest
	}
	return out.String() + form
}

// holes tells whether a form asks for other expressions.
func holes(form string) bool {
	for typ := range productions {
		if strings.Contains(form, "{"+typ+"}") || strings.Contains(form, ":"+typ+"}") {
			return true
		}
	}
	return false
}

// corpus writes n expressions, the first ones each form on its own.
func corpus(n int) []string {
	g := &generator{Rand: rand.New(rand.NewSource(1))}
	var out []string
	for _, typ := range slices.Sorted(maps.Keys(productions)) {
		for _, form := range productions[typ] {
			for depth := 1; depth < 4; depth++ {
				out = append(out, g.fill(form, depth))
			}
		}
	}
	for _, typ := range []string{"b", "s", "l", "n", "m", "big"} {
		for range (n - len(out)) / 6 {
			out = append(out, g.expr(typ, 1+g.Intn(5)))
		}
	}
	return out
}
