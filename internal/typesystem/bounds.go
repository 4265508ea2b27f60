package typesystem

import (
	"slices"

	"github.com/kubecel/kubecel/cost"
)

// maxRequestSize is cost.MaxRequestSizeBytes with the type of sizes here.
const maxRequestSize = int64(cost.MaxRequestSizeBytes)

// Lengths of JSON values in bytes.
const (
	// maxTimeSize is the longest date-time in quotes, and what an API server takes for the longest
	// duration.
	maxTimeSize = 32
	// dateSize is a date in quotes.
	dateSize = 12
	// propertySize is what a property adds to its name and value: two quotes, a colon and a comma.
	propertySize = 4
	// mapEntrySize is the same for a map entry, whose key is taken to have two bytes.
	mapEntrySize = 6
	// maxStringSize is a string that fills the request.
	maxStringSize = maxRequestSize - 2
	// maxRuneSize is how many bytes one unit of maxLength can take.
	maxRuneSize = 4
)

// minSizes are the lengths of the shortest values.
var minSizes = [...]int64{
	kindIntOrString: 1, // 0
	kindObject:      2, // {}, without properties
	kindMap:         2,
	kindList:        2,
	kindString:      2, // quotes
	kindBytes:       2,
	kindDuration:    3, // "0"
	kindDate:        dateSize,
	kindDateTime:    21,
	kindDouble:      1,
	kindInt:         1,
	kindBool:        4, // true
	kindDyn:         1, // 0
}

// setBounds decides whether the schema is exposed, and bounds its sizes as an API server does. The
// schemas below have their bounds.
func (s *Schema) setBounds(doc *OpenAPI) {
	s.minSize, s.maxElements = 0, 0
	switch s.kind {
	case kindList:
		s.exposed = s.Items != nil && s.Items.exposed
	case kindMap:
		s.exposed = s.AdditionalProperties.exposed
	default:
		s.exposed = s.kind != kindNone
	}
	if !s.exposed {
		return
	}
	s.minSize = minSizes[s.kind]
	if s.kind == kindObject {
		s.minSize += s.requiredSize(doc)
	}
	b, most := s.limit(doc)
	switch {
	case s.kind == kindIntOrString:
		s.boundSince = intOrStringSince
	case s.kind == kindString && len(doc.Enum) > 0 && b.Value == nil:
		most, s.boundSince = longestString(doc.Enum), enumSince
	}
	if b.Value != nil {
		most = max(*b.Value, 0) * b.PerUnit // may overflow, as in an API server
	}
	s.maxElements = most
}

// limit is the keyword that bounds the size of the values, with its value in the document, and the
// bound of the type itself.
func (s *Schema) limit(doc *OpenAPI) (b cost.Bound, most int64) {
	b.PerUnit, most = 1, maxStringSize
	switch s.kind {
	case kindMap:
		b.Keyword, b.Value, b.MinElement = "maxProperties", doc.MaxProperties, s.AdditionalProperties.minSize+mapEntrySize
		most /= b.MinElement
	case kindList:
		b.Keyword, b.Value, b.MinElement = "maxItems", doc.MaxItems, s.Items.minSize+1
		most /= b.MinElement
	case kindString, kindIntOrString:
		b.Keyword, b.Value, b.PerUnit = "maxLength", doc.MaxLength, maxRuneSize
	case kindBytes:
		b.Keyword, b.Value = "maxLength", doc.MaxLength
	case kindDate:
		b.Keyword, most = "format", dateSize
	case kindDuration, kindDateTime:
		b.Keyword, most = "format", maxTimeSize
	case kindDyn:
	default:
		most = 0
	}
	return b, most
}

// requiredSize is the length of the properties that every object has: those that are required and that
// no default fills in.
func (s *Schema) requiredSize(doc *OpenAPI) (size int64) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(doc.Required))) {
		of, d := s.Property(name), doc.Property(name)
		if of != nil && of.exposed && (d == nil || d.Default == nil || d.Default.Value == nil) {
			size += int64(len(name)) + of.minSize + propertySize
		}
	}
	return size
}

func longestString(enum []JSON) (longest int64) {
	for _, e := range enum {
		if s, ok := e.Value.(string); ok {
			longest = max(longest, int64(len(s)))
		}
	}
	return longest
}
