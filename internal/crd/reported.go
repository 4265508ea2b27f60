package crd

import "github.com/kubecel/kubecel/internal/typesystem"

// An API server reports some bad values as the JSON of its internal types, which
// have no JSON tags. These types have the same fields in the same order.
type (
	reportedSchema struct {
		ID                     string
		Schema                 string
		Ref                    *string
		Description            string
		Type                   string
		Nullable               bool
		Format                 string
		Title                  string
		Default                *any
		Maximum                *float64
		ExclusiveMaximum       bool
		Minimum                *float64
		ExclusiveMinimum       bool
		MaxLength              *int64
		MinLength              *int64
		Pattern                string
		MaxItems               *int64
		MinItems               *int64
		UniqueItems            bool
		MultipleOf             *float64
		Enum                   []any
		MaxProperties          *int64
		MinProperties          *int64
		Required               []string
		Items                  *reportedItems
		AllOf                  []reportedSchema
		OneOf                  []reportedSchema
		AnyOf                  []reportedSchema
		Not                    *reportedSchema
		Properties             map[string]reportedSchema
		AdditionalProperties   *reportedBool
		PatternProperties      map[string]reportedSchema
		Dependencies           map[string]reportedDependency
		AdditionalItems        *reportedBool
		Definitions            map[string]reportedSchema
		ExternalDocs           *reportedDocs
		Example                *any
		XPreserveUnknownFields *bool
		XEmbeddedResource      bool
		XIntOrString           bool
		XListMapKeys           []string
		XListType              *string
		XMapType               *string
		XValidations           []reportedRule
	}
	reportedItems struct {
		Schema      *reportedSchema
		JSONSchemas []reportedSchema
	}
	reportedBool struct {
		Allows bool
		Schema *reportedSchema
	}
	reportedDependency struct {
		Schema   *reportedSchema
		Property []string
	}
	reportedDocs struct {
		Description string
		URL         string
	}
	reportedRule struct {
		Rule              string
		Message           string
		MessageExpression string
		Reason            *string
		FieldPath         string
		OptionalOldSelf   *bool
	}
)

// reported is a schema as an API server reports it.
func reported(s *typesystem.OpenAPI) *reportedSchema {
	if s == nil {
		return nil
	}
	r := &reportedSchema{
		ID: s.ID, Schema: s.Schema, Ref: s.Ref, Description: s.Description,
		Type: s.Type, Nullable: s.Nullable, Format: s.Format, Title: s.Title,
		Default: reportedJSON(s.Default),
		Maximum: s.Maximum, ExclusiveMaximum: s.ExclusiveMaximum,
		Minimum: s.Minimum, ExclusiveMinimum: s.ExclusiveMinimum,
		MaxLength: s.MaxLength, MinLength: s.MinLength, Pattern: s.Pattern,
		MaxItems: s.MaxItems, MinItems: s.MinItems, UniqueItems: s.UniqueItems,
		MultipleOf: s.MultipleOf, MaxProperties: s.MaxProperties, MinProperties: s.MinProperties,
		Required: s.Required,
		AllOf:    reportedList(s.AllOf), OneOf: reportedList(s.OneOf), AnyOf: reportedList(s.AnyOf),
		Not:                  reported(s.Not),
		Properties:           reportedMap(s.Properties),
		AdditionalProperties: reportedOrBool(s.AdditionalProperties),
		PatternProperties:    reportedMap(s.PatternProperties),
		AdditionalItems:      reportedOrBool(s.AdditionalItems),
		Definitions:          reportedMap(s.Definitions),
		Example:              reportedJSON(s.Example),

		XPreserveUnknownFields: s.PreserveUnknownFields,
		XEmbeddedResource:      s.EmbeddedResource,
		XIntOrString:           s.IntOrString,
		XListMapKeys:           s.ListMapKeys,
		XListType:              s.ListType,
		XMapType:               s.MapType,
	}
	if s.Enum != nil {
		r.Enum = make([]any, len(s.Enum))
		for i, v := range s.Enum {
			r.Enum[i] = v.Value
		}
	}
	if s.Items != nil {
		r.Items = &reportedItems{Schema: reported(s.Items.Schema), JSONSchemas: reportedList(s.Items.Array)}
	}
	if s.Dependencies != nil {
		r.Dependencies = make(map[string]reportedDependency, len(s.Dependencies))
		for name, d := range s.Dependencies {
			r.Dependencies[name] = reportedDependency{Schema: reported(d.Schema), Property: d.Property}
		}
	}
	if s.ExternalDocs != nil {
		r.ExternalDocs = &reportedDocs{Description: s.ExternalDocs.Description, URL: s.ExternalDocs.URL}
	}
	if s.Validations != nil {
		r.XValidations = make([]reportedRule, len(s.Validations))
		for i, v := range s.Validations {
			r.XValidations[i] = reportedRule(v)
		}
	}
	return r
}

func reportedList(list []typesystem.OpenAPI) []reportedSchema {
	if list == nil {
		return nil
	}
	out := make([]reportedSchema, len(list))
	for i := range list {
		out[i] = *reported(&list[i])
	}
	return out
}

func reportedMap(m map[string]typesystem.OpenAPI) map[string]reportedSchema {
	if m == nil {
		return nil
	}
	out := make(map[string]reportedSchema, len(m))
	for name, s := range m {
		out[name] = *reported(&s)
	}
	return out
}

func reportedOrBool(s *typesystem.SchemaOrBool) *reportedBool {
	if s == nil {
		return nil
	}
	return &reportedBool{Allows: s.Allows, Schema: reported(s.Schema)}
}

func reportedJSON(v *typesystem.JSON) *any {
	if v == nil {
		return nil
	}
	return &v.Value
}
