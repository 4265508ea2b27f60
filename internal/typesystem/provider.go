package typesystem

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/escaping"
)

// Provider declares the types of a schema to CEL, and leaves all else to another provider. The type of
// an object is named after the place of its schema: the name that NewProvider gets for the schema
// itself, and below it name.field, name.@idx for the elements of a list and name.@elem for the values
// of a map. A Provider holds no types: it makes them from the schema when the checker asks.
type Provider struct {
	types.Provider
	adapter types.Adapter
	root    *Schema
	name    string
	escaped bool
}

var (
	_ types.Provider = (*Provider)(nil)
	_ types.Adapter  = (*Provider)(nil)
)

// NewProvider returns the types of a schema, under a name, beside those of base. If base is an adapter
// of values too, so is the result.
//
// A field whose name is a reserved word of CEL can be selected by that word too, as since
// Kubernetes 1.31: self.namespace is self.__namespace__.
func NewProvider(base types.Provider, root *Schema, name string) *Provider {
	adapter, ok := base.(types.Adapter)
	if !ok {
		adapter = types.DefaultTypeAdapter
	}
	return &Provider{Provider: base, adapter: adapter, root: root, name: name}
}

// WithoutKeywordFields returns a provider as before Kubernetes 1.31: a field whose name is a reserved
// word can only be selected by its escaped name.
func (p *Provider) WithoutKeywordFields() *Provider {
	escaped := *p
	escaped.escaped = true
	return &escaped
}

// Type is the type of the schema itself: dyn if the schema is not exposed.
func (p *Provider) Type() *types.Type { return p.root.celType(p.name) }

// Name is the name of the schema, with which those of all its types begin. If it is a list or a map, some
// begin with list or map.
func (p *Provider) Name() string { return p.name }

// NativeToValue converts Go values as the base does.
func (p *Provider) NativeToValue(value any) ref.Val { return p.adapter.NativeToValue(value) }

// FindStructType returns the type of a type name: of an object, a list or a map by its place, and of
// the scalars by their CEL names, which makes duration and timestamp identifiers, as in an API server.
func (p *Provider) FindStructType(typeName string) (*types.Type, bool) {
	if s, place := p.find(typeName); s != nil {
		return types.NewTypeTypeWithParam(s.celType(place)), true
	}
	if t := wellKnown[typeName]; t != nil {
		return types.NewTypeTypeWithParam(t), true
	}
	return p.Provider.FindStructType(typeName)
}

// FindStructFieldNames finds nothing: expressions cannot make objects.
func (p *Provider) FindStructFieldNames(string) ([]string, bool) { return nil, false }

// FindStructFieldType returns the type of a field of an object. Every field of a map has the type of
// its values.
func (p *Provider) FindStructFieldType(typeName, fieldName string) (*types.FieldType, bool) {
	if s, place := p.find(typeName); s != nil {
		field, place := p.field(s, place, fieldName)
		if field == nil {
			return nil, false
		}
		return &types.FieldType{Type: field.celType(place)}, true
	}
	if t := wellKnown[typeName]; t != nil {
		if t.Kind() != types.MapKind {
			return nil, false
		}
		return &types.FieldType{Type: types.AnyType}, true
	}
	return p.Provider.FindStructFieldType(typeName, fieldName)
}

// PropertyNames returns the sorted names of the properties of an object type that expressions can see,
// as the schema writes them, and nil for any other type.
func (p *Provider) PropertyNames(structType string) []string {
	if s, _ := p.find(structType); s != nil {
		var names []string
		for property := range s.WithObjectMeta().Properties() {
			if property.Ident != "" && property.Schema.Exposed() {
				names = append(names, property.Name)
			}
		}
		return names
	}
	if base, ok := p.Provider.(interface{ PropertyNames(string) []string }); ok {
		return base.PropertyNames(structType)
	}
	return nil
}

// field returns the schema of a field and its place.
func (p *Provider) field(s *Schema, place, name string) (*Schema, string) {
	if s.kind == kindMap {
		return s.Elem(), place + elemStep
	}
	field := s.Field(name)
	if field == nil && !p.escaped && escaping.IsReserved(name) {
		name = "__" + name + "__"
		field = s.Field(name)
	}
	return field, place + "." + name
}

// Steps of a place.
const (
	idxStep  = ".@idx"
	elemStep = ".@elem"
)

// find returns the schema of an object, a list or a map by the name of its type, and its place. It
// returns nil if there is no type of that name.
func (p *Provider) find(typeName string) (*Schema, string) {
	if s := p.at(typeName, p.name); s != nil && s.kind == kindObject {
		return s, typeName
	}
	// An API server takes the places of lists and maps relative to the name of the root's type, and
	// that is list or map if the root is one.
	root := p.name
	switch p.root.kind {
	case kindList:
		root = "list"
	case kindMap:
		root = "map"
	}
	if s := p.at(typeName, root); s != nil && (s.kind == kindList || s.kind == kindMap) {
		return s, p.name + typeName[len(root):]
	}
	return nil, ""
}

// at follows the steps of a place from the root.
func (p *Provider) at(place, root string) *Schema {
	steps, ok := strings.CutPrefix(place, root)
	if !ok || !p.root.exposed {
		return nil
	}
	s := p.root
	if steps == "" {
		return s
	}
	first, steps, _ := strings.Cut(steps, ".")
	if first != "" {
		return nil
	}
	for step := range strings.SplitSeq(steps, ".") {
		switch {
		case s == nil:
			return nil
		case step == idxStep[1:] && s.kind == kindList, step == elemStep[1:] && s.kind == kindMap:
			s = s.Elem()
		default:
			s = s.Field(step)
		}
	}
	return s
}

// celTypes are the types of schemas without further schemas in them.
var celTypes = [...]*types.Type{
	kindString: types.StringType, kindBytes: types.BytesType, kindDuration: types.DurationType,
	kindDate: types.TimestampType, kindDateTime: types.TimestampType,
	kindDouble: types.DoubleType, kindInt: types.IntType, kindBool: types.BoolType,
}

// celType is the type of a schema at a place.
func (s *Schema) celType(place string) *types.Type {
	switch {
	case !s.exposed || s.kind == kindIntOrString || s.kind == kindDyn:
		return types.DynType
	case s.kind == kindObject:
		return types.NewObjectType(place)
	case s.kind == kindMap || s.kind == kindList:
		return s.aggregateType(place)
	}
	return celTypes[s.kind]
}

// aggregateType is the type of a list or a map. However deep these nest, the place of what they hold
// in the end is written once.
func (s *Schema) aggregateType(place string) *types.Type {
	var steps []string
	var kinds []kind
	for steps = []string{place}; s.kind == kindMap || s.kind == kindList; s = s.Elem() {
		kinds = append(kinds, s.kind)
		if s.kind == kindMap {
			steps = append(steps, elemStep)
		} else {
			steps = append(steps, idxStep)
		}
	}
	if s.kind == kindObject {
		place = strings.Join(steps, "")
	}
	t := s.celType(place)
	for i := len(kinds) - 1; i >= 0; i-- {
		if kinds[i] == kindMap {
			t = types.NewMapType(types.StringType, t)
		} else {
			t = types.NewListType(t)
		}
	}
	return t
}

// WellKnown returns the type that a Provider knows by a CEL name, nil if there is none.
func WellKnown(name string) *types.Type { return wellKnown[name] }

// wellKnown are the types that a Provider knows by their CEL names.
var wellKnown = map[string]*types.Type{
	"bool": types.BoolType, "bytes": types.BytesType, "double": types.DoubleType, "duration": types.DurationType,
	"int": types.IntType, "null_type": types.NullType, "string": types.StringType, "timestamp": types.TimestampType,
	"uint": types.UintType, "list": types.NewListType(types.AnyType), "map": types.NewMapType(types.AnyType, types.AnyType),
}
