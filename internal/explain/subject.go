package explain

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// subject is one expression whose estimate depends on the bounds of a schema.
type subject struct {
	explain *compile.Expression
	// bound finds what bounds the data at a path of the expression. The place is
	// that in the whole schema.
	bound func(path []string) (typesystem.Bound, bool)
	// chain are the lists and maps around the expression. If one of them has no bound,
	// fallback is the number of evaluations, and minSize the size behind it.
	chain    []crd.Link
	fallback uint64
	minSize  int64
	// estimate is what one evaluation costs at most with the bounds as they are.
	estimate uint64
	// cache holds the bounds that were asked for, by path.
	cache map[string]*answer
}

// answer is what bounds the data at a path, with a key for the place.
type answer struct {
	typesystem.Bound
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

// at is the answer for a path, nil if there is nothing.
func (s *subject) at(path []string) *answer {
	// The name of a field may have any character but a NUL.
	key := strings.Join(path, "\x00")
	a, asked := s.cache[key]
	if !asked {
		if b, ok := s.bound(path); ok {
			a = described(b)
		}
		s.cache[key] = a
	}
	return a
}

// bounds is what traces say of the data at a path.
func (s *subject) bounds(path []string) *cost.Bound {
	if a := s.at(path); a != nil {
		return &a.Bound.Bound
	}
	return nil
}

// described adds to a bound what only reports have.
func described(b typesystem.Bound) *answer {
	b.Schema, b.Data = b.Place.String(), b.Place.Data()
	switch {
	case b.Value == nil:
	case *b.Value < 0:
		b.Note = "a negative value counts as zero"
	case *b.Value > math.MaxInt64/max(b.PerUnit, 1):
		b.Note = "the value overflows in a server's estimate"
	}
	return &answer{b, keyOf(b.Place)}
}

// around returns the bounds of the lists and maps around the expression.
func (s *subject) around() (bounds []*answer) {
	for _, l := range s.chain {
		b := typesystem.Bound{Place: l.Place, Bound: cost.Bound{Kind: cost.SourceMissing, Keyword: l.Keyword, Value: l.Value, Size: s.fallback}}
		if l.Value != nil {
			b.Kind, b.Size = cost.SourceDeclared, uint64(max(*l.Value, 0))
		}
		bounds = append(bounds, described(b))
	}
	return bounds
}

// sizes answers for the sizes of data with some bounds replaced.
type sizes struct {
	*subject
	set settings
}

// SizeOf is part of pricing.Sizer.
func (s sizes) SizeOf(path []string) (cost.Range, bool) {
	a := s.at(path)
	if a == nil {
		return cost.Range{}, false
	}
	if v, ok := s.set[a.key]; ok && a.Adjustable() {
		return cost.Range{Max: a.At(v)}, true
	}
	return cost.Range{Max: a.Size}, true
}

// evaluations is how often the expression is evaluated with some bounds replaced.
func (s *subject) evaluations(set settings) uint64 {
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
		estimate = s.explain.Prices().Estimate(s.explain.Checked, sizes{s, set}).Max
	}
	return pricing.Repeated(estimate, s.evaluations(set))
}

// resizes tells whether settings change a size that one evaluation depends on, and
// not only how many there are.
func (s *subject) resizes(set settings) bool {
	for _, a := range s.cache {
		if a == nil {
			continue
		}
		if _, ok := set[a.key]; ok {
			return true
		}
	}
	return false
}

// adjustable is a bound that a document can set.
type adjustable struct {
	*answer
	// top is the greatest value that makes a difference.
	top int64
	// chain tells that it is a list or map around the expression.
	chain bool
}

func (a adjustable) missing() bool { return a.Value == nil }

// maxBound is more elements, entries or characters than a request can hold.
const maxBound = cost.MaxRequestSizeBytes

// adjustables are the bounds behind the estimate that can be set, by place. The
// subject must have been estimated.
func (s *subject) adjustables() []adjustable {
	byKey := map[string]adjustable{}
	add := func(a *answer, unbounded uint64, chain bool) {
		top := int64(min(unbounded, maxBound))
		if a.Value != nil {
			top = *a.Value
		}
		byKey[a.key] = adjustable{a, top, chain}
	}
	for _, a := range s.cache {
		if a != nil && a.Adjustable() {
			add(a, a.Size/uint64(a.PerUnit), false)
		}
	}
	for _, a := range s.around() {
		add(a, s.fallback, true)
	}
	all := slices.Collect(maps.Values(byKey))
	sortByPlace(all)
	return all
}

func sortByPlace(bounds []adjustable) {
	slices.SortFunc(bounds, func(a, b adjustable) int {
		return cmp.Or(cmp.Compare(len(a.Place), len(b.Place)), strings.Compare(a.key, b.key))
	})
}
