package crd

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// openAPITypes are the types that a schema may have, sorted.
var openAPITypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// standard checks what a CRD may not use of OpenAPI.
func standard(s *typesystem.OpenAPI, path *field.Path, in inherited) (errs field.ErrorList) {
	if s.Type != "" && !slices.Contains(openAPITypes, s.Type) && !in.waived.types {
		errs = append(errs, field.NotSupported(path.Child("type"), s.Type, openAPITypes))
	}
	for _, f := range []struct {
		name   string
		set    bool
		detail string
	}{
		{"default", s.Default != nil && in.whyNoDefaults != "", "must not be set " + in.whyNoDefaults},
		{"id", s.ID != "", "id is not supported"},
		{"additionalItems", s.AdditionalItems != nil, "additionalItems is not supported"},
		{"patternProperties", len(s.PatternProperties) > 0, "patternProperties is not supported"},
		{"definitions", len(s.Definitions) > 0, "definitions is not supported"},
		{"dependencies", s.Dependencies != nil, "dependencies is not supported"},
		{"$ref", s.Ref != nil, "$ref is not supported"},
		{"type", s.Type == "null", "type cannot be set to null, use nullable as an alternative"},
		{"items", s.Items != nil && len(s.Items.Array) > 0, "items must be a schema object and not an array"},
		{"x-kubernetes-embedded-resource", in.resourceMeta && s.EmbeddedResource, "must not be used inside of resource meta"},
		{"uniqueItems", s.UniqueItems, "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
	} {
		if f.set {
			errs = append(errs, field.Forbidden(path.Child(f.name), f.detail))
		}
	}
	if a := s.AdditionalProperties; a != nil && len(s.Properties) > 0 && (!a.Allows || a.Schema != nil) {
		errs = append(errs, field.Forbidden(path.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
	}
	return errs
}

// topology checks the Kubernetes extensions that describe lists and maps.
func topology(s *typesystem.OpenAPI, path *field.Path, waived waived) (errs field.ErrorList) {
	if is(s.PreserveUnknownFields, false) {
		errs = append(errs, field.Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"))
	}
	errs = append(errs, extension(s, path, "object", "x-kubernetes-map-type", s.MapType, "atomic", "granular")...)
	errs = append(errs, extension(s, path, "array", "x-kubernetes-list-type", s.ListType, "atomic", "set", "map")...)
	if s.Type == "array" && !waived.sets {
		errs = append(errs, atomicSetItems(s, path)...)
	}
	if len(s.ListMapKeys) > 0 {
		const detail = "must be map if x-kubernetes-list-map-keys is non-empty"
		if s.ListType == nil {
			errs = append(errs, field.Required(path.Child("x-kubernetes-list-type"), detail))
		} else if *s.ListType != "map" {
			errs = append(errs, field.Invalid(path.Child("x-kubernetes-list-type"), *s.ListType, detail))
		}
	}
	if is(s.ListType, "map") {
		errs = append(errs, mapList(s, path)...)
	}
	if waived.keys {
		return errs
	}
	return append(errs, keyedItems(s, path)...)
}

func is[T comparable](p *T, value T) bool { return p != nil && *p == value }

// extension checks a node with an extension: its type, and the value of the extension.
func extension(s *typesystem.OpenAPI, path *field.Path, want, name string, value *string, values ...string) (errs field.ErrorList) {
	if value == nil {
		return nil
	}
	if s.Type != want {
		errs = append(errs, typeError(s, path, "must be "+want+" if "+name+" is specified"))
	}
	if !slices.Contains(values, *value) {
		errs = append(errs, field.NotSupported(path.Child(name), *value, values))
	}
	return errs
}

// typeError is the error of a node with a wrong type or none.
func typeError(s *typesystem.OpenAPI, path *field.Path, detail string) *field.Error {
	if s.Type == "" {
		return field.Required(path.Child("type"), detail)
	}
	return field.Invalid(path.Child("type"), s.Type, detail)
}

// atomicSetItems checks that the elements of a set are scalar or atomic.
func atomicSetItems(s *typesystem.OpenAPI, path *field.Path) field.ErrorList {
	of := s.Elements()
	if !is(s.ListType, "set") || of == nil {
		return nil
	}
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	path = path.Child("items")
	switch {
	case of.Type == "array" && of.ListType != nil && *of.ListType != "atomic":
		return field.ErrorList{field.Invalid(path.Child("x-kubernetes-list-type"), of.ListType, detail)}
	case of.Type == "object" && !is(of.MapType, "atomic"):
		// The value named is the list type in the reference, too.
		return field.ErrorList{field.Invalid(path.Child("x-kubernetes-map-type"), of.ListType, detail)}
	}
	return nil
}

// mapList checks a list of type map and its keys.
func mapList(s *typesystem.OpenAPI, path *field.Path) (errs field.ErrorList) {
	keysPath, itemsPath := path.Child("x-kubernetes-list-map-keys"), path.Child("items")
	if len(s.ListMapKeys) == 0 {
		errs = append(errs, field.Required(keysPath, "must not be empty if x-kubernetes-list-type is map"))
	}
	of := s.Elements()
	switch {
	case s.Items == nil:
		return append(errs, field.Required(itemsPath, "must have a schema if x-kubernetes-list-type is map"))
	case of == nil:
		return append(errs, field.Invalid(itemsPath, reported{s.Items}, "must only have a single schema if x-kubernetes-list-type is map"))
	case of.Type != "object":
		return append(errs, field.Invalid(itemsPath.Child("type"), of.Type, "must be object if parent array's x-kubernetes-list-type is map"))
	}
	for i, key := range s.ListMapKeys {
		if p := of.Property(key); p == nil {
			errs = append(errs, field.Invalid(keysPath, s.ListMapKeys, "entries must all be names of item properties"))
		} else if p.Type == "array" || p.Type == "object" {
			errs = append(errs, field.Invalid(itemsPath.Child("properties").Key(key).Child("type"), of.Type, "must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if slices.Contains(s.ListMapKeys[:i], key) {
			errs = append(errs, field.Invalid(keysPath, s.ListMapKeys, "must not contain duplicate entries"))
		}
	}
	return errs
}

// keyedItems checks that neither the elements of a set or map nor the keys of a
// map can be null or missing.
func keyedItems(s *typesystem.OpenAPI, path *field.Path) (errs field.ErrorList) {
	of := s.Elements()
	if of == nil || !is(s.ListType, "set") && !is(s.ListType, "map") {
		return nil
	}
	path = path.Child("items")
	if of.Nullable {
		errs = append(errs, field.Forbidden(path.Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+*s.ListType))
	}
	if *s.ListType == "set" {
		return errs
	}
	for _, key := range s.ListMapKeys {
		p, path := of.Property(key), path.Child("properties").Key(key)
		if p == nil {
			continue
		}
		if p.Default == nil && !slices.Contains(of.Required, key) {
			errs = append(errs, field.Required(path.Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if p.Nullable {
			errs = append(errs, field.Forbidden(path.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
	return errs
}

// Reason is the machine-readable reason of a rule.
type Reason string

// The reasons that a rule may have.
const (
	ReasonDuplicate Reason = "FieldValueDuplicate"
	ReasonForbidden Reason = "FieldValueForbidden"
	ReasonInvalid   Reason = "FieldValueInvalid"
	ReasonRequired  Reason = "FieldValueRequired"
)

// lineBreaks matches what counts as a line break in the text of a rule.
var lineBreaks = regexp.MustCompile(`[\n\r]+`)

// ruleText checks what can be said of a rule without compiling it. Path is that of the rule.
func ruleText(node *typesystem.OpenAPI, r *typesystem.Rule, path *field.Path) (findings []diag.Finding) {
	add := func(code diag.Code, err *field.Error) {
		findings = append(findings, finding(code, err, r))
	}
	text, message := strings.TrimSpace(r.Expr), strings.TrimSpace(r.Message)
	switch at := path.Child("message"); {
	case text == "":
		add(diag.RuleMissing, field.Required(path.Child("rule"), "rule is not specified"))
	case r.Message != "" && message == "":
		add(diag.MessageInvalid, field.Invalid(at, r.Message, "must be non-empty if specified"))
	case lineBreaks.MatchString(message):
		add(diag.MessageInvalid, field.Invalid(at, r.Message, "must not contain line breaks"))
	case message == "" && lineBreaks.MatchString(text):
		add(diag.MessageInvalid, field.Required(at, "message must be specified if rule contains line breaks"))
	}
	if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
		add(diag.MessageExpressionInvalid, field.Required(path.Child("messageExpression"), "messageExpression must be non-empty if specified"))
	}
	if r.Reason != nil {
		reasons := []Reason{ReasonDuplicate, ReasonForbidden, ReasonInvalid, ReasonRequired}
		if reason := Reason(*r.Reason); !slices.Contains(reasons, reason) {
			add(diag.ReasonInvalid, field.NotSupported(path.Child("reason"), reason, reasons))
		}
	}
	if r.FieldPath == "" {
		return findings
	}
	for _, problem := range FieldPathProblems(r.FieldPath, node) {
		add(diag.FieldPathInvalid, field.Invalid(path.Child("fieldPath"), r.FieldPath, problem))
	}
	return findings
}

// FieldPathProblems are what an API server says of the fieldPath of a rule at a node.
func FieldPathProblems(text string, node *typesystem.OpenAPI) (problems []string) {
	if strings.TrimSpace(text) == "" {
		problems = append(problems, "must be non-empty if specified")
	}
	if lineBreaks.MatchString(text) {
		problems = append(problems, "must not contain line breaks")
	}
	if _, err := FieldPath(text, node); err != nil && typesystem.CheckStructural(node) == nil {
		problems = append(problems, "must be a valid path")
	}
	return problems
}
