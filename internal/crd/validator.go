package crd

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Validator holds the compiled rules of a schema. It keeps nothing of the
// document. It is read-only and safe for concurrent use.
type Validator struct {
	schema *typesystem.Schema
	// defaults are those of the schema, nil if it has none.
	defaults *defaults
	root     *node
}

// node is a place in a schema with rules at it or below.
type node struct {
	// schema is the schema of the place.
	schema *typesystem.Schema
	rules  []nodeRule
	// uncorrelated tells that the type of the map leaves its fields without old values.
	uncorrelated bool
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

// nodeRule is a compiled rule without what only compilation needs.
type nodeRule struct {
	RuleInfo
	// program is nil for a rule that is empty or does not compile, message if
	// there is no messageExpression or it does not compile.
	program, message *eval.Program
}

// NewValidator compiles the rules of a schema, as an API server does: also those under allOf, which
// no structural schema has, unless all of them stand there. Rules that do not compile are violations
// of every object; Rules tells which. Root is true for the schema of a resource.
func NewValidator(doc *typesystem.OpenAPI, root bool, rules *compile.Rules) (*Validator, error) {
	schema, err := typesystem.Compile(doc, root)
	if err != nil {
		return nil, err
	}
	v := &Validator{schema: schema, defaults: defaultsOf(schema, map[*typesystem.Schema]*defaults{})}
	b := builder{env: rules, ruled: map[*typesystem.OpenAPI]bool{}}
	if b.mark(doc) {
		v.root = b.node(doc, rootPlace(doc, schema, true), nil)
	}
	return v, nil
}

// hasRules tells whether there are rules in the structural part of a schema.
func hasRules(s *typesystem.OpenAPI) bool {
	return s != nil && (len(s.Validations) > 0 || hasRules(s.Elements()) || hasRules(s.Values()) ||
		slices.ContainsFunc(slices.Collect(maps.Values(s.Properties)), hasRules))
}

// builder makes the nodes of a validator.
type builder struct {
	env *compile.Rules
	// ruled are the schemas with rules at them or below, also under allOf.
	ruled map[*typesystem.OpenAPI]bool
}

// mark finds the schemas with rules at a schema and below. It tells whether there are
// rules in the structural part of the schema.
func (b *builder) mark(s *typesystem.OpenAPI) (structural bool) {
	if s == nil {
		return false
	}
	structural = len(s.Validations) > 0
	ruled := structural
	below := func(s *typesystem.OpenAPI) {
		structural = b.mark(s) || structural
		ruled = ruled || b.ruled[s]
	}
	below(s.Elements())
	below(s.Values())
	for _, property := range s.Properties {
		below(property)
	}
	for i := range s.AllOf {
		b.mark(&s.AllOf[i])
		ruled = ruled || b.ruled[&s.AllOf[i]]
	}
	if ruled {
		b.ruled[s] = true
	}
	return structural
}

// node makes the node of a place, nil if there are no rules at it and below. Rules is
// the schema that has the rules: that of the place, or a part of its allOf. Path is
// the path of that schema.
func (b *builder) node(rules *typesystem.OpenAPI, p *place, path *field.Path) *node {
	if p == nil || !b.ruled[rules] {
		return nil
	}
	n := &node{schema: p.schema, uncorrelated: !mapCorrelates(p.doc.MapType)}
	b.rules(n, rules, p, path)
	if of := rules.Elements(); of != nil {
		n.items = b.node(of, p.items(), path.Child("items"))
	}
	if of := rules.Values(); of != nil {
		n.additional = b.node(of, p.additional(), path.Child("additionalProperties"))
	}
	for _, name := range sortedKeys(rules.Properties) {
		if !b.ruled[rules.Properties[name]] {
			continue
		}
		property := p.property(name)
		if property == nil || property.self == nil {
			continue // what expressions cannot see has no rules
		}
		if below := b.node(rules.Property(name), property, path.Child("properties").Key(name)); below != nil {
			n.properties = append(n.properties, namedNode{name, below})
		}
	}
	for i := range rules.AllOf {
		if a := b.node(&rules.AllOf[i], p, path.Child("allOf").Index(i)); a != nil {
			n.allOf = append(n.allOf, a)
		}
	}
	if len(n.rules) == 0 && n.err == nil && n.items == nil && n.additional == nil && n.properties == nil && n.allOf == nil {
		return nil
	}
	return n
}

// rules compiles the rules of one node.
func (b *builder) rules(n *node, rules *typesystem.OpenAPI, p *place, path *field.Path) {
	if len(rules.Validations) == 0 {
		return
	}
	scope, err := p.scope(b.env)
	n.err = err
	n.rules = make([]nodeRule, len(rules.Validations))
	for i := range rules.Validations {
		r := rules.Validations[i]
		rule := &n.rules[i]
		rule.Rule = &Rule{Rule: r, Schema: path, Index: i}
		if p.self != nil {
			rule.Cardinality, rule.Unbounded = p.cardinality(), p.self.MaxCardinality()
		}
		if n.err != nil {
			rule.Err = checkError(diag.NoType, r.Expr, n.err.Error())
			continue
		}
		compiled := compileRule(scope, scope, p.doc, &r, false)
		rule.OldSelf, rule.FieldPath, rule.Err, rule.MessageErr = compiled.oldSelf, compiled.fieldPath, compiled.Err, compiled.MessageErr
		if e := compiled.Expr; e != nil {
			rule.program, rule.Estimate = e.Program, e.Estimate
		}
		if e := compiled.Message; e != nil {
			rule.message, rule.MessageEstimate = e.Program, e.Estimate
		}
		n.oldSelf = n.oldSelf || rule.OldSelf
	}
}

// RuleInfo is what is known of a rule before any object is.
type RuleInfo struct {
	*Rule
	// OldSelf tells whether the rule refers to oldSelf.
	OldSelf bool
	// Estimate and MessageEstimate are what one evaluation of the rule and of its
	// messageExpression may cost, in cost units.
	Estimate, MessageEstimate cost.Range
	// Cardinality is how often the rule can apply to one object, and Unbounded how
	// often it could if no list or map had a bound.
	Cardinality, Unbounded uint64
	// FieldPath is the normalized fieldPath, empty if there is none.
	FieldPath string
	// Err and MessageErr say why the rule and its messageExpression do not compile.
	Err, MessageErr *diag.CompileError
}

// Rules returns all rules, in the order of the schema, those of a node before those below it.
func (v *Validator) Rules() []RuleInfo { return v.root.appendRules(nil) }

func (n *node) appendRules(all []RuleInfo) []RuleInfo {
	if n == nil {
		return all
	}
	for i := range n.rules {
		all = append(all, n.rules[i].RuleInfo)
	}
	for _, a := range n.allOf {
		all = a.appendRules(all)
	}
	for _, p := range n.properties {
		all = p.appendRules(all)
	}
	return n.additional.appendRules(n.items.appendRules(all))
}
