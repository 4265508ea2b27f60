package eval

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// rules are expressions of the kinds that Kubernetes validates by.
var rules = []struct {
	name, text string
}{
	{"Constant", `true`},
	{"SelectCompare", `self.count <= 5`},
	{"HasSelect", `has(self.name) && self.name == 'foo' || !has(self.absent)`},
	{"NestedAll", `self.items.all(e, e.tags.all(t, t.size() > 0 && t != 'x'))`},
	{"AllMember", `self.items.all(e, e.kind in ['a', 'b', 'c'])`},
	{"ExistsOne", `self.items.all(e, self.items.exists_one(o, o.name == e.name))`},
	{"MapFilter", `self.items.filter(e, has(e.name)).map(e, e.name).size() == 8`},
	{"Matches", `self.name.matches('^[a-z]+$')`},
	{"Optional", `self.?absent.orValue(3) + self.?count.orValue(0) == 6`},
	{"Ternary", `self.count > 2 ? self.name.startsWith('f') : self.items.size() == 0`},
}

func benchVars() map[string]any {
	items := make([]any, 8)
	for i := range items {
		items[i] = map[string]any{"name": fmt.Sprint("item", i), "kind": "b", "tags": []any{"p", "q", "r"}}
	}
	return map[string]any{"name": "foo", "count": int64(3), "items": items}
}

// object and array are values without cost of their own, as those of a type
// system may be: all their parts are CEL values.
type (
	object struct {
		traits.Mapper
		fields map[string]ref.Val
	}
	array struct {
		traits.Lister
		elems []ref.Val
	}
	arrayIterator struct {
		traits.Iterator
		elems []ref.Val
	}
)

func (o *object) Type() ref.Type { return types.MapType }

func (o *object) Find(key ref.Val) (ref.Val, bool) {
	val, ok := o.fields[string(key.(types.String))]
	return val, ok
}

func (a *array) Type() ref.Type            { return types.ListType }
func (a *array) Size() ref.Val             { return types.Int(len(a.elems)) }
func (a *array) Iterator() traits.Iterator { return &arrayIterator{elems: a.elems} }
func (i *arrayIterator) HasNext() ref.Val  { return types.Bool(len(i.elems) > 0) }
func (i *arrayIterator) Next() (v ref.Val) { v, i.elems = i.elems[0], i.elems[1:]; return v }

func valueOf(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		o := &object{fields: map[string]ref.Val{}}
		for k, field := range v {
			o.fields[k] = valueOf(field)
		}
		return o
	case []any:
		a := &array{}
		for _, elem := range v {
			a.elems = append(a.elems, valueOf(elem))
		}
		return a
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// BenchmarkEval measures both engines on each rule, over CEL values.
func BenchmarkEval(b *testing.B) { benchmarkEval(b, valueOf(benchVars())) }

// BenchmarkEvalNative is BenchmarkEval over native values.
func BenchmarkEvalNative(b *testing.B) { benchmarkEval(b, benchVars()) }

func benchmarkEval(b *testing.B, self any) {
	e := newEngines(b, newEnv(b), standard)
	vars := activation{"self": self}
	for _, rule := range rules {
		ast := compile(e.env, rule.text)
		ref, err := e.reference(ast)
		if err != nil {
			b.Fatal(err)
		}
		prog, err := e.plan(ast)
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		reference := func() {
			if _, _, err := ref.ContextEval(ctx, vars); err != nil {
				b.Fatal(err)
			}
		}
		own := func() {
			if res := prog.Eval(ctx, vars, Unlimited); res.Err != nil {
				b.Fatal(res.Err)
			}
		}
		b.Run(rule.name+"/reference", func(b *testing.B) { measure(b, reference) })
		b.Run(rule.name+"/eval", func(b *testing.B) { measure(b, own) })
		b.Run(rule.name+"/ratio", func(b *testing.B) { compareSpeed(b, reference, own) })
	}
}

func measure(b *testing.B, run func()) {
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

// compareSpeed runs both in turn and reports the ratio of the shortest times, so
// that a busy machine does not matter.
func compareSpeed(b *testing.B, reference, own func()) {
	const batch = 50
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for i, run := range []func(){reference, own} {
			start := time.Now()
			for range batch {
				run()
			}
			best[i] = min(best[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(best[0])/batch, "reference-ns")
	b.ReportMetric(float64(best[1])/batch, "eval-ns")
	b.ReportMetric(float64(best[0])/float64(best[1]), "times-faster")
}
