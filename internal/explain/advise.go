package explain

import (
	"math"

	"github.com/kubecel/kubecel/report"
)

// adviser searches for the bounds that bring an expression, or several together,
// under a limit.
type adviser struct {
	// total is the estimate with some bounds replaced.
	total  func(settings) uint64
	limit  uint64
	bounds []adjustable
	// prove estimates anew with the bounds in the document, nil if there is none.
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
		c.Fits = len(set) == 1
		c.Total = a.total(settings{s.key: s.to})
		c.Largest = !a.fits(with(set, i, s.to+1))
		advice.Together = append(advice.Together, c)
	}
}

func (a *adviser) change(s setting) report.Change {
	return report.Change{Bound: s.Bound.Bound, To: s.to}
}

// proven tells whether the estimate of the changed document is the same.
func (a *adviser) proven(set []setting, total uint64) bool {
	if a.prove == nil {
		return false
	}
	again, ok := a.prove(set)
	return ok && again == total
}

// largest is the greatest value that fits. Low fits, and high does not.
func largest(low, high int64, fits func(int64) bool) int64 {
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
	fits := func(v int64) bool { return a.fits([]setting{{b, v}}) }
	s := setting{b, high}
	if !fits(high) {
		s.to = largest(low, high, fits)
	}
	c := a.change(s)
	c.Fits, c.Largest, c.Total = true, s.to != high, a.total(settings{b.key: s.to})
	return c
}

// alone is the greatest value of one bound that suffices without any other, false
// for a bound that makes no difference.
func (a *adviser) alone(b adjustable, total uint64) (report.Change, bool) {
	if s := (setting{b, 1}); !a.fits([]setting{s}) {
		c := a.change(s)
		c.Total = a.total(settings{b.key: 1})
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
	for _, s := range set {
		if s.to < min(least, s.top) {
			if all := a.lower(a.bounds); all != nil {
				set = all
			}
			break
		}
	}
	if set == nil {
		set = a.lower(a.bounds)
	}
	for i := 0; i < len(set); {
		if without := append(append([]setting{}, set[:i]...), set[i+1:]...); len(without) > 0 && a.fits(without) {
			set = without
			continue
		}
		i++
	}
	for i, s := range set {
		high := s.top
		if s.missing() {
			high = maxBound
		}
		if high <= s.to {
			continue
		}
		if set = with(set, i, high); !a.fits(set) {
			set[i].to = largest(s.to, high, func(v int64) bool { return a.fits(with(set, i, v)) })
		}
	}
	return set
}

func with(set []setting, i int, to int64) []setting {
	changed := append([]setting{}, set...)
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
	if !a.fits(at(steps)) {
		return nil
	}
	if a.fits(at(0)) {
		return at(0)
	}
	// The step that fits is the higher one here.
	low := largest(0, steps, func(step int64) bool { return !a.fits(at(step)) })
	return at(low + 1)
}
