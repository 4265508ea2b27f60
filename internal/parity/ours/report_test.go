package ours

import (
	"context"
	"fmt"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// TestReports holds, for every expression of the corpus that compiles: the report's
// estimate is the one that is judged, node costs add up to it, every unit of an
// evaluation belongs to a node, and no evaluation costs more than the sound bound.
func TestReports(t *testing.T) {
	t.Parallel()
	corpus := loadCorpus(t)
	i := New()
	reported, bounded, below := 0, 0, 0
	for _, group := range corpus.Expressions {
		for _, c := range group.Cases {
			x, spent := reportOf(t, i, c)
			if x == nil {
				continue
			}
			reported++
			units := uint64(0)
			x.Root.Each(func(n *report.Node) { units += n.Actual.Units })
			if units != spent {
				t.Errorf("%s %s: cost %d, its nodes %d", c.Env.Name, c.Expr, spent, units)
			}
			if x.Sound.Bounded {
				bounded++
				if spent > x.Sound.Max {
					t.Errorf("%s %s: cost %d, sound bound %d, estimated %d", c.Env.Name, c.Expr, spent, x.Sound.Max, x.Estimate.Max)
				}
				if x.Sound.Max < x.Estimate.Max {
					below++
				}
			}
		}
	}
	t.Logf("%d expressions reported, %d with a sound bound, %d of these below the estimate", reported, bounded, below)
	if reported < 27000 {
		t.Errorf("only %d expressions reported", reported)
	}
}

// TestReportsOfReleases holds that reports add up in releases that estimate in
// different ways, by every seventh expression.
func TestReportsOfReleases(t *testing.T) {
	t.Parallel()
	corpus := loadCorpus(t)
	for _, minor := range []int{28, 29, 32, 36} {
		r := release.Minor(minor)
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			i, reported := NewRelease(r), 0
			for _, group := range corpus.Expressions {
				for n := 0; n < len(group.Cases); n += 7 {
					if x, _ := reportOf(t, i, group.Cases[n]); x != nil {
						reported++
					}
				}
			}
			if reported < 2500 {
				t.Errorf("only %d expressions were reported", reported)
			}
		})
	}
}

// reportOf is the report of an expression and what its evaluation cost. The report
// is nil if the expression does not compile.
func reportOf(t *testing.T, i *Implementation, c parity.ExprCase) (x *report.Expression, spent uint64) {
	t.Helper()
	outcome := i.Expression(c)
	if outcome.CompileError != "" || outcome.ProgramError != "" || outcome.EstimateError != "" {
		return nil, 0
	}
	var err error
	if c.Env.Self != nil {
		x, spent, err = i.reportOverSelf(c)
	} else {
		var env *environmentOf
		if env, err = i.environment(c.Env, false); err == nil {
			x, err = env.ReportEval(context.Background(), c.Expr, env.values)
			spent = outcome.Cost
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", c.Expr, err)
	}
	if estimated := [2]uint64{x.Estimate.Min, x.Estimate.Max}; estimated != outcome.Estimate || spent != outcome.Cost {
		t.Errorf("%s %s: reported %v and %d, estimated %v and charged %d", c.Env.Name, c.Expr, estimated, spent, outcome.Estimate, outcome.Cost)
	}
	addsUp(t, c.Expr, x)
	return x, spent
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
