package ours

import (
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// TestTracesOfReleases holds that what traces say of an estimate adds up to it in
// releases that estimate in different ways.
func TestTracesOfReleases(t *testing.T) {
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	for _, minor := range []int{28, 29, 32, 36} {
		i := NewStored(release.Minor(minor)).(*implementation)
		traced := 0
		for _, group := range corpus.Expressions {
			for n := 0; n < len(group.Cases); n += 7 {
				c := group.Cases[n]
				s, err := i.scope(c.Env)
				if err != nil {
					t.Fatal(err)
				}
				x, failed := s.Compile(c.Expr)
				if failed != nil {
					continue
				}
				estimate := x.Estimate
				trace, err := x.Trace(s.Sizes(), nil)
				if err != nil || trace.Total != estimate {
					t.Errorf("1.%d: %s: traced %v, %v, estimated %v", minor, c.Expr, trace, err, estimate)
					continue
				}
				traced++
				trace.Each(func(n *report.Node) {
					sum := n.Own
					for _, p := range n.Parts {
						sum = sum.Add(p.Total.Mul(p.Times))
					}
					if sum != n.Total {
						t.Errorf("1.%d: %s: %s %s is %v, its parts add up to %v", minor, c.Expr, n.Kind, n.Name, n.Total, sum)
					}
				})
			}
		}
		if traced < 2500 {
			t.Errorf("1.%d: only %d expressions were traced", minor, traced)
		}
	}
}
