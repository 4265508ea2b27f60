package crd

import (
	"errors"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// typeContext finds the CEL type of a node of a schema, and how often the node
// can occur in an object. A nil context has nothing below.
type typeContext struct {
	parent *typeContext
	doc    *typesystem.OpenAPI
	// step leads from the parent to the node.
	step typesystem.Step
	// fromParent finds the type in that of the parent, nil if it is not there.
	fromParent func(parent *typesystem.Schema) (*typesystem.Schema, bool)
	// ruled is true if the node or one above has rules. Only then the type of
	// the parent is looked at.
	ruled bool
	// compile compiles the node by itself, as the raw document has it.
	compile func() (*typesystem.Schema, error)
	// bound is the greatest number of occurrences, nil if there is no limit.
	bound *uint64
}

// errUndeclarable is what an API server says of a schema that has no CEL type.
var errUndeclarable = errors.New("unable to convert structural schema to CEL declarations")

func rootContext(doc *typesystem.OpenAPI) *typeContext {
	var root *typesystem.Schema
	return &typeContext{
		doc: doc, ruled: len(doc.Validations) > 0, bound: once(),
		compile: func() (s *typesystem.Schema, err error) {
			if root == nil {
				root, err = typesystem.Compile(doc, true)
			}
			return root, err
		},
	}
}

func (t *typeContext) child(doc *typesystem.OpenAPI, step typesystem.Step, fromParent, raw func(parent *typesystem.Schema) (*typesystem.Schema, bool)) *typeContext {
	if t == nil || doc == nil {
		return nil
	}
	child := &typeContext{
		parent: t, doc: doc, step: step, fromParent: fromParent, ruled: t.ruled || len(doc.Validations) > 0,
		compile: func() (*typesystem.Schema, error) {
			parent, err := t.compile()
			if err != nil {
				return nil, err
			}
			s, ok := raw(parent)
			if !ok {
				return nil, errUndeclarable
			}
			return s, nil
		},
	}
	child.bound = within(t.bound, t.doc)
	return child
}

func (t *typeContext) property(doc *typesystem.OpenAPI, name string) *typeContext {
	return t.child(doc, typesystem.Step{Keyword: "properties", Name: name},
		func(parent *typesystem.Schema) (*typesystem.Schema, bool) { return declaredField(parent, name) },
		func(parent *typesystem.Schema) (*typesystem.Schema, bool) { return parent.Property(name) })
}

func (t *typeContext) items() *typeContext {
	if t == nil {
		return nil
	}
	return t.child(t.doc.Elements(), typesystem.Step{Keyword: "items"},
		func(parent *typesystem.Schema) (*typesystem.Schema, bool) { return declaredElem(parent), true },
		func(parent *typesystem.Schema) (*typesystem.Schema, bool) { return parent.Items, parent.Items != nil })
}

func (t *typeContext) additional() *typeContext {
	if t == nil {
		return nil
	}
	return t.child(t.doc.Values(), typesystem.Step{Keyword: "additionalProperties"},
		func(parent *typesystem.Schema) (*typesystem.Schema, bool) { return declaredElem(parent), true },
		func(parent *typesystem.Schema) (*typesystem.Schema, bool) {
			return parent.AdditionalProperties, parent.AdditionalProperties != nil
		})
}

// declared is the type that expressions at the node see. It is that which the
// nearest node with rules above sees there, if it sees it: the metadata of an
// embedded resource has fewer fields there than in the schema itself. It is nil
// if the type above has no place for it.
func (t *typeContext) declared() (*typesystem.Schema, error) {
	if t.parent != nil && t.parent.ruled {
		parent, err := t.parent.declared()
		if err != nil {
			return nil, err
		}
		if parent != nil {
			if s, ok := t.fromParent(parent); ok {
				return s, nil
			}
		}
	}
	s, err := t.compile()
	if err != nil {
		return nil, err
	}
	if !s.Exposed() {
		return nil, errUndeclarable
	}
	return s, nil
}

// cardinality is how often the node, with this type, can occur in an object.
func (t *typeContext) cardinality(self *typesystem.Schema) uint64 {
	return cardinality(t.bound, self)
}

// once is the bound of what occurs once: the root of an object.
func once() *uint64 {
	one := uint64(1)
	return &one
}

// within is the bound of what is inside of a place with a bound, nil if there is
// no limit.
func within(bound *uint64, doc *typesystem.OpenAPI) *uint64 {
	return times(bound, elements(doc))
}

// times multiplies bounds. Negative limits count as none at all.
func times(bound *uint64, limit *int64) *uint64 {
	if bound == nil || limit == nil {
		return nil
	}
	product := pricing.Repeated(*bound, uint64(max(*limit, 0)))
	return &product
}

// cardinality is how often a place of a type can occur in an object: as often as
// the bounds above it allow or, if one is missing, as often as fits into a request.
func cardinality(bound *uint64, self *typesystem.Schema) uint64 {
	if bound != nil {
		return *bound
	}
	return self.MaxCardinality()
}

// declaredField is the type of a property in that of an object, false if
// expressions cannot see it.
func declaredField(object *typesystem.Schema, name string) (*typesystem.Schema, bool) {
	ident, ok := escaping.Escape(name)
	if !ok || object == nil {
		return nil, false
	}
	return object.Field(ident)
}

// declaredElem is the type of the elements of a list or the values of a map,
// nil if the type has neither.
func declaredElem(s *typesystem.Schema) *typesystem.Schema {
	switch {
	case s == nil || s.IntOrString:
		return nil
	case s.Type == "array":
		return s.Items
	case s.Type == "object":
		return s.AdditionalProperties
	}
	return nil
}

// elements is how many values a schema allows for each value of its own, nil
// if there is no limit.
func elements(s *typesystem.OpenAPI) *int64 {
	limit := new(int64)
	switch {
	case s.Type == "array":
		limit = s.MaxItems
	case s.Type == "object" && s.AdditionalProperties != nil:
		limit = s.MaxProperties
	default:
		*limit = 1
	}
	return limit
}
