package typesystem

// OpenAPI is an OpenAPI v3 schema as a CustomResourceDefinition spells it in
// openAPIV3Schema: the input of Compile. It mirrors JSONSchemaProps of
// apiextensions.k8s.io/v1. The fields stand in the order in which API servers
// print them. The schemas in maps are not nil.
type OpenAPI struct {
	ID                   string                `json:"id"`
	Schema               string                `json:"$schema"`
	Ref                  *string               `json:"$ref"`
	Description          string                `json:"description"`
	Type                 string                `json:"type"`
	Nullable             bool                  `json:"nullable"`
	Format               string                `json:"format"`
	Title                string                `json:"title"`
	Default              *JSON                 `json:"default"`
	Maximum              *float64              `json:"maximum"`
	ExclusiveMaximum     bool                  `json:"exclusiveMaximum"`
	Minimum              *float64              `json:"minimum"`
	ExclusiveMinimum     bool                  `json:"exclusiveMinimum"`
	MaxLength            *int64                `json:"maxLength"`
	MinLength            *int64                `json:"minLength"`
	Pattern              string                `json:"pattern"`
	MaxItems             *int64                `json:"maxItems"`
	MinItems             *int64                `json:"minItems"`
	UniqueItems          bool                  `json:"uniqueItems"`
	MultipleOf           *float64              `json:"multipleOf"`
	Enum                 []JSON                `json:"enum"`
	MaxProperties        *int64                `json:"maxProperties"`
	MinProperties        *int64                `json:"minProperties"`
	Required             []string              `json:"required"`
	Items                *SchemaOrArray        `json:"items"`
	AllOf                []OpenAPI             `json:"allOf"`
	OneOf                []OpenAPI             `json:"oneOf"`
	AnyOf                []OpenAPI             `json:"anyOf"`
	Not                  *OpenAPI              `json:"not"`
	Properties           map[string]*OpenAPI   `json:"properties"`
	AdditionalProperties *SchemaOrBool         `json:"additionalProperties"`
	PatternProperties    map[string]*OpenAPI   `json:"patternProperties"`
	Dependencies         map[string]Dependency `json:"dependencies"`
	AdditionalItems      *SchemaOrBool         `json:"additionalItems"`
	Definitions          map[string]*OpenAPI   `json:"definitions"`
	ExternalDocs         *ExternalDocs         `json:"externalDocs"`
	Example              *JSON                 `json:"example"`

	PreserveUnknownFields *bool    `json:"x-kubernetes-preserve-unknown-fields"`
	EmbeddedResource      bool     `json:"x-kubernetes-embedded-resource"`
	IntOrString           bool     `json:"x-kubernetes-int-or-string"`
	ListMapKeys           []string `json:"x-kubernetes-list-map-keys"`
	ListType              *string  `json:"x-kubernetes-list-type"`
	MapType               *string  `json:"x-kubernetes-map-type"`
	Validations           []Rule   `json:"x-kubernetes-validations"`
}

// Rule is one entry of x-kubernetes-validations.
type Rule struct {
	// Expr is the expression; it must evaluate to true.
	Expr string `json:"rule"`
	// Message is what a violation says, if MessageExpression does not.
	Message string `json:"message"`
	// MessageExpression is an expression that evaluates to the message.
	MessageExpression string `json:"messageExpression"`
	// Reason is the machine-readable reason of a violation, nil for
	// FieldValueInvalid.
	Reason *string `json:"reason"`
	// FieldPath is the path that a violation names, relative to the rule's place.
	FieldPath string `json:"fieldPath"`
	// OptionalOldSelf makes oldSelf an optional and the rule run on creation too.
	OptionalOldSelf *bool `json:"optionalOldSelf"`
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
	Array  []OpenAPI
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
	Description string `json:"description"`
	URL         string `json:"url"`
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
