package typesystem

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// Place is where a node stands in a schema document: the steps from its root.
type Place []Step

// Step is one step into a schema document.
type Step struct {
	// Keyword is properties, items or additionalProperties. The first step may be
	// variable, for a schema that is that of a variable.
	Keyword string
	// Name is the name of the property or of the variable.
	Name string
}

// String writes the place as a document path, such as
// properties[spec].properties[listeners].items.
func (p Place) String() string {
	steps := make([]string, len(p))
	for i, s := range p {
		steps[i] = s.Keyword
		if s.Keyword == "properties" || s.Name != "" {
			steps[i] += "[" + s.Name + "]"
		}
	}
	return strings.Join(steps, ".")
}

// Data writes the place as the data has it, such as spec.listeners[*]; the values
// of a map are spec.labels{*}. It is empty for the root.
func (p Place) Data() string {
	var b strings.Builder
	for _, s := range p {
		switch s.Keyword {
		case "items":
			b.WriteString("[*]")
		case "additionalProperties":
			b.WriteString("{*}")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		}
	}
	return b.String()
}

// Child is the place one step further. It shares no memory with p.
func (p Place) Child(s Step) Place { return append(append(make(Place, 0, len(p)+1), p...), s) }

// Bound is what bounds the size of the values at a place.
type Bound struct {
	cost.Bound
	// Place is the place, relative to the schema that was asked.
	Place Place
	// Of is the schema of the place, nil for the keys of a map.
	Of *Schema
}

// MostElements is the greatest size that a value at the place can really have, false if
// there is none. Estimates take numbers, objects and the keys of maps to have no size, but
// an evaluation counts them.
func (b Bound) MostElements() (uint64, bool) {
	switch {
	case b.Of == nil:
		return uint64(maxRequestSize), true
	case b.Of.kind == kindObject:
		s := b.Of.WithObjectMeta()
		return uint64(len(s.properties)), s.meta == nil && !s.PreserveUnknownFields && !s.EmbeddedResource
	case b.Of.kind == kindDyn:
		return b.Size, true
	case b.Kind == cost.SourceNone:
		return 1, true
	}
	return b.Size, b.Value == nil || *b.Value >= 0 && *b.Value <= maxRequestSize
}

// Adjustable tells whether a document can set the keyword to another value.
func (b Bound) Adjustable() bool {
	return b.Kind == cost.SourceDeclared || b.Kind == cost.SourceMissing
}

// At is the size that estimates assume if the keyword has the value.
func (b Bound) At(value int64) uint64 { return uint64(max(value, 0) * b.PerUnit) }

// Bound says what bounds the size of what lies at a path of Sizes, to a release. Doc is the
// document that the schema was compiled from. Without it, the bound is inferred from the
// compiled schema: that of a string is cost.SourceFixed then. A bound newer than the release
// counts as missing, or as fixed if no keyword could replace it. Bound is false where Sizes are.
func (s *Schema) Bound(doc *OpenAPI, path []string, r release.Release) (Bound, bool) {
	b := Bound{Bound: cost.Bound{Kind: cost.SourceNone, PerUnit: 1}}
	known := doc != nil
	at, ok := s.follow(path, func(from *Schema, step Step) {
		switch step.Keyword {
		case "items":
			doc = doc.Elements()
		case "additionalProperties":
			doc = doc.Values()
		default:
			if from.meta != nil && slices.Contains(implicitFields, step.Name) {
				b.Kind = cost.SourceImplicit
			}
			doc = doc.Property(step.Name)
		}
		b.Place = b.Place.Child(step)
	})
	if at == nil {
		return b, ok
	}
	b.Of, b.Size = at, uint64(at.maxElements)
	switch {
	case b.Kind == cost.SourceImplicit, known && doc == nil: // nothing in the document declares it
	case known:
		b = at.bound(doc, b)
	default:
		b = at.guess(b)
	}
	if r.Before(at.boundSince) {
		b.Size, b.Value = at.maxSize(r), nil
		switch {
		case at.kind == kindString && at.boundSince == enumSince: // maxLength would count
			b.Keyword, b.Kind, b.PerUnit = "maxLength", cost.SourceMissing, maxRuneSize
		case b.Kind != cost.SourceImplicit:
			b.Kind = cost.SourceFixed
		}
	}
	return b, true
}

// guess completes a bound without the document. A size that is not the fallback was
// declared.
func (s *Schema) guess(b Bound) Bound {
	b = s.bound(&OpenAPI{}, b)
	if b.Kind == cost.SourceImplicit {
		b.Kind = cost.SourceFixed
		if s.kind == kindList || s.kind == kindMap {
			value := s.maxElements
			b.Kind, b.Value = cost.SourceDeclared, &value
		}
	}
	return b
}

// MinSize is the length in bytes of the shortest JSON of a value, on which MaxCardinality rests.
func (s *Schema) MinSize() int64 { return s.minSize }

// bound completes the bound of the place of a node.
func (s *Schema) bound(doc *OpenAPI, b Bound) Bound {
	limit, most := s.limit(doc)
	b.Keyword, b.Value, b.PerUnit, b.MinElement = limit.Keyword, limit.Value, limit.PerUnit, limit.MinElement
	switch {
	case b.Keyword == "":
	case b.Keyword == "format":
		b.Kind = cost.SourceFixed
	case b.Value != nil && b.At(*b.Value) == b.Size:
		b.Kind = cost.SourceDeclared
	case b.Value == nil && s.kind == kindString && len(doc.Enum) > 0:
		b.Keyword, b.Kind = "enum", cost.SourceFixed
	case b.Value == nil && uint64(most) == b.Size:
		b.Kind = cost.SourceMissing
	default: // the type has replaced what the document says, as it does for metadata
		b.Kind = cost.SourceImplicit
	}
	return b
}

// WithBound is the document with maxItems, maxLength or maxProperties set at a place. The
// document itself stays as it is; the two share what is elsewhere.
func (doc *OpenAPI) WithBound(place Place, keyword string, value int64) (*OpenAPI, error) {
	if doc == nil {
		return nil, errors.New("there is no schema at the place of the bound")
	}
	changed := *doc
	if len(place) == 0 {
		bounds := map[string]**int64{"maxItems": &changed.MaxItems, "maxLength": &changed.MaxLength, "maxProperties": &changed.MaxProperties}
		if bounds[keyword] == nil {
			return nil, fmt.Errorf("%s bounds no size", keyword)
		}
		*bounds[keyword] = &value
		return &changed, nil
	}
	step := place[0]
	below := map[string]*OpenAPI{"properties": doc.Property(step.Name), "items": doc.Elements(), "additionalProperties": doc.Values()}[step.Keyword]
	below, err := below.WithBound(place[1:], keyword, value)
	if err != nil {
		return nil, err
	}
	switch step.Keyword {
	case "properties":
		changed.Properties = maps.Clone(doc.Properties)
		changed.Properties[step.Name] = below
	case "items":
		changed.Items = &SchemaOrArray{Schema: below}
	case "additionalProperties":
		changed.AdditionalProperties = &SchemaOrBool{Allows: true, Schema: below}
	}
	return &changed, nil
}
