package typesystem

import "slices"

// Shape is what data is to expressions, before a CEL value is made of it.
type Shape uint8

// The shapes of data.
const (
	// ShapeOther is data that only Value makes something of, perhaps an error.
	ShapeOther Shape = iota
	// ShapeNull is null.
	ShapeNull
	// ShapeBool is a boolean. The number is 1 for true.
	ShapeBool
	// ShapeInt is an integer.
	ShapeInt
	// ShapeString is a string.
	ShapeString
	// ShapeMap is an object or a map: the data is a map[string]any.
	ShapeMap
	// ShapeList is a list: the data is a []any.
	ShapeList
	// Shapes is how many there are.
	Shapes
)

// The schemas of values that have none: what Shape tells is all that there is to know.
var (
	NullShape   = &Schema{shape: ShapeNull}
	BoolShape   = &Schema{shape: ShapeBool}
	IntShape    = &Schema{shape: ShapeInt}
	StringShape = &Schema{shape: ShapeString}
	MapShape    = &Schema{shape: ShapeMap}
	ListShape   = &Schema{shape: ShapeList}
)

// Shape is the shape of values of the schema that Native returns.
func (s *Schema) Shape() Shape { return s.shape }

// Native tells what Value makes of data, without making it. Of a scalar it returns one of
// the schemas above and the number, and of a map or a list the schema that is to be asked
// for what it holds. It returns nil if only Value knows.
func (s *Schema) Native(data any) (of *Schema, number int64) {
	switch d := data.(type) {
	case string:
		if s.kind == kindString || s.kind == kindIntOrString {
			return StringShape, 0
		}
	case map[string]any:
		if s.shape == ShapeMap {
			if s.EmbeddedResource {
				s = s.WithObjectMeta()
			}
			return s, 0
		}
	case []any:
		if s.shape == ShapeList {
			return s, 0
		}
	case int64:
		if s.kind == kindInt || s.kind == kindIntOrString {
			return IntShape, d
		}
	case bool:
		if s.kind == kindBool {
			if d {
				return BoolShape, 1
			}
			return BoolShape, 0
		}
	case nil:
		if s.Nullable {
			return NullShape, 0
		}
	}
	return nil, 0
}

// setShape sets the shape of maps and lists.
func (s *Schema) setShape() {
	switch {
	case s.kind == kindObject, s.kind == kindMap:
		s.shape = ShapeMap
	case s.kind == kindList && s.Items != nil && slices.Contains(listTypes, s.ListType):
		s.shape = ShapeList
	}
}

// listTypes are those that lists with a value have.
var listTypes = []string{"", "atomic", "set", "map"}

// Select finds what an object or a map has under a key of an expression: the data, and
// its schema. The schema is nil if nothing is there.
func (s *Schema) Select(data map[string]any, key string) (any, *Schema) {
	if s.properties != nil {
		return s.Find(key).Of(data)
	}
	if v, ok := data[key]; ok && s.AdditionalProperties != nil {
		return v, s.AdditionalProperties
	}
	return nil, nil
}

// Of is the value of the property in an object, and its schema, nil if the object has
// none. Null is the same as no value.
func (p *Property) Of(data map[string]any) (any, *Schema) {
	if p == nil {
		return nil, nil
	}
	if v := data[p.Name]; v != nil {
		return v, p.Schema
	}
	return nil, nil
}

// Find finds a property by the identifier that expressions select it by, nil if there is
// none.
func (s *Schema) Find(ident string) *Property {
	if s.properties == nil {
		return nil
	}
	p := s.propertyByIdent(ident)
	if p == nil && s.rest != nil {
		p = s.field(ident)
	}
	return p
}

// HasKeys tells whether all keys of a map of data are values: those of an object are not.
func (s *Schema) HasKeys() bool {
	return s == MapShape || s.properties == nil && s.AdditionalProperties != nil
}

// SchemaOf is the schema of the values of an object type, nil if the type is not one of a
// schema.
func (p *Provider) SchemaOf(typeName string) *Schema {
	if s, _ := p.find(typeName); s != nil {
		return s.WithObjectMeta()
	}
	if base, ok := p.Provider.(*Provider); ok {
		return base.SchemaOf(typeName)
	}
	return nil
}

// NativeOf takes apart a value of data: its schema and the data.
func NativeOf(value any) (*Schema, any) {
	switch v := value.(type) {
	case *mapValue:
		return v.schema, v.data
	case *listValue:
		return v.schema, v.data
	case *setValue:
		return v.schema, v.data
	case *mapListValue:
		return v.schema, v.data
	}
	return nil, nil
}
