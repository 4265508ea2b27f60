package crd

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Site is a rule of a schema with all that its estimate rests on.
type Site struct {
	Rule *typesystem.Rule
	// Path is the path of the rule in the CRD, as findings name it.
	Path *field.Path
	// Place is the node in the schema, Doc what stands there and Self its type.
	Place typesystem.Place
	Doc   *typesystem.OpenAPI
	Self  *typesystem.Schema
	// Chain are the lists and maps on the way to the node, the outermost first.
	Chain []Link
	// Cardinality is how often the rule can apply to one object, Fallback how
	// often if a list or map on the way has no bound.
	Cardinality, Fallback uint64
	// Expr and Message are nil if there is none or it does not compile; Err and
	// MessageErr say why it does not.
	Expr, Message   *compile.Expression
	Err, MessageErr *diag.CompileError
}

// Link is a list or a map on the way to a rule.
type Link struct {
	Place typesystem.Place
	// Keyword is maxItems or maxProperties, Value its value, nil if it is missing.
	Keyword string
	Value   *int64
}

// InspectSchema checks a schema as Check does, and returns every rule that is
// compiled, and what all expressions are estimated to cost.
func InspectSchema(s *typesystem.OpenAPI, path *field.Path, status bool, rules *compile.Rules) (findings []diag.Finding, sites []Site, total uint64) {
	c := &checker{rulesIn: rules, inspect: func(s Site) { sites = append(sites, s) }}
	findings = c.schema(s, path, status, NewChecks(&Definition{}))
	return findings, sites, c.total
}

// SchemaPath is the path of the schema of the version at an index, as an API server
// names it in errors.
func (d *Definition) SchemaPath(i int) *field.Path { return d.schemaPath(i, d.shared()) }

// HasStatus tells whether the schema of the version at an index is that of a
// resource with a status: if all versions have the same schema, one suffices.
func (d *Definition) HasStatus(i int) bool {
	if d.shared() {
		return slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Status })
	}
	return d.Versions[i].Status
}

func (t *typeContext) site(r *typesystem.Rule, compiled compiledRule, path *field.Path, self *typesystem.Schema) Site {
	s := Site{
		Rule: r, Path: path, Place: t.place(), Doc: t.doc, Self: self, Chain: t.chain(),
		Cardinality: t.cardinality(self), Fallback: self.MaxCardinality(),
		Expr: compiled.expr, Message: compiled.message,
	}
	if compiled.err != nil {
		s.Err = compiled.err.CompileError
	}
	if compiled.messageErr != nil {
		s.MessageErr = compiled.messageErr.CompileError
	}
	return s
}

func (t *typeContext) place() typesystem.Place {
	if t.parent == nil {
		return nil
	}
	return t.parent.place().Child(t.step)
}

// chain are the lists and maps above the node, as elements counts them.
func (t *typeContext) chain() []Link {
	if t.parent == nil {
		return nil
	}
	links := t.parent.chain()
	doc := t.parent.doc
	switch {
	case doc.Type == "array":
		return append(links, Link{Place: t.parent.place(), Keyword: "maxItems", Value: doc.MaxItems})
	case doc.Type == "object" && doc.AdditionalProperties != nil:
		return append(links, Link{Place: t.parent.place(), Keyword: "maxProperties", Value: doc.MaxProperties})
	}
	return links
}

// Cardinality is how often a rule below lists and maps with these bounds can apply.
func Cardinality(chain []Link, fallback uint64) uint64 {
	bound := once()
	for _, l := range chain {
		if bound = times(bound, l.Value); bound == nil {
			return fallback
		}
	}
	return *bound
}
