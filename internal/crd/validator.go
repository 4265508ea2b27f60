package crd

import (
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/typesystem"
)

// Validator holds the compiled rules of a schema. It keeps nothing of the
// document. It is read-only and safe for concurrent use.
type Validator struct {
	root *node
}

// node is a place in a schema with rules at it or below.
type node struct {
	// schema is the schema of the place.
	schema *typesystem.Schema
	rules  []nodeRule
	// oldSelf tells whether a rule, not a messageExpression, refers to oldSelf.
	// Only then oldSelf is defined.
	oldSelf bool
	// err says why the rules could not be compiled at all.
	err error

	allOf             []*node
	items, additional *node
	properties        []namedNode
}

type namedNode struct {
	name string
	*node
}

type nodeRule struct {
	rule
	source *Rule
}

// NewValidator compiles the rules of a schema, also those under allOf, which no
// structural schema has. Rules that do not compile are violations of every
// object, as in an API server; CompileErrors tells which.
//
// As in an API server, there are no rules at all if all of them stand under allOf.
func NewValidator(doc *typesystem.OpenAPI, env Environment) (*Validator, error) {
	schema, err := typesystem.Compile(doc, true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStructural, err)
	}
	if !hasRules(doc) {
		return &Validator{}, nil
	}
	b := builder{env: env}
	declared := schema
	if !schema.Exposed() {
		declared = nil
	}
	return &Validator{root: b.node(doc, doc, schema, declared, nil)}, nil
}

// hasRules tells whether there are rules in the structural part of a schema.
func hasRules(s *typesystem.OpenAPI) bool {
	if s == nil {
		return false
	}
	if len(s.Validations) > 0 || hasRules(items(s)) || hasRules(additional(s)) {
		return true
	}
	for name := range s.Properties {
		if hasRules(property(s, name)) {
			return true
		}
	}
	return false
}

// builder makes the nodes of a validator.
type builder struct {
	env Environment
}

// node makes the node of a place, nil if there are no rules at it and below.
// Rules is the schema that has the rules: the schema of the place, doc, or a
// part of its allOf. Declared is the type of the place, nil if it has none.
func (b *builder) node(rules, doc *typesystem.OpenAPI, schema, declared *typesystem.Schema, path *field.Path) *node {
	n := &node{schema: schema}
	b.rules(n, rules, doc, declared, path)
	if of, in := items(rules), items(doc); of != nil && in != nil {
		n.items = b.node(of, in, schema.Items, declaredElem(declared), path.Child("items"))
	}
	if of, in := additional(rules), additional(doc); of != nil && in != nil {
		n.additional = b.node(of, in, schema.AdditionalProperties, declaredElem(declared), path.Child("additionalProperties"))
	}
	for _, name := range sortedKeys(rules.Properties) {
		in := property(doc, name)
		if in == nil {
			continue
		}
		value, declared := b.property(schema, declared, name)
		if declared == nil {
			continue
		}
		if p := b.node(property(rules, name), in, value, declared, path.Child("properties").Key(name)); p != nil {
			n.properties = append(n.properties, namedNode{name, p})
		}
	}
	for i := range rules.AllOf {
		if a := b.node(&rules.AllOf[i], doc, schema, declared, path.Child("allOf").Index(i)); a != nil {
			n.allOf = append(n.allOf, a)
		}
	}
	if len(n.rules) == 0 && n.err == nil && n.items == nil && n.additional == nil && n.properties == nil && n.allOf == nil {
		return nil
	}
	return n
}

// property is the schema of a property and its type, nil if rules there are not
// looked at because expressions cannot see it.
func (b *builder) property(object, declared *typesystem.Schema, name string) (value, valueType *typesystem.Schema) {
	value, _ = object.Property(name)
	if _, ok := escaping.Escape(name); !ok {
		// Expressions above cannot name it, but those at its place can see it.
		if value.Exposed() {
			return value, value
		}
		return value, nil
	}
	valueType, _ = declaredField(declared, name)
	return value, valueType
}

// rules compiles the rules of one node.
func (b *builder) rules(n *node, rules, doc *typesystem.OpenAPI, declared *typesystem.Schema, path *field.Path) {
	if len(rules.Validations) == 0 {
		return
	}
	if declared == nil {
		n.err = errNotDeclared
		return
	}
	scope, err := b.env.Scope(declared)
	if err != nil {
		n.err = err
		return
	}
	n.rules = make([]nodeRule, len(rules.Validations))
	for i := range rules.Validations {
		r := rules.Validations[i]
		n.rules[i] = nodeRule{compileRule(scope, doc, &r), &Rule{Rule: r, Schema: path, Index: i}}
		n.oldSelf = n.oldSelf || n.rules[i].oldSelf
	}
}

// CompileErrors are the rules that did not compile, with their errors, in the
// order of the schema. The rule is nil if no rule of a place could be compiled.
func (v *Validator) CompileErrors() iter.Seq2[*Rule, error] {
	return func(yield func(*Rule, error) bool) {
		v.root.each(func(n *node) bool {
			if n.err != nil && !yield(nil, n.err) {
				return false
			}
			for i := range n.rules {
				for _, e := range []*ruleError{n.rules[i].err, n.rules[i].messageErr} {
					if e != nil && !yield(n.rules[i].source, e) {
						return false
					}
				}
			}
			return true
		})
	}
}

// Rules are all rules, in the order of the schema, those of a node before those
// below it.
func (v *Validator) Rules() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		v.root.each(func(n *node) bool {
			for i := range n.rules {
				if !yield(n.rules[i].source) {
					return false
				}
			}
			return true
		})
	}
}

// each calls f for a node and those below it, until f is false.
func (n *node) each(f func(*node) bool) bool {
	if n == nil {
		return true
	}
	if !f(n) {
		return false
	}
	for _, a := range n.allOf {
		if !a.each(f) {
			return false
		}
	}
	for _, p := range n.properties {
		if !p.each(f) {
			return false
		}
	}
	return n.items.each(f) && n.additional.each(f)
}

// Error makes a ruleError an error.
func (e *ruleError) Error() string { return e.detail }

// Unwrap returns the cause.
func (e *ruleError) Unwrap() error { return e.cause }
