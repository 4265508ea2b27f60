package typesystem

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// Place is the place, relative to the schema that was asked.
	Place Place
	// Kind says where the bound comes from.
	Kind BoundKind
	// Keyword is the keyword that declares the size, or could: maxItems, maxLength
	// or maxProperties. It is enum or format where these bound it, and empty for
	// what has no size of its own.
	Keyword string
	// Value is the value of the keyword, nil if it is missing. Estimates take a
	// negative value for zero.
	Value *int64
	// PerUnit is the size that estimates assume for one unit of the keyword: 4 for
	// the code points of most strings, and 1 for anything else.
	PerUnit int64
	// Size is the size that estimates assume at most, in the unit of CEL's size(),
	// as [Schema.Sizes] has it.
	Size uint64
	// MinElement is the length in bytes of the shortest JSON of an element, with a
	// comma, on which the size of a list or map without a bound rests, and zero for
	// anything else: a request of 3 MiB holds so many of them.
	MinElement int64
	// Of is the schema of the place, nil for the keys of a map.
	Of *Schema
}

// BoundKind says where a bound comes from.
type BoundKind string

// The kinds of bounds.
const (
	// BoundDeclared is a bound that the schema declares.
	BoundDeclared BoundKind = "declared"
	// BoundMissing is a size that only the size of a request bounds.
	BoundMissing BoundKind = "missing"
	// BoundFixed is a bound that follows from the format or an enum.
	BoundFixed BoundKind = "fixed"
	// BoundImplicit is that of a field which every resource has, whatever the
	// schema declares.
	BoundImplicit BoundKind = "implicit"
	// BoundNone is what has no size that estimates know: objects, numbers, and the
	// keys of maps, which estimates take to be empty.
	BoundNone BoundKind = "none"
)

// MostElements is the size that a value at the place can really have at most, false if
// there is no telling. Estimates take numbers, objects and the keys of maps to have no
// size; what evaluates them sees one.
func (b Bound) MostElements() (uint64, bool) {
	switch {
	case b.Of == nil:
		return uint64(maxRequestSize), true
	case b.Of.kind == kindObject:
		s := b.Of.WithObjectMeta()
		return uint64(len(s.properties)), s.meta == nil && !s.PreserveUnknownFields && !s.EmbeddedResource
	case b.Kind == BoundNone:
		return 1, true
	}
	return b.Size, b.Value == nil || *b.Value >= 0 && *b.Value <= maxRequestSize
}

// Adjustable tells whether the keyword can be set to another value.
func (b Bound) Adjustable() bool { return b.Kind == BoundDeclared || b.Kind == BoundMissing }

// At is the size that estimates assume if the keyword has a value.
func (b Bound) At(value int64) uint64 { return uint64(max(value, 0) * b.PerUnit) }

// Bound says what bounds the size of what lies at a path of Sizes, to a release. Doc is the
// document that the schema was compiled from. Without it, the bound is inferred from the
// compiled schema: that of a string is BoundFixed then. A bound that the release does not know
// yet counts as missing, or as fixed if no keyword could replace it. Bound is false where Sizes are.
func (s *Schema) Bound(doc *OpenAPI, path []string, r release.Release) (Bound, bool) {
	b := Bound{Kind: BoundNone, PerUnit: 1}
	known := doc != nil
	at, ok := s.follow(path, func(from *Schema, step Step) {
		switch step.Keyword {
		case "items":
			doc = doc.Elements()
		case "additionalProperties":
			doc = doc.Values()
		default:
			if from.meta != nil && slices.Contains(implicitFields, step.Name) {
				b.Kind = BoundImplicit
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
	case b.Kind == BoundImplicit, known && doc == nil: // nothing in the document declares it
	case known:
		b = at.bound(doc, b)
	default:
		b = at.guess(b)
	}
	if r.Before(at.boundSince) {
		b.Size, b.Value = at.maxSize(r), nil
		switch {
		case at.kind == kindString && at.boundSince == enumSince: // maxLength would count
			b.Keyword, b.Kind, b.PerUnit = "maxLength", BoundMissing, maxRuneSize
		case b.Kind != BoundImplicit:
			b.Kind = BoundFixed
		}
	}
	return b, true
}

// guess completes a bound without the document. A size that is not the fallback was
// declared.
func (s *Schema) guess(b Bound) Bound {
	b = s.bound(&OpenAPI{}, b)
	if b.Kind == BoundImplicit {
		b.Kind = BoundFixed
		if s.kind == kindList || s.kind == kindMap {
			value := s.maxElements
			b.Kind, b.Value = BoundDeclared, &value
		}
	}
	return b
}

// MinSize is the length in bytes of the shortest JSON of a value, on which MaxCardinality rests.
func (s *Schema) MinSize() int64 { return s.minSize }

// bound completes the bound of the place of a node.
func (s *Schema) bound(doc *OpenAPI, b Bound) Bound {
	switch s.kind {
	case kindMap:
		b.Keyword, b.Value = "maxProperties", doc.MaxProperties
		b.MinElement = s.AdditionalProperties.minSize + mapEntrySize
	case kindList:
		b.Keyword, b.Value = "maxItems", doc.MaxItems
		b.MinElement = s.Items.minSize + 1
	case kindString, kindIntOrString:
		b.Keyword, b.Value, b.PerUnit = "maxLength", doc.MaxLength, maxRuneSize
	case kindBytes:
		b.Keyword, b.Value = "maxLength", doc.MaxLength
	case kindDuration, kindDate, kindDateTime:
		b.Keyword, b.Kind = "format", BoundFixed
		return b
	default:
		return b
	}
	fallback := maxStringSize
	if b.MinElement > 0 {
		fallback = (maxRequestSize - 2) / b.MinElement
	}
	switch {
	case b.Value != nil && b.At(*b.Value) == b.Size:
		b.Kind = BoundDeclared
	case b.Value == nil && s.kind == kindString && len(doc.Enum) > 0:
		b.Keyword, b.Kind = "enum", BoundFixed
	case b.Value == nil && uint64(fallback) == b.Size:
		b.Kind = BoundMissing
	default: // the type has replaced what the document says, as it does for metadata
		b.Kind = BoundImplicit
	}
	return b
}

// WithBound is the document with maxItems, maxLength or maxProperties set at a place. The
// document itself stays as it is; the two share what is elsewhere.
func (doc *OpenAPI) WithBound(place Place, keyword string, value int64) (*OpenAPI, error) {
	if doc == nil {
		return nil, fmt.Errorf("no schema at %s", place)
	}
	changed := *doc
	if len(place) > 0 {
		step := place[0]
		var below *OpenAPI
		switch step.Keyword {
		case "properties":
			below = doc.Property(step.Name)
		case "items":
			below = doc.Elements()
		case "additionalProperties":
			below = doc.Values()
		}
		if below == nil {
			return nil, fmt.Errorf("no schema at %s", place[:1])
		}
		below, err := below.WithBound(place[1:], keyword, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place[:1], err)
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
	switch keyword {
	case "maxItems":
		changed.MaxItems = &value
	case "maxLength":
		changed.MaxLength = &value
	case "maxProperties":
		changed.MaxProperties = &value
	default:
		return nil, fmt.Errorf("%s bounds no size", keyword)
	}
	return &changed, nil
}
