package crd

import (
	"errors"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// schemaCheck is what can be said of the schema of a version without an environment.
type schemaCheck struct {
	path *field.Path
	// findings are what is wrong with it.
	findings []diag.Finding
	// ruled are the parts whose rules are compiled, in the order of an API server. It
	// compiles those of later only when other findings are mended.
	ruled, later []part
	// unsound tells that the schema is not structural, all that later is looked at too.
	unsound, all bool
}

// checkSchema checks a whole schema. Status tells whether it has a status subresource, and all whether
// what a server says later is asked for.
func checkSchema(s *typesystem.OpenAPI, path *field.Path, status bool, waived waived, all bool) *schemaCheck {
	c := &schemaCheck{path: path, all: all}
	if s == nil {
		return c
	}
	if status {
		c.add(diag.SchemaInvalid, statusRoot(s, path)...)
	}
	if s.Nullable {
		c.add(diag.SchemaInvalid, field.Forbidden(path.Child("nullable"), "nullable cannot be true at the root"))
	}
	root := part{doc: s, path: path, root: true, inherited: inherited{waived: waived}}
	inconvertible := typesystem.CheckStructural(s)
	if waived.structure {
		c.part(root)
		return c
	}
	if inconvertible == nil {
		errs := validateStructural(s, path)
		c.add(diag.NotStructural, errs...)
		c.unsound = len(errs) > 0
		if (!c.unsound || all) && hasRules(s) {
			if schema, err := typesystem.Compile(s, true); err == nil {
				root.at = rootPlace(s, schema, false)
			}
		}
	}
	c.part(root)
	if len(c.findings) == 0 && inconvertible != nil {
		// The other findings say it in better words, if there are any.
		c.add(diag.NotStructural, field.Invalid(path, "", errors.Unwrap(inconvertible).Error()))
	}
	return c
}

func (c *schemaCheck) add(code diag.Code, errs ...*field.Error) {
	for _, err := range errs {
		c.findings = append(c.findings, finding(code, err, nil))
	}
}

// part checks a part of a schema and all below it.
func (c *schemaCheck) part(p part) {
	found := len(c.findings)
	c.add(diag.SchemaInvalid, standard(p.doc, p.path, p.inherited)...)
	p.below(c.part)
	c.add(diag.SchemaInvalid, topology(p.doc, p.path, p.waived)...)
	for i := range p.doc.Validations {
		c.findings = append(c.findings, ruleText(p.doc, &p.doc.Validations[i], p.path.Child("x-kubernetes-validations").Index(i))...)
	}
	// Rules are compiled only if the schema is sound from here on down, because
	// the errors would make no sense otherwise.
	switch {
	case len(p.doc.Validations) == 0 || p.at == nil:
	case len(c.findings) == found && !c.unsound:
		c.ruled = append(c.ruled, p)
	case c.all:
		c.later = append(c.later, p)
	}
}

// part is a schema or a part of one.
type part struct {
	doc  *typesystem.OpenAPI
	path *field.Path
	root bool
	// at is the place of a structural part. It is nil below other keywords, and in
	// schemas whose rules are not compiled.
	at *place
	inherited
}

// inherited is what a part takes over from the parts above it.
type inherited struct {
	waived waived
	// whyNoDefaults says why no default may stand. It is empty where one may.
	whyNoDefaults string
	// resourceMeta is true within the type and object metadata of a resource.
	resourceMeta bool
	// uncorrelated is the topmost node above whose values have no old values, nil if there is none.
	uncorrelated *field.Path
}

func (in inherited) withUncorrelated(path *field.Path) inherited {
	if in.uncorrelated == nil {
		in.uncorrelated = path
	}
	return in
}

// below visits the parts right below a part, in the order of an API server.
func (p part) below(visit func(part)) {
	s, path := p.doc, p.path
	to := func(doc *typesystem.OpenAPI, path *field.Path, at *place, in inherited) {
		if doc != nil {
			visit(part{doc: doc, path: path, at: at, inherited: in})
		}
	}
	values := p.inherited
	if p.resourceMeta {
		values.whyNoDefaults = "inside additionalProperties applying to object metadata"
	}
	to(s.Values(), path.Child("additionalProperties"), p.at.additional(), values)
	for _, name := range sortedKeys(s.Properties) {
		in := p.inherited
		if !mapCorrelates(s.MapType) {
			in = in.withUncorrelated(path)
		}
		if (p.root || s.EmbeddedResource) && (name == "metadata" || name == "kind" || name == "apiVersion") {
			in.resourceMeta = true
			if p.root {
				in.whyNoDefaults = "in top-level " + name
			}
		}
		to(s.Property(name), path.Child("properties").Key(name), p.at.property(name), in)
	}
	to(s.Not, path.Child("not"), nil, p.inherited)
	for _, junctor := range [...]struct {
		name string
		list []typesystem.OpenAPI
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i := range junctor.list {
			to(&junctor.list[i], path.Child(junctor.name).Index(i), nil, p.inherited)
		}
	}
	for _, name := range sortedKeys(s.Definitions) {
		to(s.Definitions[name], path.Child("definitions").Key(name), nil, p.inherited)
	}
	if s.Items != nil {
		elements := p.inherited
		if !is(s.ListType, "map") {
			elements = p.withUncorrelated(path)
		}
		to(s.Items.Schema, path.Child("items"), p.at.items(), elements)
		for i := range s.Items.Array {
			to(&s.Items.Array[i], path.Child("items").Index(i), nil, elements)
		}
	}
	for _, name := range sortedKeys(s.Dependencies) {
		to(s.Dependencies[name].Schema, path.Child("dependencies").Key(name), nil, p.inherited)
	}
}

// mapCorrelates tells whether the values of a map can be found in the old map.
func mapCorrelates(mapType *string) bool {
	return mapType == nil || *mapType == "granular" || *mapType == "atomic"
}

// statusRoot checks the root of a schema with a status subresource. Only some fields
// are allowed there, because the schema of the status is also used alone.
func statusRoot(s *typesystem.OpenAPI, path *field.Path) field.ErrorList {
	early := s.ID != "" || s.Schema != "" || s.Ref != nil
	if !early && s.Type != "" && s.Type != "object" {
		return field.ErrorList{field.Invalid(path.Child("type"), s.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)}
	}
	if early || s.Nullable || s.Default != nil || s.Enum != nil || s.MaxProperties != nil || s.MinProperties != nil ||
		s.AllOf != nil || s.OneOf != nil || s.AnyOf != nil || s.Not != nil ||
		s.AdditionalProperties != nil || s.PatternProperties != nil || s.Dependencies != nil || s.AdditionalItems != nil || s.Definitions != nil ||
		s.EmbeddedResource || s.IntOrString || s.ListMapKeys != nil || s.ListType != nil || s.MapType != nil {
		return field.ErrorList{field.Invalid(path, reported{s}, "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled")}
	}
	return nil
}
