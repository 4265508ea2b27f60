// Package explain makes the reports of package report: it traces estimates, finds
// the bounds that they rest on, and searches for bounds that would be enough.
package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/report"
)

// subject is one expression whose estimate depends on the bounds of a schema.
type subject struct {
	explain crd.Explainer
	// bound finds what bounds the data at a path of the expression. The place is
	// that in the whole schema.
	bound func(path []string) (typesystem.Bound, bool)
	// chain are the lists and maps around the expression, fallback and minSize what
	// counts if one of them has no bound.
	chain    []crd.Link
	fallback uint64
	minSize  int64
	// estimate is what one evaluation costs at most with the bounds as they are.
	estimate uint64
	// cache holds the bounds that were asked for, by path.
	cache map[string]*answer
}

type answer struct {
	typesystem.Bound
	ok  bool
	key string
}

// keyOf tells places apart, whatever the names of properties are.
func keyOf(p typesystem.Place) string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Keyword + "\x00" + s.Name + "\x00")
	}
	return b.String()
}

// settings are values of bounds that replace those of the schema, by place.
type settings map[string]int64

func (s *subject) at(path []string) *answer {
	// The name of a field may have any character but a NUL.
	key := strings.Join(path, "\x00")
	a := s.cache[key]
	if a == nil {
		a = &answer{}
		if a.Bound, a.ok = s.bound(path); a.ok {
			a.key = keyOf(a.Place)
		}
		s.cache[key] = a
	}
	return a
}

// sizes answers for the sizes of data with some bounds replaced.
type sizes struct {
	*subject
	set settings
}

// SizeOf is part of pricing.Sizer.
func (s sizes) SizeOf(path []string) (cost.Range, bool) {
	a := s.at(path)
	if !a.ok {
		return cost.Range{}, false
	}
	if len(s.set) > 0 && a.Adjustable() {
		if v, ok := s.set[a.key]; ok {
			return cost.Range{Max: a.At(v)}, true
		}
	}
	return cost.Range{Max: a.Size}, true
}

// evaluations is how often the expression is evaluated with some bounds replaced.
func (s *subject) evaluations(set settings) uint64 {
	if len(set) == 0 {
		return crd.Cardinality(s.chain, s.fallback)
	}
	chain := slices.Clone(s.chain)
	for i, l := range chain {
		if v, ok := set[keyOf(l.Place)]; ok {
			chain[i].Value = &v
		}
	}
	return crd.Cardinality(chain, s.fallback)
}

// total is the number that is judged, with some bounds replaced.
func (s *subject) total(set settings) uint64 {
	estimate := s.estimate
	if s.resizes(set) {
		e, err := s.explain.Estimate(sizes{s, set})
		if err != nil {
			return math.MaxUint64
		}
		estimate = e.Max
	}
	return pricing.Repeated(estimate, s.evaluations(set))
}

// resizes tells whether settings change a size that one evaluation depends on, and
// not only how many there are.
func (s *subject) resizes(set settings) bool {
	for _, a := range s.cache {
		if _, ok := set[a.key]; ok && a.ok {
			return true
		}
	}
	return false
}

// knob is a bound that can be set.
type knob struct {
	place   typesystem.Place
	key     string
	keyword string
	value   *int64
	// top is the greatest value that makes a difference.
	top int64
	// chain tells that it is a list or map around the expression.
	chain bool
}

// maxBound is more elements, entries or characters than a request can hold.
const maxBound = cost.MaxRequestSizeBytes

// knobs are the bounds that the estimate rests on and that can be set, by place.
// The subject must have been estimated.
func (s *subject) knobs() []knob {
	byKey := map[string]knob{}
	for _, a := range s.cache {
		if !a.ok || !a.Adjustable() {
			continue
		}
		k := knob{place: a.Place, key: a.key, keyword: a.Keyword, value: a.Value}
		if k.value != nil {
			k.top = *k.value
		} else {
			k.top = int64(min(a.Size/uint64(a.PerUnit), maxBound))
		}
		byKey[a.key] = k
	}
	for _, l := range s.chain {
		key := keyOf(l.Place)
		k := byKey[key]
		k.place, k.key, k.keyword, k.value, k.chain = l.Place, key, l.Keyword, l.Value, true
		switch {
		case k.value != nil:
			k.top = *k.value
		case k.top == 0:
			k.top = int64(min(s.fallback, maxBound))
		}
		byKey[key] = k
	}
	knobs := make([]knob, 0, len(byKey))
	for _, k := range byKey {
		knobs = append(knobs, k)
	}
	sortKnobs(knobs)
	return knobs
}

func sortKnobs(knobs []knob) {
	slices.SortFunc(knobs, func(a, b knob) int {
		return cmp.Or(cmp.Compare(len(a.place), len(b.place)), strings.Compare(a.key, b.key))
	})
}

func (k knob) missing() bool { return k.value == nil }

// reportBound is the report of a bound.
func reportBound(b typesystem.Bound) report.Bound {
	return report.Bound{
		Schema: b.Place.String(), Data: b.Place.Data(), Kind: string(b.Kind), Keyword: b.Keyword,
		Value: b.Value, Size: b.Size, PerUnit: b.PerUnit, MinElement: b.MinElement, Note: oddity(b.Value, b.PerUnit),
	}
}

// oddity says what estimates make of a value that no schema should have.
func oddity(value *int64, perUnit int64) string {
	switch {
	case value == nil:
	case *value < 0:
		return "a negative value counts as zero"
	case *value > math.MaxInt64/max(perUnit, 1):
		return "the value overflows in a server's estimate"
	}
	return ""
}
