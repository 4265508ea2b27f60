package ours

import (
	"context"
	"testing"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/explain"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// TestReports holds, for every expression of the corpus that compiles: the report's
// estimate is the one that is judged, node costs add up to it, every unit of an
// evaluation belongs to a node, and no evaluation costs more than the sound bound.
func TestReports(t *testing.T) {
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	i := New().(*implementation)
	reported, bounded, below := 0, 0, 0
	for _, group := range corpus.Expressions {
		for n, c := range group.Cases {
			if testing.Short() && n%7 != 0 {
				continue
			}
			s, err := i.scope(c.Env)
			if err != nil {
				t.Fatal(err)
			}
			compiled, failed := s.Compile(c.Expr)
			if compiled == nil {
				continue
			}
			estimate, err := compiled.EstimateBy(s.Sizes())
			if err != nil {
				continue
			}
			x := explain.Expression(compiled, boundOf(t, c.Env), explain.ServerLimits())
			reported++
			if x.Estimate != estimate {
				t.Errorf("%s %s: reported %v, estimated %v", c.Env.Name, c.Expr, x.Estimate, estimate)
			}
			addsUp(t, c.Expr, x)
			if failed != nil {
				continue
			}
			result, record := compiled.Program.Record(context.Background(), s, cost.PerCallLimit)
			explain.Evaluated(x, result, record.Nodes)
			units := uint64(0)
			x.Root.Each(func(n *report.Node) { units += n.Actual.Units })
			if units != result.Cost {
				t.Errorf("%s %s: cost %d, its nodes %d", c.Env.Name, c.Expr, result.Cost, units)
			}
			if x.Sound.Bounded {
				bounded++
				if result.Cost > x.Sound.Max {
					t.Errorf("%s %s: cost %d, sound bound %d, estimated %d", c.Env.Name, c.Expr, result.Cost, x.Sound.Max, x.Estimate.Max)
				}
				if x.Sound.Max < x.Estimate.Max {
					below++
				}
			}
		}
	}
	t.Logf("%d expressions reported, %d with a sound bound, %d of these below the estimate", reported, bounded, below)
	if reported < 3000 && !testing.Short() {
		t.Errorf("only %d expressions reported", reported)
	}
}

func addsUp(t *testing.T, expr string, x *report.Expression) {
	t.Helper()
	total := uint64(0)
	x.Root.Each(func(n *report.Node) {
		sum := n.Own
		for _, p := range n.Parts {
			sum = sum.Add(p.Total.Mul(p.Times))
		}
		if sum != n.Total {
			t.Errorf("%s: %s is %v, its parts add up to %v", expr, n.Text, n.Total, sum)
		}
		total = pricing.Accumulated(total, pricing.Repeated(n.Own.Max, n.Count))
		if n.At.End > len([]rune(expr)) || n.At.Start >= n.At.End {
			t.Errorf("%s: %s %s is at %+v", expr, n.Kind, n.Name, n.At)
		}
	})
	if total != x.Estimate.Max {
		t.Errorf("%s: nodes add up to %d, estimated %d", expr, total, x.Estimate.Max)
	}
}

// boundOf finds bounds as the scope's sizes do: by the schema of self, whatever the
// variable.
func boundOf(t *testing.T, e *parity.Environment) func([]string) (typesystem.Bound, bool) {
	t.Helper()
	if e.Self == nil {
		return func([]string) (typesystem.Bound, bool) { return typesystem.Bound{}, false }
	}
	doc, err := parse(e.Self.Schema)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := typesystem.Compile(doc, e.Self.Root)
	if err != nil {
		t.Fatal(err)
	}
	return func(path []string) (typesystem.Bound, bool) { return schema.Bound(doc, path, release.Newest()) }
}
