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

// Sizes returns the sizes by which a release estimates expressions on variables of the
// schema, in the unit of CEL's size(). A path begins with the name of the variable, which
// is ignored, and goes on with identifiers of fields and with [pricing.PathItems],
// [pricing.PathValues] and [pricing.PathKeys].
func (s *Schema) Sizes(r release.Release) pricing.Sizer { return sizes{s, r} }

type sizes struct {
	schema  *Schema
	release release.Release
}

// SizeOf is part of pricing.Sizer.
func (z sizes) SizeOf(path []string) (cost.Range, bool) {
	at, ok := z.schema.follow(path, nil)
	if at == nil {
		return cost.Range{}, ok // an API server takes the keys of a map to be empty
	}
	return cost.Range{Max: at.maxSize(z.release)}, true
}

// maxSize is the greatest size of a value to a release.
func (s *Schema) maxSize(r release.Release) uint64 {
	if r.Before(s.boundSince) {
		return uint64(maxStringSize)
	}
	return uint64(s.maxElements)
}

// follow finds the schema at a path of Sizes: nil for the keys of a map, and false if there
// is nothing at the path. It tells visit of each step, unless that is nil.
func (s *Schema) follow(path []string, visit func(from *Schema, step Step)) (*Schema, bool) {
	if len(path) == 0 || !s.exposed {
		return nil, false
	}
	for i, name := range path[1:] {
		var step Step
		var next *Schema
		switch name {
		case pricing.PathItems, pricing.PathValues:
			step.Keyword, next = "items", s.below()
			if name == pricing.PathValues || s.kind == kindMap {
				step.Keyword = "additionalProperties"
			}
		case pricing.PathKeys:
			return nil, (s.kind == kindMap || s.kind == kindDyn) && i == len(path)-2
		default:
			if p := s.field(name); p != nil {
				step, next = Step{Keyword: "properties", Name: p.Name}, p.Schema
			} else if s.kind == kindDyn {
				step, next = Step{Keyword: "properties", Name: name}, s
			}
		}
		if next == nil {
			return nil, false
		}
		if visit != nil {
			visit(s, step)
		}
		s = next
	}
	return s, true
}
