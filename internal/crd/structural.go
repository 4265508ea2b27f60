package crd

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// level is where in a schema a node stands, in the words of an error.
type level string

const (
	rootLevel  level = "at the root"
	itemLevel  level = "for specified array items"
	fieldLevel level = "for specified object fields"
)

// validateStructural says why a convertible schema is not structural: the
// errors of schema.ValidateStructural, sorted as there. They are collected in any order.
func validateStructural(s *typesystem.OpenAPI, path *field.Path) field.ErrorList {
	errs := invariants(s, rootLevel, path)
	errs = append(errs, valueCompleteness(s, s, path, path)...)
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

// invariants checks a node of the structural part of a schema, and all below.
func invariants(s *typesystem.OpenAPI, at level, path *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	if s.Type == "array" && s.Elements() == nil {
		errs = append(errs, field.Required(path.Child("items"), "must be specified"))
	}
	errs = append(errs, invariants(s.Elements(), itemLevel, path.Child("items"))...)
	for _, name := range sortedKeys(s.Properties) {
		errs = append(errs, invariants(s.Property(name), fieldLevel, path.Child("properties").Key(name))...)
	}
	if s.AdditionalProperties != nil {
		if at == rootLevel {
			errs = append(errs, field.Forbidden(path.Child("additionalProperties"), "must not be used at the root"))
		}
		errs = append(errs, invariants(s.Values(), fieldLevel, path.Child("additionalProperties"))...)
	}

	if s.IntOrString && s.Preserves() {
		errs = append(errs, field.Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), true, "must be false if x-kubernetes-int-or-string is true"))
	}
	if s.IntOrString && s.EmbeddedResource {
		errs = append(errs, field.Invalid(path.Child("x-kubernetes-embedded-resource"), true, "must be false if x-kubernetes-int-or-string is true"))
	}
	errs = append(errs, valueValidation(s, isIntOrString(s.AnyOf), len(s.AllOf) > 0 && isIntOrString(s.AllOf[0].AnyOf), path)...)
	errs = append(errs, typeInvariants(s, at, path)...)
	errs = append(errs, metaInvariants(s, at, path)...)
	if s.EmbeddedResource && !s.Preserves() && len(s.Properties) == 0 {
		errs = append(errs, field.Required(path.Child("properties"), "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"))
	}
	return errs
}

func typeInvariants(s *typesystem.OpenAPI, at level, path *field.Path) (errs field.ErrorList) {
	switch {
	case s.EmbeddedResource && s.Type != "object":
		errs = append(errs, typeError(s, path, "must be object if x-kubernetes-embedded-resource is true"))
	case s.Type == "" && !s.IntOrString && !s.Preserves():
		errs = append(errs, typeError(s, path, "must not be empty "+string(at)))
	}
	if s.EmbeddedResource && s.AdditionalProperties != nil {
		errs = append(errs, field.Forbidden(path.Child("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set"))
	}
	if at == rootLevel && s.Type != "" && s.Type != "object" {
		errs = append(errs, typeError(s, path, "must be object at the root"))
	}
	return errs
}

// metaInvariants checks the fields of the type and object metadata of a resource.
func metaInvariants(s *typesystem.OpenAPI, at level, path *field.Path) (errs field.ErrorList) {
	path = path.Child("properties")
	for name, want := range map[string]string{"kind": "string", "apiVersion": "string", "metadata": "object"} {
		if p := s.Property(name); p != nil && (at == rootLevel || s.EmbeddedResource) && p.Type != want {
			errs = append(errs, field.Invalid(path.Key(name).Child("type"), p.Type, "must be "+want))
		}
	}
	if meta := s.Property("metadata"); at == rootLevel && meta != nil && !isPlainMetadata(*meta) {
		errs = append(errs, field.Forbidden(path.Key("metadata"), "must not specify anything other than name and generateName, but metadata is implicitly specified"))
	}
	return errs
}

// isPlainMetadata tells whether a schema says nothing of metadata beyond its
// type, a default, and properties for name and generateName.
func isPlainMetadata(s typesystem.OpenAPI) bool {
	for name := range s.Properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	s.Type, s.Default, s.Properties = "", nil, nil
	return reflect.DeepEqual(normalized(s), typesystem.OpenAPI{})
}

// isIntOrString tells whether anyOf lists exactly the types integer and string,
// which a structural schema may do in places where no type is allowed.
func isIntOrString(anyOf []typesystem.OpenAPI) bool {
	return len(anyOf) == 2 && isOnlyType(anyOf[0], "integer") && isOnlyType(anyOf[1], "string")
}

func isOnlyType(s typesystem.OpenAPI, name string) bool {
	if s.Type != name {
		return false
	}
	s.Type = ""
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema == nil && !s.AdditionalProperties.Allows {
		s.AdditionalProperties = nil
	}
	return reflect.DeepEqual(normalized(s), typesystem.OpenAPI{})
}

// normalized clears what leaves no trace in the reference's structural type,
// which is the one that is compared there.
func normalized(s typesystem.OpenAPI) typesystem.OpenAPI {
	s.Ref, s.PatternProperties, s.Dependencies, s.Definitions = nil, nil, nil, nil
	if len(s.Enum) == 0 {
		s.Enum = nil
	}
	for _, list := range []*[]typesystem.OpenAPI{&s.AllOf, &s.AnyOf, &s.OneOf} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if s.Elements() == nil {
		s.Items = nil
	}
	return s
}

// valueValidation checks what a node says of its values.
func valueValidation(s *typesystem.OpenAPI, skipAnyOf, skipFirstAllOfAnyOf bool, path *field.Path) (errs field.ErrorList) {
	if !skipAnyOf {
		for i := range s.AnyOf {
			errs = append(errs, nested(&s.AnyOf[i], false, path.Child("anyOf").Index(i))...)
		}
	}
	for i := range s.AllOf {
		errs = append(errs, nested(&s.AllOf[i], skipFirstAllOfAnyOf && i == 0, path.Child("allOf").Index(i))...)
	}
	for i := range s.OneOf {
		errs = append(errs, nested(&s.OneOf[i], false, path.Child("oneOf").Index(i))...)
	}
	errs = append(errs, nested(s.Not, false, path.Child("not"))...)
	if s.Pattern != "" {
		if _, err := regexp.Compile(s.Pattern); err != nil {
			errs = append(errs, field.Invalid(path.Child("pattern"), s.Pattern, fmt.Sprintf("must be a valid regular expression, but isn't: %v", err)))
		}
	}
	return errs
}

// nested checks a node below a logical junctor, where only values may be
// validated and no structure declared.
func nested(s *typesystem.OpenAPI, skipAnyOf bool, path *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	errs = append(errs, valueValidation(s, skipAnyOf, false, path)...)
	errs = append(errs, nested(s.Elements(), false, path.Child("items"))...)
	for _, name := range sortedKeys(s.Properties) {
		errs = append(errs, nested(s.Property(name), false, path.Child("properties").Key(name))...)
	}
	const empty, undefined, untrue = "must be empty to be structural", "must be undefined to be structural", "must be false to be structural"
	a := s.AdditionalProperties
	for _, f := range []struct {
		name   string
		set    bool
		detail string
	}{
		{"type", s.Type != "", empty},
		{"additionalProperties", a != nil && (a.Schema != nil || a.Allows), undefined},
		{"default", s.Default != nil && s.Default.Value != nil, undefined},
		{"title", s.Title != "", empty},
		{"description", s.Description != "", empty},
		{"nullable", s.Nullable, untrue},
		{"x-kubernetes-preserve-unknown-fields", s.Preserves(), untrue},
		{"x-kubernetes-embedded-resource", s.EmbeddedResource, untrue},
		{"x-kubernetes-int-or-string", s.IntOrString, untrue},
		{"x-kubernetes-list-map-keys", len(s.ListMapKeys) > 0, empty},
		{"x-kubernetes-list-type", s.ListType != nil, undefined},
		{"x-kubernetes-map-type", s.MapType != nil, undefined},
		{"x-kubernetes-validations", len(s.Validations) > 0, empty},
	} {
		if f.set {
			errs = append(errs, field.Forbidden(path.Child(f.name), f.detail))
		}
	}
	if s.Property("metadata") != nil {
		errs = append(errs, field.Forbidden(path.Child("properties").Key("metadata"), "must not be specified in a nested context"))
	}
	return errs
}

// valueCompleteness checks that whatever the junctors of v reason about is in
// the structural part s.
func valueCompleteness(v, s *typesystem.OpenAPI, sPath, vPath *field.Path) (errs field.ErrorList) {
	errs = append(errs, nestedCompleteness(v.Not, s, sPath, vPath.Child("not"))...)
	for _, junctor := range []struct {
		name string
		list []typesystem.OpenAPI
	}{{"allOf", v.AllOf}, {"anyOf", v.AnyOf}, {"oneOf", v.OneOf}} {
		for i := range junctor.list {
			errs = append(errs, nestedCompleteness(&junctor.list[i], s, sPath, vPath.Child(junctor.name).Index(i))...)
		}
	}
	return errs
}

func nestedCompleteness(v, s *typesystem.OpenAPI, sPath, vPath *field.Path) (errs field.ErrorList) {
	if v == nil {
		return nil
	}
	if s == nil {
		return field.ErrorList{field.Required(sPath, "because it is defined in "+vPath.String())}
	}
	errs = append(errs, valueCompleteness(v, s, sPath, vPath)...)
	errs = append(errs, nestedCompleteness(v.Elements(), s.Elements(), sPath.Child("items"), vPath.Child("items"))...)
	for _, name := range sortedKeys(v.Properties) {
		sPath, vPath := sPath.Child("properties").Key(name), vPath.Child("properties").Key(name)
		// A property that s does not have is nil, and reported as such.
		errs = append(errs, nestedCompleteness(v.Property(name), s.Property(name), sPath, vPath)...)
	}
	return errs
}
