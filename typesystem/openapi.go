package typesystem

// OpenAPI is an OpenAPI v3 schema as a CustomResourceDefinition spells it in
// openAPIV3Schema: the input of Compile. It mirrors JSONSchemaProps of
// apiextensions.k8s.io/v1.
type OpenAPI struct {
	ID                   string                `json:"id,omitempty"`
	Schema               string                `json:"$schema,omitempty"`
	Ref                  *string               `json:"$ref,omitempty"`
	Description          string                `json:"description,omitempty"`
	Type                 string                `json:"type,omitempty"`
	Format               string                `json:"format,omitempty"`
	Title                string                `json:"title,omitempty"`
	Default              *JSON                 `json:"default,omitempty"`
	Maximum              *float64              `json:"maximum,omitempty"`
	ExclusiveMaximum     bool                  `json:"exclusiveMaximum,omitempty"`
	Minimum              *float64              `json:"minimum,omitempty"`
	ExclusiveMinimum     bool                  `json:"exclusiveMinimum,omitempty"`
	MaxLength            *int64                `json:"maxLength,omitempty"`
	MinLength            *int64                `json:"minLength,omitempty"`
	Pattern              string                `json:"pattern,omitempty"`
	MaxItems             *int64                `json:"maxItems,omitempty"`
	MinItems             *int64                `json:"minItems,omitempty"`
	UniqueItems          bool                  `json:"uniqueItems,omitempty"`
	MultipleOf           *float64              `json:"multipleOf,omitempty"`
	Enum                 []JSON                `json:"enum,omitempty"`
	MaxProperties        *int64                `json:"maxProperties,omitempty"`
	MinProperties        *int64                `json:"minProperties,omitempty"`
	Required             []string              `json:"required,omitempty"`
	Items                *SchemaOrArray        `json:"items,omitempty"`
	AllOf                []OpenAPI             `json:"allOf,omitempty"`
	OneOf                []OpenAPI             `json:"oneOf,omitempty"`
	AnyOf                []OpenAPI             `json:"anyOf,omitempty"`
	Not                  *OpenAPI              `json:"not,omitempty"`
	Properties           map[string]OpenAPI    `json:"properties,omitempty"`
	AdditionalProperties *SchemaOrBool         `json:"additionalProperties,omitempty"`
	PatternProperties    map[string]OpenAPI    `json:"patternProperties,omitempty"`
	Dependencies         map[string]Dependency `json:"dependencies,omitempty"`
	AdditionalItems      *SchemaOrBool         `json:"additionalItems,omitempty"`
	Definitions          map[string]OpenAPI    `json:"definitions,omitempty"`
	ExternalDocs         *ExternalDocs         `json:"externalDocs,omitempty"`
	Example              *JSON                 `json:"example,omitempty"`
	Nullable             bool                  `json:"nullable,omitempty"`

	PreserveUnknownFields *bool    `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	EmbeddedResource      bool     `json:"x-kubernetes-embedded-resource,omitempty"`
	IntOrString           bool     `json:"x-kubernetes-int-or-string,omitempty"`
	ListMapKeys           []string `json:"x-kubernetes-list-map-keys,omitempty"`
	ListType              *string  `json:"x-kubernetes-list-type,omitempty"`
	MapType               *string  `json:"x-kubernetes-map-type,omitempty"`
	Validations           []Rule   `json:"x-kubernetes-validations,omitempty"`
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
	Value any
}

// SchemaOrArray is the value of items: a schema, or an array of schemas, which
// no structural schema may have.
type SchemaOrArray struct {
	Schema *OpenAPI
	Array  []OpenAPI
}

// SchemaOrBool is the value of additionalProperties.
type SchemaOrBool struct {
	Allows bool
	Schema *OpenAPI
}

// Dependency is a value of dependencies, which no structural schema may have.
type Dependency struct {
	Schema   *OpenAPI
	Property []string
}

// ExternalDocs refers to documentation elsewhere.
type ExternalDocs struct {
	Description string `json:"description,omitempty"`
	URL         string `json:"url,omitempty"`
}
