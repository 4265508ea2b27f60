package eval

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/cel-go/common/types"
)

// rules are expressions of the kinds that Kubernetes validates by.
var rules = []struct {
	name, text string
}{
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

func benchVars() activation {
	items := make([]any, 8)
	for i := range items {
		items[i] = map[string]any{"name": fmt.Sprint("item", i), "kind": "b", "tags": []any{"p", "q", "r"}}
	}
	return activation{"self": types.DefaultTypeAdapter.NativeToValue(map[string]any{
		"name": "foo", "count": int64(3), "items": items,
	})}
}

// BenchmarkEval measures both engines on each rule.
func BenchmarkEval(b *testing.B) {
	e := newEngines(b, newEnv(b), standard)
	vars := benchVars()
	for _, rule := range rules {
		ast := compile(e.env, rule.text)
		ref, err := e.reference(ast, math.MaxUint64)
		if err != nil {
			b.Fatal(err)
		}
		prog, err := e.planner.Plan(native(ast), nil)
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		var reference float64
		b.Run(rule.name+"/reference", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := ref.ContextEval(ctx, vars); err != nil {
					b.Fatal(err)
				}
			}
			reference = float64(b.Elapsed()) / float64(b.N)
		})
		b.Run(rule.name+"/eval", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if res := prog.Eval(ctx, vars, Unlimited); res.Err != nil {
					b.Fatal(res.Err)
				}
			}
			if reference > 0 {
				b.ReportMetric(reference/(float64(b.Elapsed())/float64(b.N)), "times-faster")
			}
		})
	}
}
