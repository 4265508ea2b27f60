package eval

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// pathExpressions are expressions that take each fast path, with operands that it knows
// and others. A dollar sign stands for an operand.
var pathExpressions = map[op][]string{
	opEqual:        {`$ == $`, `self.name == 'foo'`, `self == self`, `ld == ld`, `self.null == null`, `lm == lm`, `dyn(lm) == [1]`, `self == md`},
	opNotEqual:     {`$ != $`, `self.count != 3`, `self.x != self.x`, `ld != [1]`, `typed.spec.n != 7`},
	opLess:         {`dyn($) < dyn($)`, `self.count < 4`, `self.name < 'g'`, `typed.spec.n < 8`},
	opLessEqual:    {`dyn($) <= dyn($)`, `self.count <= 3`, `i <= 2`},
	opGreater:      {`dyn($) > dyn($)`, `self.count > 3`, `s > 'a'`},
	opGreaterEqual: {`dyn($) >= dyn($)`, `self.count >= 3`, `nan >= dyn(1)`},
	opAdd:          {`dyn($) + dyn($)`, `self.count + 9223372036854775807`, `self.name + s`, `-1 + i`, `i + -9223372036854775807 - 5`},
	opSubtract:     {`dyn($) - dyn($)`, `self.count - 9`, `-9223372036854775807 - i`, `i - -9223372036854775807`},
	opMultiply:     {`dyn($) * dyn($)`, `self.count * 5`, `i * 4294967296 * 4294967296`, `i * -9223372036854775807`, `-9223372036854775807 * i`},
	opIn:           {`dyn($) in dyn($)`, `'a' in self.list`, `'z' in self.list`, `i in ld`, `'name' in self`, `'q' in self`, `s in typed.spec.tags`, `'a' in typed.spec.tags`, `null in ld`, `'k' in typed.spec.labels`},
	opStartsWith:   {`dyn($).startsWith(dyn($))`, `self.name.startsWith('f')`, `typed.spec.tags[0].startsWith('a')`},
	opEndsWith:     {`dyn($).endsWith(dyn($))`, `self.name.endsWith('o')`},
	opContains:     {`dyn($).contains(dyn($))`, `self.name.contains('oo')`},
	opMatches:      {`dyn($).matches('o+')`, `self.name.matches('^f')`, `self.absent.matches('^f')`, `lm.all(e, e.s.matches('o') || e.a.matches('x'))`},
	opSize:         {`size(dyn($))`, `dyn($).size()`, `self.list.size()`, `self.size()`, `'é世'.size()`, `lm.map(e, e).size()`},
	opNot:          {`!dyn($)`, `!(self.count == 3)`},
	opNotFalse:     {`lm.map(e, e).exists(e, k, e == k)`, `m.all(k, v, v > 0)`},
	opDyn:          {`dyn(dyn($))`, `dyn(self.name) == 'foo'`},
	pathData:       {`self.x.y.z`, `has(self.x.y)`, `has(self.x.q)`, `self.items[0].name`, `self.list[i - 3]`, `self[self.name]`, `md[s]`, `ld[i]`, `lm.map(e, self.list[0])`, `m.map(k, md[?k])`},
	pathSchema: {
		`typed.spec.n`, `has(typed.spec.n)`, `has(typed.spec.absent)`, `typed.spec.bad`, `has(typed.spec.bad)`, `typed.spec.tags[1]`, `typed.spec.tags[9]`, `typed.spec.labels.k`, `typed.spec.labels['q']`,
		`typed.spec.when`, `typed.spec.none`, `typed.spec.b`, `typed.spec.any`, `has(typed.spec.when)`, `typed.nope`, `typed.spec.tags.map(t, t + 'x')`, `typed.spec.labels.map(k, typed.spec.labels[k])`,
	},
	pathMember:    {`self.name in ['foo', 'bar']`, `dyn($) in ['a', 1, 2.0]`, `s in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']`},
	loopList:      {`self.items.all(e, has(e.n))`, `ld.map(e, e)`, `typed.spec.tags.exists(t, t == 'b')`, `lm.transformList(k, v, [k, v])`, `lm.sortBy(e, e.s)`, `self.items.all(k, v, k < 5)`},
	loopMap:       {`self.x.all(k, k == 'y')`, `typed.spec.labels.all(k, v, v != k)`, `md.map(k, md[k])`, `md.map(k, md.map(q, [k, q]))`, `typed.spec.all(k, k != '')`, `md.transformMap(k, v, v)`},
	loopValues:    {`lm.map(e, e.s).filter(s, s != 'one')`, `lm.filter(e, has(e.a)).map(e, e.a)`, `self.list.map(e, [e]).exists(l, l[0] == 'b')`},
	loopAll:       {`lm.all(e, $)`, `lm.all(e, dyn(e.a))`, `lm.all(e, has(e.a) && e.a == 1)`, `self.list.all(e, e != 'b')`, `lm.all(e, e.s == 1 || e.a > 2)`},
	loopExists:    {`lm.exists(e, $)`, `lm.exists(e, e.a > 3)`, `self.list.exists(e, e == 'c')`, `self.list.exists(e, dyn(e))`},
	loopExistsOne: {`lm.exists_one(e, $)`, `lm.exists_one(e, has(e.a))`, `self.list.exists_one(e, e == 'a')`, `lm.exists_one(e, e.a == 1)`, `self.list.exists_one(e, dyn(e))`},
	loopCollect:   {`lm.map(e, $)`, `lm.map(e, e.a)`, `lm.filter(e, e.a == 1)`, `self.list.filter(e, e != 'b')`, `lm.map(e, has(e.a), e.s)`, `lm.map(e, lm.map(f, [e, f]))`, `md.map(k, k) == ['k']`, `self.list.filter(e, dyn(e))`},
}

// typedData is data of a schema, with values that fit and others.
func typedData(t *testing.T) any {
	text := &typesystem.OpenAPI{Type: "string"}
	properties := map[string]*typesystem.OpenAPI{
		"n": {Type: "integer"}, "b": {Type: "boolean"}, "bad": {Type: "integer"}, "absent": {Type: "string"}, "none": {Type: "string", Nullable: true},
		"when": {Type: "string", Format: "date-time"}, "any": {IntOrString: true},
		"tags":   {Type: "array", Items: &typesystem.SchemaOrArray{Schema: text}},
		"labels": {Type: "object", AdditionalProperties: &typesystem.SchemaOrBool{Allows: true, Schema: text}},
	}
	doc := &typesystem.OpenAPI{Type: "object", Properties: map[string]*typesystem.OpenAPI{"spec": {Type: "object", Properties: properties}}}
	schema, err := typesystem.Compile(doc, false)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Value(map[string]any{"spec": map[string]any{
		"n": int64(7), "b": true, "bad": "x", "none": nil, "when": "2024-01-02T03:04:05Z", "any": int64(5), "unknown": "u",
		"tags": []any{"a", "b"}, "labels": map[string]any{"k": "v", "k2": "w"},
	}})
}

// TestExhaustivePaths compares every fast path with cel-go's interpreter and with the
// evaluation that takes none, at every limit. A path that no expression takes is an error.
func TestExhaustivePaths(t *testing.T) {
	env := newEnv(t)
	c := corpus{rand.New(rand.NewPCG(11, 12))}
	taken := map[op]int{}
	for _, price := range []pricing{standard, fingerprint} {
		e := newEngines(t, env, price)
		e.watch = func(path op) { taken[path]++ }
		vars := []activation{nativeVars(), valueVars(env.CELTypeAdapter())}
		for _, v := range vars {
			v["typed"] = typedData(t)
		}
		for _, path := range slices.Sorted(maps.Keys(pathExpressions)) {
			for _, text := range pathExpressions[path] {
				times := 1
				if strings.Contains(text, "$") {
					times = 25
				}
				for range times {
					text := c.fill(text, 0)
					ast := compile(env, text)
					if ast == nil {
						continue
					}
					for _, v := range vars {
						e.compareAST(t, fmt.Sprintf("path %d: %s", path, text), ast, v, 200)
					}
				}
			}
		}
	}
	for path := opNone + 1; path < fastPaths; path++ {
		if taken[path] == 0 || len(pathExpressions[path]) == 0 {
			t.Errorf("the fast path %d is compared %d times", path, taken[path])
		}
	}
}
