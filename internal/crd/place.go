package crd

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// place is a node of the structural part of a schema. A nil place has nothing below.
type place struct {
	parent *place
	// step leads from the parent to the place.
	step typesystem.Step
	doc  *typesystem.OpenAPI
	// schema is what the document compiles to there.
	schema *typesystem.Schema
	// self is the type that expressions see. It is nil if the type above has nothing
	// there, or if err says why there is no type.
	self *typesystem.Schema
	err  error
	// inherits tells that types below follow from self. A validation always does so, a
	// check only below rules. The type of an embedded resource has fewer fields of
	// metadata than the schema of that metadata.
	inherits   bool
	validation bool
}

// errUndeclarable is what an API server says of a schema that has no CEL type.
var errUndeclarable = errors.New("unable to convert structural schema to CEL declarations")

// rootPlace is the root of a schema, for the check of a CRD or for a validation.
func rootPlace(doc *typesystem.OpenAPI, schema *typesystem.Schema, validation bool) *place {
	p := &place{doc: doc, schema: schema, inherits: validation || len(doc.Validations) > 0, validation: validation}
	p.declare()
	return p
}

// declare takes the schema of the place itself for the type.
func (p *place) declare() {
	switch {
	case p.schema.Exposed():
		p.self = p.schema
	case !p.validation:
		p.err = errUndeclarable
	}
}

func (p *place) child(doc *typesystem.OpenAPI, step typesystem.Step, schema *typesystem.Schema) *place {
	c := &place{
		parent: p, step: step, doc: doc, schema: schema,
		inherits: p.inherits || len(doc.Validations) > 0, validation: p.validation,
	}
	if !p.inherits {
		c.declare()
		return c
	}
	if c.err = p.err; c.err != nil {
		return c
	}
	if step.Keyword != "properties" {
		if c.self = p.self.Elem(); p.self == nil && !p.validation {
			c.declare()
		}
		return c
	}
	ident, nameable := escaping.Escape(step.Name)
	if nameable && p.self != nil {
		c.self = p.self.Field(ident)
	}
	// A validation passes over fields that expressions above could name but cannot see.
	if c.self == nil && !(nameable && p.validation) {
		c.declare()
	}
	return c
}

// scope is what compiles the rules of the place. Its errors are worded as by an API server.
func (p *place) scope(rules *compile.Rules) (*compile.RuleScope, error) {
	switch {
	case p.err != nil:
		return nil, fmt.Errorf("internal error: failed to construct type information for x-kubernetes-validations rules: %w", p.err)
	case p.self == nil:
		return nil, errors.New("failed to convert to declType for CEL validation rules")
	}
	return rules.Scope(p.self)
}

// items is the place of the elements of a list.
func (p *place) items() *place {
	if p == nil || p.doc.Elements() == nil {
		return nil
	}
	return p.child(p.doc.Elements(), typesystem.Step{Keyword: "items"}, p.schema.Items)
}

// additional is the place of the values of a map.
func (p *place) additional() *place {
	if p == nil || p.doc.Values() == nil {
		return nil
	}
	return p.child(p.doc.Values(), typesystem.Step{Keyword: "additionalProperties"}, p.schema.AdditionalProperties)
}

// property is the place of a property.
func (p *place) property(name string) *place {
	if p == nil || p.doc.Property(name) == nil {
		return nil
	}
	return p.child(p.doc.Property(name), typesystem.Step{Keyword: "properties", Name: name}, p.schema.Property(name))
}

// inSchema is the place in the schema as reports have it.
func (p *place) inSchema() typesystem.Place {
	if p.parent == nil {
		return nil
	}
	return p.parent.inSchema().Child(p.step)
}

// cardinality is how often the place can occur in an object: as often as the bounds
// above it allow or, if one is missing, as often as fits into a request.
func (p *place) cardinality() uint64 { return Cardinality(p.chain(), p.self.MaxCardinality()) }

// chain are the lists and maps above the place, the outermost first.
func (p *place) chain() []Link {
	if p.parent == nil {
		return nil
	}
	links := p.parent.chain()
	if keyword, limit := elements(p.parent.doc); keyword != "" {
		links = append(links, Link{Place: p.parent.inSchema(), Keyword: keyword, Value: limit})
	}
	return links
}

// elements are the keyword that limits the elements of a list or map and its value,
// nil if that is missing. The keyword is empty for anything else.
func elements(doc *typesystem.OpenAPI) (keyword string, limit *int64) {
	switch {
	case doc.Type == "array":
		return "maxItems", doc.MaxItems
	case doc.Type == "object" && doc.AdditionalProperties != nil:
		return "maxProperties", doc.MaxProperties
	}
	return "", nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
