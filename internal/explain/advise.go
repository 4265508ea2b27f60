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
	total func(settings) uint64
	limit uint64
	// others is how far the single expressions of a schema are over their limits, see
	// over. It is nil for a single expression.
	others func(settings) float64
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

func (a *adviser) fits(set []setting) bool { return a.excess(settingsOf(set)) == 0 }

// excess is how far estimates are over their limits, zero if they are within.
func (a *adviser) excess(set settings) float64 {
	e := over(a.total(set), a.limit)
	if a.others != nil {
		e += a.others(set)
	}
	return e
}

// over grows with the magnitude by which an estimate exceeds a limit. It is zero if it
// does not.
func over(estimate, limit uint64) float64 {
	if estimate <= limit {
		return 0
	}
	return max(math.Log(float64(estimate)/float64(max(limit, 1))), math.SmallestNonzeroFloat64)
}

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
	a.adviseTogether(advice, a.together())
	return advice
}

// adviseTogether adds a set of bounds that suffices, or a note if there is none.
func (a *adviser) adviseTogether(advice *report.Advice, set []setting) {
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
	alone := settings{s.key: s.to}
	return report.Change{Bound: s.Bound.Bound, To: s.to, Fits: a.excess(alone) == 0, Total: a.total(alone)}
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
	return a.relax(set)
}

// fewest is a set of few bounds that suffices, nil if there is none. It takes the bound
// that helps most, one after the other: missing ones at first, and existing ones if
// these do not suffice.
func (a *adviser) fewest() []setting {
	var chosen []adjustable
	at := settings{}
	for _, first := range []int64{least, 1} {
		for _, b := range chosen {
			at[b.key] = min(b.top, first)
		}
		for a.excess(at) > 0 {
			best, lowest := -1, math.Inf(1)
			for i, b := range a.bounds {
				if _, taken := at[b.key]; taken || first == least && !b.missing() {
					continue
				}
				at[b.key] = min(b.top, first)
				if e := a.excess(at); e < lowest {
					best, lowest = i, e
				}
				delete(at, b.key)
			}
			if best < 0 {
				break
			}
			chosen = append(chosen, a.bounds[best])
			at[a.bounds[best].key] = min(a.bounds[best].top, first)
		}
		if a.excess(at) == 0 {
			break
		}
	}
	sortByPlace(chosen)
	return a.relax(a.lower(chosen))
}

// relax leaves out what a set can do without, and raises each bound of it as far as
// the others allow.
func (a *adviser) relax(set []setting) []setting {
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
