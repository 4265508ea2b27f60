package explain

import (
	"math"
	"slices"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// honest answers for the sizes that data can really have.
type honest struct{ *subject }

// SizeOf is part of pricing.Sizer.
func (h honest) SizeOf(path []string) (cost.Range, bool) {
	a := h.at(path)
	if a == nil {
		return cost.Range{}, false
	}
	most, ok := a.MostElements()
	if !ok {
		return cost.Unbounded(), true
	}
	return cost.Range{Max: most}, true
}

const doubtSizes = "sizes are estimated as smaller than they can be: those of numbers, objects and keys of maps as zero, and those of other paths for the ones that are meant"

// sound bounds what one evaluation can really cost. It estimates by the sizes that the
// data can really have, and adds what estimates leave out.
func (s *subject) sound(estimate *report.Node) *report.Sound {
	root, doubts := s.explain.Prices().TraceSound(s.explain.Checked, honest{s})
	r := &report.Sound{}
	first := map[int64]*report.Node{}
	estimate.Each(func(n *report.Node) {
		if first[n.ID] == nil {
			first[n.ID] = n
		}
	})
	add := func(id int64, reason string) {
		if n := first[id]; n != nil && !slices.ContainsFunc(r.Doubts, func(d report.Doubt) bool { return d.At == n.At && d.Reason == reason }) {
			r.Doubts = append(r.Doubts, report.Doubt{At: n.At, Text: n.Text, Reason: reason})
		}
	}
	most, unbounded := root.Total.Max, false
	for _, d := range doubts {
		add(d.Node.ID, d.Reason)
		unbounded = unbounded || d.Extra == math.MaxUint64
		most = pricing.Accumulated(most, pricing.Repeated(d.Extra, d.Node.Count))
	}
	compareSizes(estimate, root, add)
	if r.Bounded = !unbounded && most < math.MaxUint64; r.Bounded {
		r.Max = most
	}
	return r
}

// compareSizes finds the nodes that cost more by honest sizes.
func compareSizes(estimate, honest *report.Node, add func(id int64, reason string)) {
	if estimate.Own.Max < honest.Own.Max {
		add(estimate.ID, doubtSizes)
	}
	for i, p := range estimate.Parts {
		if estimate.Kind == pricing.KindComprehension && p.Times.Max < honest.Parts[i].Times.Max {
			add(estimate.ID, doubtSizes)
		}
		compareSizes(p, honest.Parts[i], add)
	}
}
