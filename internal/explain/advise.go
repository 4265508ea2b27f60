package explain

import (
	"math"
	"slices"

	"github.com/kubecel/kubecel/report"
)

// adviser searches for the bounds that bring an expression, or several together,
// under a limit.
type adviser struct {
	// total is the estimate with some bounds replaced.
	total  func(settings) uint64
	limit  uint64
	bounds []adjustable
	// prove estimates anew with the bounds in the document, false if there is none.
	prove func(set []setting) (total uint64, ok bool)
}

// setting is one bound with a value.
type setting struct {
	adjustable
	to int64
}

func settingsOf(set []setting) settings {
	m := make(settings, len(set))
	for _, s := range set {
		m[s.key] = s.to
	}
	return m
}

func (a *adviser) fits(set []setting) bool { return a.total(settingsOf(set)) <= a.limit }

// advise says which bounds would bring the expression under its limit. If it is within
// the limit, advise says how far they may grow.
func (a *adviser) advise(total uint64) *report.Advice {
	advice := &report.Advice{}
	if total <= a.limit {
		for _, b := range a.bounds {
			if !b.missing() && b.top >= 0 {
				advice.Growth = append(advice.Growth, a.most(b, b.top, max(maxBound, b.top)))
			}
		}
		return advice
	}
	for _, b := range a.bounds {
		if c, ok := a.alone(b, total); ok {
			advice.Alone = append(advice.Alone, c)
		}
	}
	a.adviseTogether(advice)
	return advice
}

// adviseTogether adds a set of bounds that suffices.
func (a *adviser) adviseTogether(advice *report.Advice) {
	set := a.together()
	if set == nil {
		advice.Note = "no bounds suffice: even with 1 for each the estimate is over the limit, so what is evaluated must become simpler"
		return
	}
	advice.TogetherTotal = a.total(settingsOf(set))
	advice.Proven = a.proven(set, advice.TogetherTotal)
	for i, s := range set {
		c := a.change(s)
		c.Largest = !a.fits(with(set, i, s.to+1))
		advice.Together = append(advice.Together, c)
	}
}

// change is one setting, alone.
func (a *adviser) change(s setting) report.Change {
	total := a.total(settings{s.key: s.to})
	return report.Change{Bound: s.Bound.Bound, To: s.to, Fits: total <= a.limit, Total: total}
}

// proven tells whether the estimate of the changed document is the same.
func (a *adviser) proven(set []setting, total uint64) bool {
	again, ok := a.prove(set)
	return ok && again == total
}

// largest is the greatest value up to high that fits. Low fits.
func largest(low, high int64, fits func(int64) bool) int64 {
	if fits(high) {
		return high
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; fits(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// most sets one bound to the greatest value up to high that fits. Low fits.
func (a *adviser) most(b adjustable, low, high int64) report.Change {
	c := a.change(setting{b, largest(low, high, func(v int64) bool { return a.fits([]setting{{b, v}}) })})
	c.Largest = c.To != high
	return c
}

// alone is the greatest value of one bound that suffices without any other, false
// for a bound that makes no difference.
func (a *adviser) alone(b adjustable, total uint64) (report.Change, bool) {
	if c := a.change(setting{b, 1}); !c.Fits {
		return c, c.Total < total || b.chain && b.missing()
	}
	high := b.top // it claims to be enough, not to be the largest
	if b.missing() {
		high = maxBound + 1
	}
	c := a.most(b, 1, high)
	c.Proven = a.proven([]setting{{b, c.To}}, c.Total)
	return c, true
}

// steps is how finely bounds are lowered together.
const steps = 1000

// least is the smallest suggestion before existing bounds are touched.
const least = 8

// together is a set of bounds that suffices, nil if there is none. It lowers the
// missing bounds proportionally; if one would fall under least, it lowers all. None of
// the set can be left out, and none be greater.
func (a *adviser) together() []setting {
	var missing []adjustable
	for _, b := range a.bounds {
		if b.missing() {
			missing = append(missing, b)
		}
	}
	set := a.lower(missing)
	if set == nil || slices.ContainsFunc(set, func(s setting) bool { return s.to < min(least, s.top) }) {
		if all := a.lower(a.bounds); all != nil {
			set = all
		}
	}
	for i := 0; i < len(set); {
		if without := slices.Delete(slices.Clone(set), i, i+1); len(without) > 0 && a.fits(without) {
			set = without
		} else {
			i++
		}
	}
	for i, s := range set {
		high := s.top
		if s.missing() {
			high = maxBound
		}
		if high > s.to {
			set[i].to = largest(s.to, high, func(v int64) bool { return a.fits(with(set, i, v)) })
		}
	}
	return set
}

func with(set []setting, i int, to int64) []setting {
	changed := slices.Clone(set)
	changed[i].to = to
	return changed
}

// lower lowers bounds proportionally until they suffice, nil if they never do.
func (a *adviser) lower(bounds []adjustable) []setting {
	if len(bounds) == 0 {
		return nil
	}
	at := func(step int64) []setting {
		set := make([]setting, len(bounds))
		for i, b := range bounds {
			v := math.Pow(float64(max(b.top, 1)), 1-float64(step)/steps)
			set[i] = setting{b, max(1, min(b.top, int64(v)))}
		}
		return set
	}
	if a.fits(at(0)) {
		return at(0)
	}
	over := largest(0, steps, func(step int64) bool { return !a.fits(at(step)) })
	if over == steps {
		return nil
	}
	return at(over + 1)
}
