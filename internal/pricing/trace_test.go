package pricing

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// checkTrace holds that a trace adds up at every node and at the root, and that
// tracing does not change the estimate.
func checkTrace(t *testing.T, expr string, trace *report.Node, want cost.Range) {
	t.Helper()
	if trace.Total != want {
		t.Errorf("%s: traced %v, estimated %v", expr, trace.Total, want)
	}
	var flat cost.Range
	trace.Each(func(n *report.Node) {
		sum := n.Own
		for _, p := range n.Parts {
			sum = sum.Add(p.Total.Mul(p.Times))
		}
		if sum != n.Total {
			t.Errorf("%s: node %d (%s %s) is %v, its parts add up to %v", expr, n.ID, n.Kind, n.Name, n.Total, sum)
		}
		flat.Max = Accumulated(flat.Max, Repeated(n.Own.Max, n.Count))
	})
	if flat.Max != want.Max {
		t.Errorf("%s: all nodes' own costs add up to %d, estimated %d", expr, flat.Max, want.Max)
	}
}

func TestExhaustiveTraces(t *testing.T) {
	env := testEnv(t)
	table := NewTable(Standard(release.Newest()), libraryPrices())
	compiled := 0
	for _, expr := range race.Sample(corpus(4_000), 5) {
		checked, issues := env.Compile(expr)
		if issues.Err() != nil {
			continue
		}
		compiled++
		for _, sizes := range []Sizer{nil, schemaSizer{schema()}, hashSizer{7}} {
			checkTrace(t, expr, table.Trace(checked.NativeRep(), sizes, nil), table.Estimate(checked.NativeRep(), sizes))
		}
	}
	if compiled < 1500 && !race.Enabled {
		t.Errorf("only %d expressions compiled", compiled)
	}
}

func TestTraceSources(t *testing.T) {
	env := testEnv(t)
	declared := func(path ...string) source {
		return source{cost.SourceDeclared, &cost.Bound{Kind: cost.SourceDeclared, Data: strings.Join(path, ".")}}
	}
	for _, test := range []struct {
		expr, node string
		operand    int
		element    bool
		want       source
		size       cost.Range
	}{
		{"self.s.contains('ab')", "contains", 0, false, declared("self", "s"), cost.Range{Max: 100}},
		{"self.s.contains('ab')", "contains", 1, false, source{kind: cost.SourceLiteral}, cost.Exactly(2)},
		// As in the reference, a variable of any name is taken for the schema's.
		{"self.s.startsWith(vs)", "startsWith", 1, false, declared("vs"), cost.Range{Max: 11}},
		{"self.s.startsWith([vs].join())", "startsWith", 1, false, source{kind: cost.SourceUnknown}, cost.Unbounded()},
		{"('a' + self.s + 'x').contains(self.s)", "contains", 0, false, source{kind: cost.SourceComputed}, cost.Range{Min: 2, Max: 102}},
		{"self.objs.all(o, o.s.contains('a'))", "contains", 0, false, declared("self", "objs", "@items", "s"), cost.Range{Max: 12}},
		{"self.objs.all(o, o.s == 'a')", "", -1, false, declared("self", "objs"), cost.Range{Max: 13}},
		{"self.ints[0] == 3", "_==_", 0, false, declared("self", "ints", "@items"), cost.Range{Max: 1}},
		{"cel.bind(v, self.s, v.contains('a'))", "contains", 0, false, declared("self", "s"), cost.Range{Max: 100}},
	} {
		checked, issues := env.Compile(test.expr)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		trace := NewTable(Standard(release.Newest())).Trace(checked.NativeRep(), schemaSizer{schema()}, func(path []string) *cost.Bound { return declared(path...).bound })
		found := false
		trace.Each(func(n *report.Node) {
			if n.Name != test.node || test.node == "" && n.Kind != KindComprehension {
				return
			}
			for _, a := range n.Operands {
				if a.Operand == test.operand && a.Element == test.element {
					found = true
					if a.Size != test.size || a.Source != test.want.kind || !reflect.DeepEqual(a.Bound, test.want.bound) {
						t.Errorf("%s: %+v, want %+v of %+v", test.expr, a, test.size, test.want)
					}
				}
			}
		})
		if !found {
			t.Errorf("%s: no operand %d of %q", test.expr, test.operand, test.node)
		}
	}
}
