package typesystem

import (
	"encoding/json"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// Value wraps unstructured data as a CEL value, without copying it and converting only what is
// accessed. The data is what JSON decodes to: map[string]any, []any, string, bool, int64, float64 and
// nil; int, int32, float32 and json.Number are numbers too. Data that the schema does not allow becomes a CEL
// error, when an expression comes upon it.
//
// The data must not change as long as values of it are used.
func (s *Schema) Value(data any) ref.Val {
	if data == nil {
		if s.Nullable {
			return types.NullValue
		}
		return types.NewErr("invalid data, got null for schema with nullable=false")
	}
	switch s.kind {
	case kindIntOrString:
		if text, ok := data.(string); ok {
			return types.String(text)
		}
		if i, ok := integer(data); ok {
			return i
		}
		return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
	case kindObject, kindMap:
		return s.mapValue(data)
	case kindList:
		return s.listValue(data)
	case kindString, kindBytes, kindDuration, kindDate, kindDateTime:
		return s.stringValue(data)
	case kindDouble:
		if i, ok := integer(data); ok {
			return types.Double(i)
		}
		switch f := data.(type) {
		case float32:
			return types.Double(f)
		case float64:
			return types.Double(f)
		case json.Number:
			if f, err := f.Float64(); err == nil {
				return types.Double(f)
			}
		}
		return types.NewErr("invalid data, expected float, got %T", data)
	case kindInt:
		if i, ok := integer(data); ok {
			return i
		}
		return types.NewErr("invalid data, expected int, got %T", data)
	case kindDyn:
		return anyAdapter.NativeToValue(data)
	case kindBool:
		if b, ok := data.(bool); ok {
			return types.Bool(b)
		}
		return types.NewErr("invalid data, expected bool, got %T", data)
	}
	if s.PreserveUnknownFields {
		return &preserved{data: data}
	}
	return types.NewErr("invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got %s", s.Type)
}

func integer(data any) (types.Int, bool) {
	switch i := data.(type) {
	case int64:
		return types.Int(i), true
	case int:
		return types.Int(i), true
	case int32:
		return types.Int(i), true
	case json.Number:
		i64, err := i.Int64()
		return types.Int(i64), err == nil
	}
	return 0, false
}

func (s *Schema) mapValue(data any) ref.Val {
	m, ok := data.(map[string]any)
	if !ok {
		return types.NewErr("invalid data, expected a map for the provided schema with type=object")
	}
	if s.EmbeddedResource {
		s = s.WithObjectMeta()
	}
	return &mapValue{schema: s, data: m}
}

func (s *Schema) listValue(data any) ref.Val {
	elems, ok := data.([]any)
	if !ok {
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	}
	if s.Items == nil {
		return types.NewErr("invalid array type, expected Items with a non-empty Schema")
	}
	list := listValue{schema: s, data: elems}
	switch s.ListType {
	case "", "atomic":
		return &list
	case "set":
		return &setValue{listValue: list}
	case "map":
		return &mapListValue{listValue: list}
	}
	return types.NewErr("invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got %s", s.ListType)
}

func (s *Schema) stringValue(data any) ref.Val {
	text, ok := data.(string)
	if !ok {
		return types.NewErr("invalid data, expected string, got %T", data)
	}
	switch s.kind {
	case kindDuration:
		d, err := strfmt.ParseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case kindDate:
		d, err := time.Parse(strfmt.RFC3339FullDate, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: d}
	case kindDateTime:
		d, err := strfmt.ParseDateTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: time.Time(d)}
	case kindBytes:
		var b strfmt.Base64
		if err := b.UnmarshalText([]byte(text)); err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	}
	return types.String(text)
}
