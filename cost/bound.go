package cost

// Bound is what bounds the size of the values at a place of a schema.
type Bound struct {
	// Schema is the place in the schema, such as properties[spec].properties[rules].
	Schema string `json:"schema"`
	// Data is the place in the data, such as spec.rules. It is empty for the root.
	Data string `json:"data"`
	// Kind says where the size comes from. It is one of SourceDeclared to SourceNone.
	Kind Source `json:"kind"`
	// Keyword is the keyword that declares the bound or that could: maxItems,
	// maxLength or maxProperties. It is enum or format where these bound the size, and
	// empty for data without a size.
	Keyword string `json:"keyword,omitempty"`
	// Value is the value of the keyword. It is nil if the keyword is missing.
	// Estimates take a negative value for zero.
	Value *int64 `json:"value,omitempty"`
	// Size is the greatest size that estimates assume, in the unit of CEL's size().
	Size uint64 `json:"size"`
	// PerUnit is the size that one unit of the keyword adds: 4 for a code point, which
	// may take 4 bytes, and 1 for anything else.
	PerUnit int64 `json:"perUnit,omitempty"`
	// MinElement is the least number of bytes of an element of a list or map, with a
	// comma. If the bound is missing, Size follows from it.
	MinElement int64 `json:"minElement,omitempty"`
	// Note says what is odd about the value.
	Note string `json:"note,omitempty"`
}

// Source says where a size comes from.
type Source string

// The sources of sizes in an expression. SourceDeclared to SourceNone are those of
// data with a schema.
const (
	// SourceLiteral is a literal.
	SourceLiteral Source = "literal"
	// SourceScalar is a type all of whose values have the size one.
	SourceScalar Source = "scalar"
	// SourceComputed is a size that follows from the sizes of operands.
	SourceComputed Source = "computed"
	// SourceUnknown is a size of which nothing is known.
	SourceUnknown Source = "unknown"
	// SourceDeclared is a bound that the schema declares.
	SourceDeclared Source = "declared"
	// SourceMissing is a size that only the size of a request bounds.
	SourceMissing Source = "missing"
	// SourceFixed is a bound that follows from the format or an enum.
	SourceFixed Source = "fixed"
	// SourceImplicit is the bound of a field that every resource has, whatever the
	// schema declares.
	SourceImplicit Source = "implicit"
	// SourceNone is what has no size that estimates know: objects, numbers, and the
	// keys of maps, which estimates take to be empty.
	SourceNone Source = "none"
)
