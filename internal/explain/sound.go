package explain

import (
	"math"
	"slices"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// honest answers for the sizes that data can really have.
type honest struct{ *subject }

// SizeOf is part of pricing.Sizer.
func (h honest) SizeOf(path []string) (cost.Range, bool) {
	a := h.at(path)
	if !a.ok {
		return cost.Range{}, false
	}
	most, ok := a.MostElements()
	if !ok {
		return cost.Unbounded(), true
	}
	return cost.Range{Max: most}, true
}

// doubt is what an estimate may leave out at a node.
type doubt struct {
	reason string
	// extra is what it may cost more, ignored if that has no bound.
	extra     uint64
	unbounded bool
}

// The reasons why an estimate may be too low.
const (
	doubtDynamic   = "a dynamic value has no size to estimate with, and its functions are charged by name"
	doubtSelection = "a selection from a dynamic or optional value is not estimated"
	doubtPath      = "a path into a value that is no variable costs one more than estimated"
	doubtFormat    = "a format is estimated by a pattern that can be shorter than its own, and one chosen by name without any"
	doubtFlatten   = "the result of flatten is estimated to be no larger than the list, whatever its elements hold"
	doubtPrice     = "join and distinct cost more in an evaluation than they are estimated at"
	doubtSlice     = "slice is estimated by the difference of its bounds, which may be wrong"
	doubtRange     = "lists.range is estimated without the value of its argument"
	doubtNested    = "the elements of a list of lists are compared at a cost that is not estimated"
	doubtSizes     = "sizes are estimated as smaller than they can be: those of numbers, objects and keys of maps as zero, and those of other paths for the ones that are meant"
)

// sound bounds what one evaluation can really cost: the estimate by sizes that the
// data can really have, and what the reference's model does not see.
func sound(m *treeMaker, estimate *pricing.Trace, root *report.Node, evaluations uint64) *report.Sound {
	trace, err := m.subject.explain.TraceSound(honest{m.subject})
	if err != nil {
		return &report.Sound{}
	}
	s := &report.Sound{Bounded: true, Max: trace.Total.Max}
	spans := map[int64]*report.Node{}
	root.Each(func(n *report.Node) {
		if spans[n.ID] == nil {
			spans[n.ID] = n
		}
	})
	add := func(id int64, reason string) {
		if n := spans[id]; n != nil && !slices.ContainsFunc(s.Doubts, func(d report.Doubt) bool { return d.At == n.At && d.Reason == reason }) {
			s.Doubts = append(s.Doubts, report.Doubt{At: n.At, Text: n.Text, Reason: reason})
		}
	}
	trace.Each(func(n *pricing.Trace, times uint64) {
		for _, d := range m.doubts(n) {
			add(n.ID, d.reason)
			if d.unbounded {
				s.Bounded = false
			}
			s.Max = pricing.Accumulated(s.Max, pricing.Repeated(d.extra, times))
		}
	})
	compareSizes(estimate, trace, add)
	if s.Max == math.MaxUint64 {
		s.Bounded = false
	}
	if !s.Bounded {
		s.Max = 0
		return s
	}
	s.Total = pricing.Repeated(s.Max, evaluations)
	return s
}

// compareSizes finds the nodes that cost more by honest sizes.
func compareSizes(estimate, honest *pricing.Trace, add func(id int64, reason string)) {
	if estimate.Own.Max < honest.Own.Max {
		add(estimate.ID, doubtSizes)
	}
	for i, p := range estimate.Parts {
		if p.Times.Max < honest.Parts[i].Times.Max && p.Why == pricing.WhyIterations {
			add(estimate.ID, doubtSizes)
		}
		compareSizes(p, honest.Parts[i], add)
	}
}

func (m *treeMaker) doubts(n *pricing.Trace) (doubts []doubt) {
	path := n.Kind == pricing.KindSelect || n.Kind == pricing.KindPresence || n.Kind == pricing.KindCall && isIndex(n.Name)
	if path && len(n.Parts) > 0 {
		of := n.Parts[0]
		if startsPath(of) {
			doubts = append(doubts, doubt{reason: doubtPath, extra: 1})
		}
		if n.Kind != pricing.KindCall {
			switch m.kindOf(of.ID) {
			case types.MapKind, types.StructKind, types.TypeParamKind: // estimated
			default:
				doubts = append(doubts, doubt{reason: doubtSelection, extra: 1})
			}
		}
	}
	if n.Kind != pricing.KindCall {
		return doubts
	}
	dynamic := slices.ContainsFunc(n.Parts, func(p *pricing.Trace) bool { return m.isDynamic(p.ID) })
	switch {
	case n.Name == "format.named" || n.Name == "validate":
		doubts = append(doubts, doubt{reason: doubtFormat, unbounded: true})
	case n.Name == "flatten":
		doubts = append(doubts, doubt{reason: doubtFlatten, unbounded: true})
	case n.Name == "join" || n.Name == "distinct":
		doubts = append(doubts, doubt{reason: doubtPrice, unbounded: true})
	case n.Name == "slice":
		doubts = append(doubts, doubt{reason: doubtSlice, unbounded: true})
	case n.Name == "lists.range":
		doubts = append(doubts, doubt{reason: doubtRange, unbounded: true})
	case dynamic && !tolerant(n.Name):
		doubts = append(doubts, doubt{reason: doubtDynamic, unbounded: true})
	}
	switch n.Name {
	case "includes", "indexOf", "lastIndexOf":
		if len(n.Parts) > 0 && slices.ContainsFunc(n.Parts, func(p *pricing.Trace) bool { return m.holdsAggregates(p.ID) }) {
			doubts = append(doubts, doubt{reason: doubtNested, unbounded: true})
		}
	}
	return doubts
}

func isIndex(function string) bool {
	return function == operators.Index || function == operators.OptIndex || function == operators.OptSelect
}

// startsPath tells whether a path into a node begins there, and is not one into a
// variable.
func startsPath(n *pricing.Trace) bool {
	switch n.Kind {
	case pricing.KindIdent, pricing.KindSelect:
		return false
	}
	return n.Kind != pricing.KindCall || !isIndex(n.Name)
}

// tolerant tells whether a function costs no more with dynamic values than
// estimated.
func tolerant(function string) bool {
	switch function {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse, operators.Conditional,
		operators.Index, operators.OptIndex, operators.OptSelect, "dyn", "type":
		return true
	}
	return false
}

func (m *treeMaker) typeOf(id int64) *types.Type { return m.subject.explain.Checked().GetType(id) }

func (m *treeMaker) kindOf(id int64) types.Kind {
	if t := m.typeOf(id); t != nil {
		return t.Kind()
	}
	return types.DynKind
}

// isDynamic tells whether the value of a node, or what it holds, has a type that
// only evaluation knows.
func (m *treeMaker) isDynamic(id int64) bool {
	t := m.typeOf(id)
	return t == nil || dynamic(t, 8)
}

func dynamic(t *types.Type, depth int) bool {
	switch t.Kind() {
	case types.DynKind, types.AnyKind, types.TypeParamKind, types.ErrorKind:
		return true
	}
	return depth == 0 || slices.ContainsFunc(t.Parameters(), func(p *types.Type) bool { return dynamic(p, depth-1) })
}

// holdsAggregates tells whether a node is a list or map of lists or maps.
func (m *treeMaker) holdsAggregates(id int64) bool {
	t := m.typeOf(id)
	return t != nil && slices.ContainsFunc(t.Parameters(), func(p *types.Type) bool {
		return p.Kind() == types.ListKind || p.Kind() == types.MapKind || p.Kind() == types.StructKind
	})
}
