package crd

import (
	"slices"

	"k8s.io/apimachinery/third_party/forked/golang/reflect"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/release"
)

// waived is what a server does not demand of an update, because the stored CRD does not meet it
// either. The zero value is what it demands of a new CRD: everything.
type waived struct {
	// schemas: a version that is not served needs no schema.
	schemas bool
	// types: a type need not be one of OpenAPI.
	types bool
	// structure: a schema need not be structural.
	structure bool
	// sets: the elements of a set need not be atomic.
	sets bool
	// keys: the elements of a set or map and the keys of a map may be null or missing.
	keys bool
	// costs: no expression is too expensive by itself. Together they can be.
	costs bool
}

// Stored is the CRD that an update replaces. The empty one stands for none.
type Stored struct {
	definition *Definition
	shared     bool
	// Rules compiles what the stored CRD has already.
	rules *compile.Rules
	// expressions and messages are what it has.
	expressions, messages map[string]bool
	waived
	// unchanged tells whether costs are waived in versions whose schema is as it was.
	unchanged bool
}

// NewStored prepares checks of updates. Rules are those of the environment of stored expressions of
// the server, whose release is r.
func NewStored(d *Definition, rules *compile.Rules, r release.Release) *Stored {
	s := &Stored{
		definition: d, shared: d.shared(), rules: rules, expressions: map[string]bool{}, messages: map[string]bool{},
		unchanged: !r.Before(server.UnchangedCostSince),
		waived: waived{
			schemas: slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Schema == nil }),
			types:   d.has(func(s *typesystem.OpenAPI) bool { return s.Type != "" && !slices.Contains(openAPITypes, s.Type) }),
			structure: slices.ContainsFunc(d.Versions, func(v Version) bool {
				return v.Schema != nil && (typesystem.CheckStructural(v.Schema) != nil || len(validateStructural(v.Schema, nil)) > 0)
			}),
			sets: d.has(func(s *typesystem.OpenAPI) bool { return len(atomicSetItems(s, nil)) > 0 }),
			keys: d.has(func(s *typesystem.OpenAPI) bool { return len(keyedItems(s, nil)) > 0 }),
		},
	}
	d.has(func(schema *typesystem.OpenAPI) bool {
		for _, r := range schema.Validations {
			s.expressions[r.Expr], s.messages[r.MessageExpression] = true, true
		}
		return false
	})
	delete(s.messages, "")
	return s
}

// CheckUpdate is Check for a CRD that replaces a stored one, or CheckAll if all is asked for.
func CheckUpdate(d *Definition, stored *Stored, rules *compile.Rules, all bool) []diag.Finding {
	return newChecks(d, stored, all).In(rules, nil)
}

// of is what is waived in all versions of a CRD that replaces the stored one.
func (s *Stored) of(d *Definition) waived {
	w := s.waived
	w.structure = w.structure && d.PreserveUnknownFields && !d.has(needsStructure)
	return w
}

// waivesCosts tells whether no expression in the version of a name is too expensive by itself:
// the schema of the version is as it was.
func (s *Stored) waivesCosts(version string, d *Definition, shared bool) bool {
	if !s.unchanged {
		return false
	}
	now, there := d.schemaOf(version, shared)
	before, was := s.definition.schemaOf(version, s.shared)
	return there && was && reflect.Equalities{}.DeepEqual(now, before)
}

// scope is the scope of what the stored CRD has at a place.
func (s *Stored) scope(at *place, written *compile.RuleScope) *compile.RuleScope {
	if scope, err := at.scope(s.rules); err == nil {
		return scope
	}
	return written
}

// needsStructure tells whether a part of a schema has what only structural schemas may have.
func needsStructure(s *typesystem.OpenAPI) bool {
	return s.Default != nil || s.EmbeddedResource || s.PreserveUnknownFields != nil || s.IntOrString ||
		len(s.ListMapKeys) > 0 || s.ListType != nil || len(s.Validations) > 0
}

// schemaOf is the schema that a server takes for that of a version. One that all versions share is
// that of any name.
func (d *Definition) schemaOf(version string, shared bool) (schema *typesystem.OpenAPI, ok bool) {
	if shared {
		return d.Versions[0].Schema, true
	}
	i := slices.IndexFunc(d.Versions, func(v Version) bool { return v.Name == version })
	if i < 0 {
		return nil, false
	}
	return d.Versions[i].Schema, true
}

// has tells whether a schema of the CRD or a part of one, under whatever keyword, is as asked for.
func (d *Definition) has(is func(*typesystem.OpenAPI) bool) bool {
	return slices.ContainsFunc(d.Versions, func(v Version) bool { return has(v.Schema, is) })
}

func has(s *typesystem.OpenAPI, is func(*typesystem.OpenAPI) bool) bool {
	if s == nil {
		return false
	}
	if is(s) {
		return true
	}
	below := func(p *typesystem.OpenAPI) bool { return has(p, is) }
	parts := []*typesystem.OpenAPI{s.Elements(), s.Values(), s.Not}
	if s.AdditionalItems != nil {
		parts = append(parts, s.AdditionalItems.Schema)
	}
	lists := [][]typesystem.OpenAPI{s.AllOf, s.AnyOf, s.OneOf}
	if s.Items != nil {
		lists = append(lists, s.Items.Array)
	}
	for _, list := range lists {
		for i := range list {
			parts = append(parts, &list[i])
		}
	}
	for _, named := range []map[string]*typesystem.OpenAPI{s.Properties, s.PatternProperties, s.Definitions} {
		for _, p := range named {
			parts = append(parts, p)
		}
	}
	for _, d := range s.Dependencies {
		parts = append(parts, d.Schema)
	}
	return slices.ContainsFunc(parts, below)
}
