package crd

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestReported holds the names and the order of the fields that API servers print.
// What is empty is left out here.
func TestReported(t *testing.T) {
	schema := parseSchema(t, `{id: i, $schema: s, $ref: r, description: "<a>&\u2028", type: object, format: f, title: t, default: {b: [1, 1.5, null], a: x}, maximum: 2, exclusiveMaximum: true, minimum: 0.5, exclusiveMinimum: true,
maxLength: 3, minLength: 1, pattern: p, maxItems: 4, minItems: 2, uniqueItems: true, multipleOf: 3, enum: [1, x, null, {a: b}], maxProperties: 7, minProperties: 6, required: [a, b],
items: [{type: string}, {}], allOf: [{type: string}], oneOf: [], anyOf: [{}, {title: x}], not: {nullable: true}, properties: {b: null, a: {items: {type: string}}},
additionalProperties: {type: integer}, patternProperties: {"^x": {}}, dependencies: {b: [x], a: {type: string}, c: null}, additionalItems: false, definitions: {d: {default: null, example: [1]}},
externalDocs: {description: d, url: u}, example: 1e100, nullable: true, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true, x-kubernetes-int-or-string: true,
x-kubernetes-list-map-keys: [k], x-kubernetes-list-type: map, x-kubernetes-map-type: granular, x-kubernetes-validations: [{rule: r, message: m, messageExpression: e, reason: q, fieldPath: .a, optionalOldSelf: false}, {rule: r}]}`)
	const want = `{"ID":"i","Schema":"s","Ref":"r","Description":"\u003ca\u003e\u0026\u2028","Type":"object","Nullable":true,"Format":"f","Title":"t","Default":{"a":"x","b":[1,1.5,null]},"Maximum":2,"ExclusiveMaximum":true,"Minimum":0.5,"ExclusiveMinimum":true,"MaxLength":3,"MinLength":1,"Pattern":"p","MaxItems":4,"MinItems":2,"UniqueItems":true,"MultipleOf":3,"Enum":[1,"x",null,{"a":"b"}],"MaxProperties":7,"MinProperties":6,"Required":["a","b"],"Items":{"JSONSchemas":[{"Type":"string"},{}]},"AllOf":[{"Type":"string"}],"OneOf":[],"AnyOf":[{},{"Title":"x"}],"Not":{"Nullable":true},"Properties":{"a":{"Items":{"Schema":{"Type":"string"}}},"b":{}},"AdditionalProperties":{"Allows":true,"Schema":{"Type":"integer"}},"PatternProperties":{"^x":{}},"Dependencies":{"a":{"Schema":{"Type":"string"}},"b":{"Property":["x"]},"c":{}},"AdditionalItems":{},"Definitions":{"d":{"Example":[1]}},"ExternalDocs":{"Description":"d","URL":"u"},"Example":1e+100,"XPreserveUnknownFields":true,"XEmbeddedResource":true,"XIntOrString":true,"XListMapKeys":["k"],"XListType":"map","XMapType":"granular","XValidations":[{"Rule":"r","Message":"m","MessageExpression":"e","Reason":"q","FieldPath":".a"},{"Rule":"r"}]}`
	text, err := json.Marshal(reported{schema})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(regexp.MustCompile(`"[A-Za-z]+":(null|""|false),?`).ReplaceAllString(string(text), ""), ",}", "}")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
