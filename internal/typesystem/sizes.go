package typesystem

import (
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
)

// The first releases that know of a bound.
var (
	// cappedSince bounds the name and generateName of an object.
	cappedSince = release.Minor(37)
	// intOrStringSince counts maxLength of what may be an integer or a string.
	intOrStringSince = release.Minor(34)
	// enumSince takes the longest value of an enum for the longest string.
	enumSince = release.Minor(29)
)

// SizeOf bounds the size of what lies at a path of a checked expression, in the unit of CEL's size().
// The first step is the name of the variable and ignored; the others are identifiers of fields, and
// @items, @values and @keys for what a list or a map holds. It is false if nothing is known.
func (s *Schema) SizeOf(path []string) (cost.Range, bool) { return s.sizeOf(path, release.Newest()) }

// SizesOf returns the sizes by which a release estimates expressions whose
// variables have the schema. Those of the newest release are the schema's own.
func (s *Schema) SizesOf(r release.Release) pricing.Sizer {
	if !r.Before(release.Newest()) {
		return s
	}
	return earlierSizes{s, r}
}

type earlierSizes struct {
	schema  *Schema
	release release.Release
}

// SizeOf is part of pricing.Sizer.
func (e earlierSizes) SizeOf(path []string) (cost.Range, bool) {
	return e.schema.sizeOf(path, e.release)
}

func (s *Schema) sizeOf(path []string, r release.Release) (cost.Range, bool) {
	if len(path) == 0 || !s.exposed {
		return cost.Range{}, false
	}
	for i, step := range path[1:] {
		var next *Schema
		switch step {
		case "@items", "@values":
			next = s.elem()
		case "@keys":
			// An API server takes the keys of a map to be empty.
			return cost.Range{}, s.kind == kindMap && i == len(path)-2
		default:
			next, _ = s.Field(step)
		}
		if next == nil {
			return cost.Range{}, false
		}
		s = next
	}
	if r.Before(s.boundSince) {
		return cost.Range{Max: uint64(maxStringSize)}, true
	}
	return cost.Range{Max: uint64(s.maxElements)}, true
}

// BoundOn is BoundOf for a release. A bound that it does not know yet is one
// that it takes to be missing, or fixed if nothing that the document says could replace it.
func (s *Schema) BoundOn(r release.Release, doc *OpenAPI, path []string) (Bound, bool) {
	b, ok := s.BoundOf(doc, path)
	if !ok {
		return b, false
	}
	if b.Of == nil || !r.Before(b.Of.boundSince) {
		return b, true
	}
	b.Size, b.Value = uint64(maxStringSize), nil
	switch {
	case b.Of.kind == kindString && b.Of.boundSince == enumSince: // maxLength would count
		b.Keyword, b.Kind, b.PerUnit = "maxLength", BoundMissing, maxRuneSize
	case b.Kind != BoundImplicit:
		b.Kind = BoundFixed
	}
	return b, true
}
