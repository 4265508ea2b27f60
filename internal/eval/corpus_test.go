package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/race"
)

// operands are expressions of every type and shape: constants, variables, parts,
// dyn, optionals and errors of each.
var operands = []string{
	`1`, `-1`, `0`, `3`, `2u`, `2.0`, `0.5`, `true`, `false`, `'hello'`, `''`, `b'ab'`, `null`, `int`, `type(i)`,
	`i`, `u`, `d`, `s`, `b`, `y`, `ts`, `dur`, `n`, `nan`, `f32`, `x`, `li`, `ls`, `ld`, `lm`, `m`, `md`, `mi`, `mb`, `mu`, `self`, `oi`, `os`, `none`,
	`missing`, `ns.v`, `self.name`, `self.list`, `self.absent`, `self.null`, `self.x.y.z`, `self.x.y.q`, `self.items`, `self.count`,
	`self.items[0].name`, `self.items[i]`, `self.list[i - 3]`, `self.list[9]`, `md.k.a`, `md['k']`, `md[s]`, `m.one`, `m['two']`, `mi[1]`, `mi[i]`, `mb[b]`, `mu[u]`,
	`ld[0]`, `ld[1]`, `ld[4].a`, `lm[0].a`, `lm[1].a`, `li[0]`, `li[7]`, `li[i]`, `li[li[0]]`, `ls[li[0] - 1]`, `li[b ? 0 : 1]`, `li[(b ? li : li)[0]]`,
	`(b ? self : md).name`, `(b ? lm[0] : lm[1]).a`, `(self.absent ? md : self).name`, `(b ? 1 : i)`, `(x == 5 ? self.name : self.absent)`,
	`(b ? (i == 3 ? lm[0] : lm[1]) : lm[2]).s`, `(dyn(1) ? i : u)`, `[1, 2][i - 3]`, `{'a': i}.a`, `{'a': {'b': i}}['a'].b`, `[self][0].name`,
	`self.?name`, `self.?absent`, `self.?absent.foo`, `self.?x.y.z`, `md[?'k']`, `md[?s]`, `lm[?0].a`, `lm[?9].a`, `os.a`, `os.?a`, `os[?'a']`, `oi`,
	`self.?name.orValue('z')`, `self.?absent.orValue(self.name)`, `self.?absent.or(self.?name)`, `oi.or(none)`, `none.or(oi).value()`, `none.value()`,
	`optional.of(i)`, `optional.ofNonZeroValue(0)`, `oi.optMap(o, o + 1)`, `self.?absent.optMap(o, o)`, `oi.optFlatMap(o, optional.of(o))`,
	`has(self.name)`, `has(self.absent)`, `has(self.x.y.z)`, `has(self.absent.z)`, `has(lm[0].a)`, `has((b ? self : md).name)`, `has(self.?x.y)`, `has(os.a)`, `has(x.a)`,
	`has((dyn(1) ? self : md).name)`, `has((self.absent ? self : md).name)`, `has({'a': 1}.a)`,
	`dyn(1)`, `dyn(i)`, `dyn('x')`, `dyn(self.list)`, `dyn([1, 2])`, `dyn(b)`, `1 / 0`, `1 / (i - 3)`, `i % 0`, `9223372036854775807 + i`,
	`[]`, `[1, 2, 3]`, `['a', 'b']`, `[i, 2]`, `[i, 1 / (i - 3), 2]`, `[?oi, 1]`, `[?none]`, `[self.name, self.absent]`, `{}`, `{'a': 1}`, `{'a': i, s: 2}`, `{'a': self.absent, 'b': i}`,
	`{?'a': oi}`, `{?'a': none, 'b': 1}`, `{1: 'a', 2: s}`, `google.protobuf.Int64Value{value: i}`, `google.protobuf.StringValue{value: 'x'}`,
	`google.protobuf.Struct{fields: {'a': google.protobuf.Value{number_value: 1.0}}}`, `google.protobuf.Timestamp{seconds: 5, nanos: 1 / (i - 3)}`,
	`timestamp('2020-01-01T00:00:00Z')`, `duration('1h')`, `timestamp(s)`, `duration(s)`, `int('3')`, `int(s)`, `string(i)`, `double('1.5')`, `uint(i)`, `bytes(s)`, `bool(s)`,
	`size(s)`, `s.size()`, `ls.size()`, `self.list.size()`, `zero()`, `three(i, s, b)`, `three(self.absent, s, i)`, `three(i, self.absent, s)`, `three(i, s, self.absent)`,
	`lax(self.absent, 1)`, `lax(i, s)`, `crash(i)`, `s.matches('^h')`, `self.absent.matches('a')`, `dyn(i).matches('a')`, `s.matches(s)`, `s.find('x')`, `self.name.find('x')`, `s.find(s)`,
	`s.startsWith('he')`, `s.contains('lo')`, `s.substring(1, 3)`, `s.replace('l', 'L')`, `s.split(' ')`, `ls.join(',')`, `s.charAt(99)`, `'%s-%d'.format([s, i])`,
	`ts.getFullYear()`, `ts.getHours('Europe/Paris')`, `dur.getSeconds()`, `ts + dur`, `sets.contains(li, [1])`, `li.slice(0, 2)`, `[3, 1, 2].sort()`, `lists.range(3)`, `li.sortBy(q, -q)`,
	`i in [1, 2, 3]`, `s in ['hello', 'hello world']`, `self.name in ['foo']`, `d in [1, 2.5]`, `u in [4]`, `x in [5u]`, `i in []`, `dyn(s) in [1]`, `s in ls`, `'one' in m`, `1 in mi`, `nan in [1.0]`,
	`th`, `th.Name`, `th.Sub.Count`, `th.Sub.Sub.Name`, `th.Sub.Sub.Sub.Count`, `has(th.Name)`, `has(th.Sub.Name)`, `has(th.Sub.Sub.Name)`, `th.?Name`, `th.?Sub.?Name.orValue('q')`, `th.Tags[0]`, `th.Any['a'].Name`, `th.Any.b.Name`,
	`dyn(th).Name`, `dyn(th).Nope`, `has(dyn(th).Nope)`, `dyn(th)['Name']`, `dyn(th)[?'Sub'].Name`, `(b ? th : th.Sub).Name`, `eval.Thing{Name: s}`, `eval.Thing{Name: s, Count: i, Sub: eval.Thing{}}.Sub.Name`, `eval.Thing{?Count: oi, ?Name: self.?name}.Count`,
	`eval.Thing{Name: s, Count: 1 / (i - 3)}`, `eval.Thing{Name: dyn(i)}`, `lt[2].Sub.Name`, `lt.all(e, e.Count > 0 && (has(e.Sub) ? e.Sub.Name == 'd' : true))`, `lt.map(e, e.Sub.Name)`, `lt.filter(e, has(e.Name)).map(e, e.Name)`, `lt.exists(e, e.?Sub.?Name.orValue('') == 'd')`,
	`self.absent in ['a']`, `i in [1, 'a']`, `i in li`, `y in [b'a']`, `dyn(y) in ['a']`, `n in [null]`,
}

// binary and other forms of expressions; $ stands for an operand.
var forms = []string{
	`$ == $`, `$ != $`, `$ < $`, `$ <= $`, `$ > $`, `$ >= $`, `$ + $`, `$ - $`, `$ * $`, `$ / $`, `$ % $`, `$ in $`,
	`dyn($) == $`, `dyn($) < dyn($)`, `dyn($) + dyn($)`, `dyn($) in dyn($)`, `-dyn($)`, `!dyn($)`, `-$`, `!$`,
	`$ && $`, `$ || $`, `dyn($) && dyn($)`, `dyn($) || dyn($)`, `$ && $ && $ || $`, `$ ? $ : $`, `dyn($) ? dyn($) : dyn($)`,
	`$[$]`, `dyn($)[$]`, `dyn($)[dyn($)]`, `dyn($)[?dyn($)]`, `$[?$]`, `dyn($).a`, `dyn($).?a`, `dyn($).?a.b`, `has(dyn($).a)`, `$.a`, `has($.a)`,
	`dyn($)[$].a`, `dyn($)[size(dyn($))].a`, `dyn($)[three($, $, $) - 3].a`,
	`[$, $]`, `[dyn($), dyn($), dyn($)]`, `{'a': $}`, `{'a': dyn($), 'b': dyn($)}`, `{dyn($): dyn($)}`, `[?$]`, `{?'a': $}`,
	`size(dyn($))`, `dyn($).size()`, `string(dyn($))`, `int(dyn($))`, `type($)`, `dyn($).startsWith(dyn($))`, `dyn($).contains($)`, `dyn($).matches($)`, `dyn($).matches(dyn($))`,
	`three($, $, $)`, `three(three($, $, $), $, $)`, `lax($, $)`, `lax(three($, $, $), $)`, `$.substring($, $)`, `dyn($).replace($, $)`, `dyn($).find('a')`,
	`$.or($)`, `$.orValue($)`, `dyn($).orValue($)`, `$.optMap(o, o == $)`, `$.hasValue()`, `$.value()`, `optional.of($)`,
	`cel.bind(v, $, v == v)`, `cel.bind(v, $, $)`, `cel.bind(v, $, [1, 2].map(q, v))`, `cel.bind(v, [], [v + [$], v + [$]])`, `cel.bind(v, {}, v)`, `cel.bind(v, $, [v, $, v])`,
	`cel.bind(v, dyn($), three(v, $, v))`, `cel.bind(i, $, i == .i)`, `cel.bind(self, lm, self.map(e, .self.items[e.a - 1]))`, `cel.bind(self, $, .self.items[.i - 3].name == $)`,
	`lm.all(self, .self.name == $)`, `[1].all(i, three(.i, i, $) == 3)`, `li.map(i, li[.i - 1] + i)`, `[0, 1].map(i, (b ? .li : ld)[i])`, `[0, 1].map(li, .li[li])`,
	`[0, 1].map(li, .li[[li, 0].map(w, w)[1]])`, `[0, 1].map(li, has(.self.x) && .lm.all(w, has(w.s)) && .li[0] == li)`, `[1, 2].map(self, .self.items[has(self.a) ? 0 : 1])`,
}

// loops are comprehensions; # stands for a body that may use e, any $ for an operand.
var loops = []string{
	`lm.all(e, #)`, `dyn(lm).map(e, #)`, `dyn(lm).filter(e, #)`, `dyn(lm).exists(e, #)`, `lm.exists(e, #)`, `lm.exists_one(e, #)`, `lm.map(e, #)`, `lm.filter(e, #)`, `lm.map(e, #, #)`, `ld.all(e, #)`, `ld.map(e, #)`, `ld.filter(e, #)`, `m.all(e, #)`,
	`m.map(e, #)`, `[$, $, $].map(e, #)`, `[dyn($), dyn($)].filter(e, #)`, `[dyn($), dyn($)].exists(e, #)`, `dyn($).all(e, #)`, `dyn($).map(e, #)`, `$.all(e, #)`, `lm.sortBy(e, #)`,
	`lm.all(e, e2, #)`, `lm.exists(k, e, #)`, `md.exists(k, e, #)`, `ld.existsOne(k, e, #)`, `ld.transformList(k, e, #)`, `lm.transformList(k, e, #, #)`, `lm.transformMap(k, e, #)`,
	`lm.transformMap(k, e, #, #)`, `md.transformMap(k, e, #)`, `lm.transformMapEntry(k, e, {string(k): #})`, `dyn($).all(k, e, #)`, `dyn($).transformList(k, e, #)`, `m.transformMap(k, e, #)`,
	`[1, 2, 3].map(z, lm.filter(e, #))`, `[1, 2].all(z, lm.exists(e, #))`, `lm.map(z, cel.bind(e, z, #))`, `three($, lm.filter(e, #), $)`, `lm.all(e, #) && lm.all(e, #)`, `lm.filter(e, lm.exists(f, #))`,
}

var bodies = []string{
	`e.a > 0`, `e.a == 1`, `has(e.a)`, `e.a`, `e.s`, `e`, `e == $`, `e in [1, 4]`, `e.a in [1, 4]`, `e.s in ['one', 'x']`, `(e.a in [1, 4]) == true`, `three(e.s, e.a, $)`, `three(e.a, e.s, e.m) == 3`,
	`three(e.m, e.s, e.a) == 3 || three(e.s, e.s, e.s) == 3`, `e.s.matches('o')`, `e.?a.orValue(1) == 1`, `e.?a.orValue(1)`, `e.?m.k.orValue(e.?a.orValue(0))`, `e.?a.or(e.?s).hasValue()`, `e.?a.hasValue()`,
	`has(e.a) ? e.a : e.s`, `(has(e.a) ? e : self).s`, `(e.a == 1 ? e : self).s == 'one'`, `(e.a == 1 ? e : self).s in ['one', 'four']`, `li[e.a - 1]`, `li[has(e.a) ? 0 : 1]`, `li[e.a == 1 ? 0 : 1]`,
	`lm[e.a - 1].a`, `lm[e.a == 1 ? 0 : 1].a`, `li[e.?a.orValue(0)]`, `ld[size(e)].a`, `lm[size(e) - 1].a`, `lm[e.a].a`, `[e.a, e.s, $]`, `[e.s, e.a, e.m].size() == 3`, `{'a': e.a, 'b': e.s}`, `{'a': e.m, 'b': e.a}.a == 1`,
	`e.a > 0 && $`, `e.a > 0 || $`, `$ || e.a > 0`, `dyn(e.a) && dyn($)`, `!(e.a in [1])`, `[e.a].exists(w, w == $)`, `[e.a, 1].filter(w, w in [1, 2])`, `[1, 2].map(w, e.?a.orValue(w))`, `[1, 2].map(w, w in [e.a])`,
	`lax(e.a in [1], e.s in ['one'])`, `lax(e.a in [1], three(e.s, e.a, e.m))`, `three(e.s in ['one'], e.a in [1], e.s)`, `lax(e.?a.orValue(0), e.?m.orValue(e.s))`, `three($, e.a in [1, 4], e.s)`,
	`e.s + e.s == 'a' || e.a == 4`, `string(e.a) + e.s`, `cel.bind(v, e.a, v in [1, 4] || v == 1)`, `cel.bind(v, e.a in [1], v)`, `crash(e.a)`, `$`, `e.optMap(q, q)`, `e[?'a'].optMap(q, q in [1]).orValue(false)`, `type(e) == type($)`,
	`three(e.s, three(e, e.a, 1), 1) == 3`, `three(e.s, three(e, e.a, 1), $)`, `three(e.s, {'q': e, 'r': e.a}, 1)`, `three(e.s, [dyn(e), e.a, 1], 1)`, `three(three(e, e.a, 1), e.s, 1)`,
	`three(e.s, [e, e.a, e], 1)`, `lax(e.s, [e, e.a, e]) == 7`, `lax(e.s, {'a': e, 'b': e.a, 'c': e}) == 7`, `lax(e.s, e.s.matches('o') || three(e, e.a, 1) == 3) == 7`,
	`three(e.s, {'a': e, 'b': e.a, 'c': e}, 1) == 3`,
	`three(e.s, e in [1] ? 1 : e.a, e)`, `lax(e.s, [e.?m.orValue(e.s), e.a, 1])`, `lax(e.s, three(e, e.a, 1)) == 7`, `(e.s in ['two']) == three(e, e.a, 1)`,
	`e[has(e.a) ? 'a' : 's']`, `e[e.s == 'one' ? 'a' : 's'] in [1]`, `(b ? e.a : e.s) in [1, 4]`, `((e.a in [1]) ? e.a : e.s)`, `[(e.a in [1]) ? e.a : e.s][0] in [1]`, `e.m[e.s.substring(9)]`,
}

// corpus makes expressions: all simple ones, and n of each longer form.
type corpus struct {
	rng *rand.Rand
}

func (c corpus) pick(from []string) string { return from[c.rng.IntN(len(from))] }

func (c corpus) fill(form string, depth int) string {
	var b strings.Builder
	for _, r := range form {
		switch {
		case r == '$':
			b.WriteString("(" + c.operand(depth) + ")")
		case r == '#':
			b.WriteString(c.fill(c.pick(bodies), depth))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (c corpus) operand(depth int) string {
	switch n := c.rng.IntN(10); {
	case depth > 0 && n < 3:
		return c.fill(c.pick(forms), depth-1)
	case depth > 0 && n < 5:
		return c.fill(c.pick(loops), depth-1)
	}
	return c.pick(operands)
}

func (e *engines) compareAll(t *testing.T, texts []string, limits int) {
	t.Helper()
	compiled, tracked := 0, 0
	kinds := map[Kind]int{}
	vars := []activation{nativeVars(), valueVars(e.env.CELTypeAdapter())}
	texts = race.Sample(texts, 5)
	for i, text := range texts {
		ast := compile(e.env, text)
		if ast == nil {
			continue
		}
		compiled++
		e.compareAST(t, text, ast, vars[i%2], limits)
		if p, err := e.plan(ast); err == nil {
			if p.tracked {
				tracked++
			}
			kinds[p.Eval(t.Context(), vars[i%2], Unlimited).Kind]++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d expressions, %d compile, %d tracked, kinds %v", len(texts), compiled, tracked, kinds)
	if compiled < len(texts)/10 {
		t.Errorf("only %d of %d expressions compile", compiled, len(texts))
	}
}

func TestExhaustiveOperands(t *testing.T) {
	env := newEnv(t)
	for _, p := range []pricing{fingerprint, standard} {
		newEngines(t, env, p).compareAll(t, slices.Concat(operands, operands[:1], operands), 200)
	}
}

// TestPlanErrors compares what cannot be planned. Where cel-go panics, the planner
// reports the panic.
func TestPlanErrors(t *testing.T) {
	e := newEngines(t, newEnv(t), fingerprint)
	for _, text := range []string{
		`timestamp('x') == ts`, `duration('1') == dur`, `int('z') == 1`, `string(b'\xff') == ''`, `uint(-1) == 1u`, `b || bool('yes')`, `li.all(e, int('z') == e)`,
		`s.matches('[')`, `'a'.matches('(')`, `lm.all(e, e.s.matches('a{9999}'))`, `dyn(md)[b'x'] == 1`, `dyn(md)[null] == 1`, `dyn(md)[[1]] == 1`, `dyn(md)[int] == 1`,
		`dyn(md)[timestamp('2020-01-01T00:00:00Z')] == 1`, `[int].exists(t, t == int)`, `{b'a': 1}.size() == 1`, `dyn({dyn(b'a'): 1}) == 1`,
	} {
		ast := compile(e.env, text)
		if ast == nil {
			t.Errorf("%s does not compile", text)
			continue
		}
		e.compareAST(t, text, ast, nativeVars(), 0)
		if _, err := e.plan(ast); err == nil {
			t.Errorf("%s: planned", text)
		}
	}
}

func TestExhaustiveForms(t *testing.T) {
	e := newEngines(t, newEnv(t), fingerprint)
	c := corpus{rand.New(rand.NewPCG(1, 2))}
	var texts []string
	for _, form := range forms {
		for range 30 {
			texts = append(texts, c.fill(form, 0))
		}
	}
	e.compareAll(t, texts, 5)
}

func TestExhaustiveLoops(t *testing.T) {
	e := newEngines(t, newEnv(t), fingerprint)
	c := corpus{rand.New(rand.NewPCG(3, 4))}
	var texts []string
	for _, loop := range loops {
		for _, body := range bodies {
			texts = append(texts, c.fill(strings.ReplaceAll(loop, "#", body), 0))
		}
	}
	e.compareAll(t, texts, 3)
}

func TestExhaustiveNested(t *testing.T) {
	e := newEngines(t, newEnv(t), fingerprint)
	c := corpus{rand.New(rand.NewPCG(5, 6))}
	var texts []string
	for range nested {
		texts = append(texts, c.operand(3))
	}
	e.compareAll(t, texts, 0)
}

// nested is the number of random expressions; longer runs found no more.
const nested = 2500

// TestExhaustiveAmbiguousIDs gives nodes the ids of others, as a macro does that uses an
// expression twice.
func TestExhaustiveAmbiguousIDs(t *testing.T) {
	env := newEnv(t)
	e := newEngines(t, env, fingerprint)
	c := corpus{rand.New(rand.NewPCG(7, 8))}
	texts := []string{`i == 4`, `has(self.absent)`, `!b`, `[1, 2].exists(e, e == 3)`}
	for range 300 {
		texts = append(texts, c.operand(2), c.fill("$ && three($, $, $) == 3 || three($, $, $) == 3", 1))
	}
	for _, text := range race.Sample(texts, 5) {
		ast := compile(env, text)
		if ast == nil {
			continue
		}
		twice, err := duplicate(env, ast)
		if err != nil {
			continue
		}
		e.compareAST(t, fmt.Sprintf("twice %s", text), twice, nativeVars(), 20)
	}
}

// duplicate makes (e && e) || three(e, self.absent, e) == 3 || three(e, e, e) == 3
// of e, with the same ids in each copy. The first part is left out unless it can be
// checked.
func duplicate(env *cel.Env, ast *cel.Ast) (*cel.Ast, error) {
	fac := celast.NewExprFactory()
	expr := native(ast).Expr()
	next := int64(10000)
	id := func() int64 { next++; return next }
	e := func() celast.Expr { return fac.CopyExpr(expr) }
	is3 := func(args ...celast.Expr) celast.Expr {
		return fac.NewCall(id(), "_==_", fac.NewCall(id(), "three", args...), fac.NewLiteral(id(), types.Int(3)))
	}
	terms := []celast.Expr{
		fac.NewCall(id(), "_&&_", e(), e()),
		is3(e(), fac.NewSelect(id(), fac.NewIdent(id(), "self"), "absent"), e()),
		is3(e(), e(), e()),
	}
	if native(ast).GetType(expr.ID()) != types.BoolType {
		terms = terms[1:]
	}
	parsed, err := celast.ToProto(celast.NewAST(fac.NewCall(id(), "_||_", terms...), celast.NewSourceInfo(nil)))
	if err != nil {
		return nil, err
	}
	checked, issues := env.Check(cel.CheckedExprToAst(parsed))
	return checked, issues.Err()
}
