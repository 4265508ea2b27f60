package typesystem

// OpenAPI is an OpenAPI v3 schema as a CustomResourceDefinition spells it in
// openAPIV3Schema: the input of Compile. It mirrors JSONSchemaProps of
// apiextensions.k8s.io/v1. The schemas in its maps are not nil.
type OpenAPI struct {
	// ID is the keyword id, which CRDs may not have.
	ID string `json:"id,omitempty"`
	// Schema is the keyword $schema, which CRDs may not have.
	Schema string `json:"$schema,omitempty"`
	// Ref is a reference to another schema, which CRDs may not have.
	Ref *string `json:"$ref,omitempty"`
	// Description is documentation.
	Description string `json:"description,omitempty"`
	// Type is object, array, string, number, integer or boolean; empty if any type will do.
	Type string `json:"type,omitempty"`
	// Nullable says that null is a value.
	Nullable bool `json:"nullable,omitempty"`
	// Format is the format of a string or a number.
	Format string `json:"format,omitempty"`
	// Title is documentation.
	Title string `json:"title,omitempty"`
	// Default is the value of what is missing.
	Default *JSON `json:"default,omitempty"`
	// Maximum is the greatest number.
	Maximum *float64 `json:"maximum,omitempty"`
	// ExclusiveMaximum leaves out Maximum itself.
	ExclusiveMaximum bool `json:"exclusiveMaximum,omitempty"`
	// Minimum is the least number.
	Minimum *float64 `json:"minimum,omitempty"`
	// ExclusiveMinimum leaves out Minimum itself.
	ExclusiveMinimum bool `json:"exclusiveMinimum,omitempty"`
	// MaxLength is the greatest length of a string, in code points.
	MaxLength *int64 `json:"maxLength,omitempty"`
	// MinLength is the least length of a string, in code points.
	MinLength *int64 `json:"minLength,omitempty"`
	// Pattern is a regular expression for a string.
	Pattern string `json:"pattern,omitempty"`
	// MaxItems is the greatest number of elements of a list.
	MaxItems *int64 `json:"maxItems,omitempty"`
	// MinItems is the least number of elements of a list.
	MinItems *int64 `json:"minItems,omitempty"`
	// UniqueItems says that no elements are equal; CRDs may not say so.
	UniqueItems bool `json:"uniqueItems,omitempty"`
	// MultipleOf is what a number is a multiple of.
	MultipleOf *float64 `json:"multipleOf,omitempty"`
	// Enum are the only values.
	Enum []JSON `json:"enum,omitempty"`
	// MaxProperties is the greatest number of entries of an object or map.
	MaxProperties *int64 `json:"maxProperties,omitempty"`
	// MinProperties is the least number of entries of an object or map.
	MinProperties *int64 `json:"minProperties,omitempty"`
	// Required are the properties that an object must have.
	Required []string `json:"required,omitempty"`
	// Items is the schema of the elements of a list.
	Items *SchemaOrArray `json:"items,omitempty"`
	// AllOf are schemas that all must hold.
	AllOf []OpenAPI `json:"allOf,omitempty"`
	// OneOf are schemas of which exactly one must hold.
	OneOf []OpenAPI `json:"oneOf,omitempty"`
	// AnyOf are schemas of which one must hold.
	AnyOf []OpenAPI `json:"anyOf,omitempty"`
	// Not is a schema that must not hold.
	Not *OpenAPI `json:"not,omitempty"`
	// Properties are the schemas of the properties of an object, by name.
	Properties map[string]*OpenAPI `json:"properties,omitempty"`
	// AdditionalProperties is the schema of the values of a map.
	AdditionalProperties *SchemaOrBool `json:"additionalProperties,omitempty"`
	// PatternProperties are schemas by patterns of names, which CRDs may not have.
	PatternProperties map[string]*OpenAPI `json:"patternProperties,omitempty"`
	// Dependencies are what properties depend on, which CRDs may not have.
	Dependencies map[string]Dependency `json:"dependencies,omitempty"`
	// AdditionalItems is the schema of further elements, which CRDs may not have.
	AdditionalItems *SchemaOrBool `json:"additionalItems,omitempty"`
	// Definitions are schemas to refer to, which CRDs may not have.
	Definitions map[string]*OpenAPI `json:"definitions,omitempty"`
	// ExternalDocs refers to documentation.
	ExternalDocs *ExternalDocs `json:"externalDocs,omitempty"`
	// Example is documentation.
	Example *JSON `json:"example,omitempty"`

	// PreserveUnknownFields keeps the fields of an object that the schema does not have.
	PreserveUnknownFields *bool `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	// EmbeddedResource says that an object is a resource, with kind, apiVersion and metadata.
	EmbeddedResource bool `json:"x-kubernetes-embedded-resource,omitempty"`
	// IntOrString says that a value is a whole number or a string.
	IntOrString bool `json:"x-kubernetes-int-or-string,omitempty"`
	// ListMapKeys are the properties that key the elements of a list of type map.
	ListMapKeys []string `json:"x-kubernetes-list-map-keys,omitempty"`
	// ListType is atomic, set or map; atomic if nil.
	ListType *string `json:"x-kubernetes-list-type,omitempty"`
	// MapType is granular or atomic; granular if nil.
	MapType *string `json:"x-kubernetes-map-type,omitempty"`
	// Validations are the rules.
	Validations []Rule `json:"x-kubernetes-validations,omitempty"`
}

// Rule is one entry of x-kubernetes-validations.
type Rule struct {
	// Rule is the expression; it must evaluate to true.
	Rule string `json:"rule"`
	// Message is what a violation says, if MessageExpression does not.
	Message string `json:"message,omitempty"`
	// MessageExpression is an expression that evaluates to the message.
	MessageExpression string `json:"messageExpression,omitempty"`
	// Reason is the machine-readable reason of a violation, nil for
	// FieldValueInvalid.
	Reason *string `json:"reason,omitempty"`
	// FieldPath is the path that a violation names, relative to the rule's place.
	FieldPath string `json:"fieldPath,omitempty"`
	// OptionalOldSelf makes oldSelf an optional and the rule run on creation too.
	OptionalOldSelf *bool `json:"optionalOldSelf,omitempty"`
}

// JSON is any JSON value, whole numbers as int64 and others as float64.
type JSON struct {
	// Value is nil, a bool, int64, float64 or string, a []any or a map[string]any.
	Value any
}

// SchemaOrArray is the value of items: a schema, or an array of schemas, which
// no structural schema may have.
type SchemaOrArray struct {
	// Schema is the schema, nil if there is an array.
	Schema *OpenAPI
	// Array is the array of schemas.
	Array []OpenAPI
}

// SchemaOrBool is the value of additionalProperties.
type SchemaOrBool struct {
	// Allows is the boolean, and true if there is a schema.
	Allows bool
	// Schema is the schema, nil if there is only a boolean.
	Schema *OpenAPI
}

// Dependency is a value of dependencies, which no structural schema may have.
type Dependency struct {
	// Schema is a schema that must hold.
	Schema *OpenAPI
	// Property are the names of properties that must be there.
	Property []string
}

// ExternalDocs refers to documentation elsewhere.
type ExternalDocs struct {
	// Description says what is there.
	Description string `json:"description,omitempty"`
	// URL is the address.
	URL string `json:"url,omitempty"`
}

// Elements is the schema of the elements of a list, nil if there is none.
func (o *OpenAPI) Elements() *OpenAPI {
	if o == nil || o.Items == nil {
		return nil
	}
	return o.Items.Schema
}

// Values is the schema of the values of a map, nil if there is none.
func (o *OpenAPI) Values() *OpenAPI {
	if o == nil || o.AdditionalProperties == nil {
		return nil
	}
	return o.AdditionalProperties.Schema
}

// Property is the schema of a property, nil if there is none.
func (o *OpenAPI) Property(name string) *OpenAPI {
	if o == nil {
		return nil
	}
	return o.Properties[name]
}

// Preserves tells whether the schema keeps unknown fields.
func (o *OpenAPI) Preserves() bool {
	return o.PreserveUnknownFields != nil && *o.PreserveUnknownFields
}
