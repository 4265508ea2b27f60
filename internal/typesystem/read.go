package typesystem

import "github.com/kubecel/kubecel/internal/document"

// ReadOpenAPI reads a schema from JSON, and makes the text fail where Decode might do anything but take a value as it
// is. The last of several fields of one name counts, so each sets what it stands for anew.
func ReadOpenAPI(t *document.Text, o *OpenAPI) {
	t.Object(func(key []byte) {
		if !o.readScalar(t, key) && !o.readBelow(t, key) {
			t.Skip()
		}
	})
}

// readScalar reads fields that hold no schemas. It tells whether the field is one of them.
func (o *OpenAPI) readScalar(t *document.Text, key []byte) bool {
	switch string(key) {
	case "id":
		o.ID = t.String()
	case "$schema":
		o.Schema = t.String()
	case "$ref":
		o.Ref = pointer(t, (*document.Text).String)
	case "description":
		o.Description = t.String()
	case "type":
		o.Type = t.Name()
	case "nullable":
		o.Nullable = t.Bool()
	case "format":
		o.Format = t.Name()
	case "title":
		o.Title = t.String()
	case "default":
		o.Default = pointer(t, readJSON)
	case "maximum":
		o.Maximum = pointer(t, readFloat)
	case "exclusiveMaximum":
		o.ExclusiveMaximum = t.Bool()
	case "minimum":
		o.Minimum = pointer(t, readFloat)
	case "exclusiveMinimum":
		o.ExclusiveMinimum = t.Bool()
	case "maxLength":
		o.MaxLength = pointer(t, readInt)
	case "minLength":
		o.MinLength = pointer(t, readInt)
	case "pattern":
		o.Pattern = t.Name()
	case "maxItems":
		o.MaxItems = pointer(t, readInt)
	case "minItems":
		o.MinItems = pointer(t, readInt)
	case "uniqueItems":
		o.UniqueItems = t.Bool()
	case "multipleOf":
		o.MultipleOf = pointer(t, readFloat)
	case "maxProperties":
		o.MaxProperties = pointer(t, readInt)
	case "minProperties":
		o.MinProperties = pointer(t, readInt)
	case "example":
		o.Example = pointer(t, readJSON)
	case "x-kubernetes-preserve-unknown-fields":
		o.PreserveUnknownFields = pointer(t, (*document.Text).Bool)
	case "x-kubernetes-embedded-resource":
		o.EmbeddedResource = t.Bool()
	case "x-kubernetes-int-or-string":
		o.IntOrString = t.Bool()
	case "x-kubernetes-list-type":
		o.ListType = pointer(t, (*document.Text).Name)
	case "x-kubernetes-map-type":
		o.MapType = pointer(t, (*document.Text).Name)
	default:
		return false
	}
	return true
}

// readBelow reads fields that hold lists, objects and schemas. It tells whether the field is one of them.
func (o *OpenAPI) readBelow(t *document.Text, key []byte) bool {
	switch string(key) {
	case "enum":
		o.Enum = readList(t, func(t *document.Text, j *JSON) { *j = readJSON(t) })
	case "required":
		o.Required = readNames(t)
	case "items":
		o.Items = pointer(t, readItems)
	case "allOf":
		o.AllOf = readList(t, ReadOpenAPI)
	case "oneOf":
		o.OneOf = readList(t, ReadOpenAPI)
	case "anyOf":
		o.AnyOf = readList(t, ReadOpenAPI)
	case "not":
		o.Not = readSchema(t)
	case "properties":
		o.Properties = readSchemas(t)
	case "additionalProperties":
		o.AdditionalProperties = pointer(t, readSchemaOrBool)
	case "patternProperties":
		o.PatternProperties = readSchemas(t)
	case "dependencies":
		o.Dependencies = readDependencies(t)
	case "additionalItems":
		o.AdditionalItems = pointer(t, readSchemaOrBool)
	case "definitions":
		o.Definitions = readSchemas(t)
	case "externalDocs":
		o.ExternalDocs = pointer(t, readExternalDocs)
	case "x-kubernetes-list-map-keys":
		o.ListMapKeys = readNames(t)
	case "x-kubernetes-validations":
		o.Validations = readList(t, readRule)
	default:
		return false
	}
	return true
}

func readRule(t *document.Text, r *Rule) {
	t.Object(func(key []byte) {
		switch string(key) {
		case "rule":
			r.Expr = t.String()
		case "message":
			r.Message = t.String()
		case "messageExpression":
			r.MessageExpression = t.String()
		case "reason":
			r.Reason = pointer(t, (*document.Text).Name)
		case "fieldPath":
			r.FieldPath = t.String()
		case "optionalOldSelf":
			r.OptionalOldSelf = pointer(t, (*document.Text).Bool)
		default:
			t.Skip()
		}
	})
}

func readExternalDocs(t *document.Text) (docs ExternalDocs) {
	t.Object(func(key []byte) {
		switch string(key) {
		case "description":
			docs.Description = t.String()
		case "url":
			docs.URL = t.String()
		default:
			t.Skip()
		}
	})
	return docs
}

func readItems(t *document.Text) (items SchemaOrArray) {
	if t.Is('[') {
		items.Array = readList(t, ReadOpenAPI)
	} else {
		items.Schema = readSchema(t)
	}
	return items
}

func readSchemaOrBool(t *document.Text) SchemaOrBool {
	if t.Is('{') {
		return SchemaOrBool{Allows: true, Schema: readSchema(t)}
	}
	return SchemaOrBool{Allows: t.Bool()}
}

func readDependencies(t *document.Text) map[string]Dependency {
	dependencies := map[string]Dependency{}
	if !t.Object(func(key []byte) {
		name, d := t.Intern(key), Dependency{}
		if t.Is('[') {
			d.Property = readNames(t)
		} else {
			d.Schema = readSchema(t)
		}
		dependencies[name] = d
	}) {
		return nil
	}
	return dependencies
}

// readSchemas reads schemas by their names. Null is an empty schema.
func readSchemas(t *document.Text) map[string]*OpenAPI {
	schemas := map[string]*OpenAPI{}
	if !t.Object(func(key []byte) {
		name, schema := t.Intern(key), &OpenAPI{}
		ReadOpenAPI(t, schema)
		schemas[name] = schema
	}) {
		return nil
	}
	return schemas
}

func readSchema(t *document.Text) *OpenAPI {
	if t.Null() {
		return nil
	}
	schema := &OpenAPI{}
	ReadOpenAPI(t, schema)
	return schema
}

func readJSON(t *document.Text) JSON { return JSON{t.Value()} }

func readInt(t *document.Text) int64 {
	n, ok := t.Number().(int64)
	if !ok {
		t.Fail()
	}
	return n
}

func readFloat(t *document.Text) float64 {
	switch n := t.Number().(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}
	t.Fail()
	return 0
}

// pointer reads a value that may be null.
func pointer[T any](t *document.Text, read func(*document.Text) T) *T {
	if t.Null() {
		return nil
	}
	value := read(t)
	return &value
}

// readList reads an array. Null among its elements is a zero value.
func readList[T any](t *document.Text, read func(*document.Text, *T)) []T {
	all := []T{}
	if !t.Array(func() {
		all = append(all, *new(T))
		read(t, &all[len(all)-1])
	}) {
		return nil
	}
	return all
}

func readNames(t *document.Text) []string {
	return readList(t, func(t *document.Text, name *string) { *name = t.Name() })
}
