package typesystem

import "github.com/kubecel/kubecel/cost"

// maxRequestSize is cost.MaxRequestSizeBytes with the type of sizes here.
const maxRequestSize = int64(cost.MaxRequestSizeBytes)

// Lengths of JSON values in bytes.
const (
	// maxTimeSize is the longest date-time in quotes, and what an API server takes for the longest
	// duration.
	maxTimeSize = 32
	// dateSize is a date in quotes.
	dateSize = 12
	// minDateTimeSize is the shortest date-time in quotes.
	minDateTimeSize = 21
	// minDurationSize is "0" in quotes.
	minDurationSize = 3
	// minStringSize is "".
	minStringSize = 2
	// minBoolSize is true.
	minBoolSize = 4
	// minNumberSize is 0.
	minNumberSize = 1
	// minAggregateSize is [] and {}.
	minAggregateSize = 2
	// propertySize is what a property adds to its name and value: two quotes, a colon and a comma.
	propertySize = 4
	// mapEntrySize is the same for a map entry, whose key is taken to have two bytes.
	mapEntrySize = 6
	// maxStringSize is a string that fills the request.
	maxStringSize = maxRequestSize - 2
	// maxRuneSize is how many bytes one unit of maxLength can take.
	maxRuneSize = 4
)

// setBounds decides whether the schema is exposed, and bounds its sizes as an API server does. The
// schemas below have their bounds.
func (s *Schema) setBounds(doc *OpenAPI) {
	s.exposed = true
	switch s.kind {
	case kindIntOrString:
		s.minSize = minNumberSize
		s.maxElements = scaledBound(doc.MaxLength, maxRuneSize, maxStringSize)
		s.boundSince = intOrStringSince
	case kindObject:
		s.minSize = s.minObjectSize(doc)
	case kindMap:
		s.exposed = s.AdditionalProperties.exposed
		s.minSize = minAggregateSize
		s.maxElements = scaledBound(doc.MaxProperties, 1, (maxRequestSize-2)/(s.AdditionalProperties.minSize+mapEntrySize))
	case kindList:
		if s.Items == nil {
			s.exposed = false
			break
		}
		s.exposed = s.Items.exposed
		s.minSize = minAggregateSize
		s.maxElements = scaledBound(doc.MaxItems, 1, (maxRequestSize-2)/(s.Items.minSize+1))
	case kindString:
		s.minSize = minStringSize
		longest := maxStringSize
		if len(doc.Enum) > 0 {
			longest = longestString(doc.Enum)
			if doc.MaxLength == nil {
				s.boundSince = enumSince
			}
		}
		s.maxElements = scaledBound(doc.MaxLength, maxRuneSize, longest)
	case kindBytes:
		s.minSize = minStringSize
		s.maxElements = scaledBound(doc.MaxLength, 1, maxStringSize)
	case kindDuration:
		s.minSize = minDurationSize
		s.maxElements = maxTimeSize
	case kindDate:
		s.minSize = dateSize
		s.maxElements = dateSize
	case kindDateTime:
		s.minSize = minDateTimeSize
		s.maxElements = maxTimeSize
	case kindDouble, kindInt:
		s.minSize = minNumberSize
	case kindBool:
		s.minSize = minBoolSize
	default:
		s.exposed = false
	}
	if !s.exposed {
		s.minSize, s.maxElements = 0, 0
	}
}

// minObjectSize counts the properties that every object has: those that are required and that no
// default fills in.
func (s *Schema) minObjectSize(doc *OpenAPI) int64 {
	required := make(map[string]bool, len(doc.Required))
	for _, name := range doc.Required {
		required[name] = true
	}
	size := int64(minAggregateSize)
	for _, p := range s.properties {
		if !required[p.Name] || !p.Schema.exposed {
			continue
		}
		if d := doc.Property(p.Name); d == nil || d.Default == nil || d.Default.Value == nil {
			size += int64(len(p.Name)) + p.Schema.minSize + propertySize
		}
	}
	return size
}

// scaledBound is a bound of the document times a factor, or the fallback if the document has none.
// Negative bounds count as zero; a bound too large overflows, as in an API server.
func scaledBound(bound *int64, factor, fallback int64) int64 {
	if bound == nil {
		return fallback
	}
	return max(*bound, 0) * factor
}

func longestString(enum []JSON) int64 {
	var longest int64
	for _, e := range enum {
		if s, ok := e.Value.(string); ok {
			longest = max(longest, int64(len(s)))
		}
	}
	return longest
}
