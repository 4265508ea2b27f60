package crd

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// finding makes a finding about a rule, nil if it is about the schema.
func finding(code diag.Code, server *field.Error, r *typesystem.Rule) diag.Finding {
	f := diag.Finding{Code: code, Path: server.Field, Message: server.ErrorBody(), Server: server}
	if r != nil {
		f.Rule = r.Expr
	}
	return f
}

// Check says what an API server says of the schemas and rules of a CRD on its
// creation, in the order of the API server. No findings mean that it accepts
// them. Without an environment no rule is compiled.
//
// Not checked are the default values in schemas, and whatever is outside of
// schemas: names, scope, conversion, printer columns, selectable fields.
func Check(d *Definition, rules *compile.Rules) []diag.Finding { return NewChecks(d).In(rules, nil) }

// CheckAll is Check, and adds what the server says only when that is mended.
func CheckAll(d *Definition, rules *compile.Rules) []diag.Finding {
	return newChecks(d, &Stored{}, true).In(rules, nil)
}

// Checks checks one CRD in several environments.
type Checks struct {
	findings []diag.Finding
	schemas  []*schemaCheck
	stored   *Stored
}

// NewChecks prepares to check a new CRD.
func NewChecks(d *Definition) *Checks { return newChecks(d, &Stored{}, false) }

// newChecks prepares to check a CRD that replaces a stored one, which is empty for a new CRD. All
// tells whether what a server says later is asked for.
func newChecks(d *Definition, stored *Stored, all bool) *Checks {
	c := &Checks{stored: stored}
	waived := stored.of(d)
	for i, v := range d.Versions {
		detail := ""
		if waived.schemas {
			detail = "because otherwise all fields are pruned"
		}
		if v.Schema == nil && (!waived.schemas || v.Served && !d.PreserveUnknownFields) {
			path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
			c.findings = append(c.findings, finding(diag.SchemaMissing, field.Required(path, detail), nil))
		}
	}
	shared := d.shared()
	for i, v := range d.Versions {
		path, status := d.schema(i, shared)
		waived.costs = stored.waivesCosts(v.Name, d, shared)
		c.schemas = append(c.schemas, checkSchema(v.Schema, path, status, waived, all))
		if shared {
			break // they are all the same, and looked at once
		}
	}
	return c
}

// In is Check, and shows each rule that is compiled to a visitor, if there is
// one. Which they are, and their order, does not depend on the environment.
func (c *Checks) In(rules *compile.Rules, visit func(*Site)) []diag.Finding {
	findings := slices.Clone(c.findings)
	for _, s := range c.schemas {
		found, _ := s.in(&checker{compiler: rules, stored: c.stored, visit: visit})
		findings = append(findings, found...)
	}
	return findings
}

// InspectSchema checks a schema as Check does, and returns every rule that is
// compiled, and what all expressions are estimated to cost.
func InspectSchema(s *typesystem.OpenAPI, path *field.Path, status bool, rules *compile.Rules) (findings []diag.Finding, sites []*Site, total uint64) {
	c := &checker{compiler: rules, stored: &Stored{}, visit: func(s *Site) { sites = append(sites, s) }}
	findings, total = checkSchema(s, path, status, waived{}, false).in(c)
	return findings, sites, total
}

// in checks the rules of a schema too, and adds their estimates.
func (s *schemaCheck) in(c *checker) (findings []diag.Finding, total uint64) {
	findings = slices.Clone(s.findings)
	if c.compiler == nil {
		return findings, 0
	}
	c.all = s.all
	for _, p := range s.ruled {
		findings = append(findings, c.rules(p)...)
	}
	findings = append(findings, s.exceeded(c)...)
	if len(s.later) > 0 {
		findings = append(findings, s.beyond(c)...)
	}
	return findings, c.total
}

// beyond are the findings in the parts that a server looks at later, and in the total with them.
func (s *schemaCheck) beyond(reached *checker) (findings []diag.Finding) {
	c := &checker{compiler: reached.compiler, stored: reached.stored, all: true, total: reached.total, expensive: slices.Clone(reached.expensive)}
	for _, p := range s.later {
		for _, f := range c.rules(p) {
			if f.Code != diag.NoType { // what is wrong with the schema says it better
				findings = append(findings, f)
			}
		}
	}
	if reached.total <= cost.SchemaEstimateLimit {
		findings = append(findings, s.exceeded(c)...)
	}
	for i := range findings {
		findings[i].Later = true
	}
	return findings
}

// exceeded says that the expressions are together too expensive, if they are.
func (s *schemaCheck) exceeded(c *checker) (findings []diag.Finding) {
	if c.total <= cost.SchemaEstimateLimit {
		return nil
	}
	for _, e := range c.expensive {
		findings = append(findings, finding(diag.SchemaEstimateExceeded,
			field.Forbidden(e.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"), e.rule))
	}
	return append(findings, finding(diag.SchemaEstimateExceeded, field.Forbidden(s.path,
		pricing.ExceedsMessage("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.total, cost.SchemaEstimateLimit)), nil))
}

// checker checks the rules of one schema.
type checker struct {
	compiler *compile.Rules
	// stored is the CRD that is replaced.
	stored *Stored
	visit  func(*Site)
	// all tells whether the messageExpression of a rule that does not compile is compiled.
	all bool
	// total is what all expressions are estimated to cost, expensive the ones
	// with the largest shares, in falling order.
	total     uint64
	expensive []expensive
}

// expensive is an expression with a large share in the total cost.
type expensive struct {
	rule *typesystem.Rule
	path *field.Path
	cost uint64
}

// observe adds an expression to the total.
func (c *checker) observe(r *typesystem.Rule, path *field.Path, estimate uint64) {
	c.total = pricing.Accumulated(c.total, estimate)
	if estimate < cost.SchemaEstimateLimit/100 {
		return
	}
	c.expensive = append(c.expensive, expensive{r, path, estimate})
	slices.SortStableFunc(c.expensive, func(a, b expensive) int { return cmp.Compare(b.cost, a.cost) })
	c.expensive = c.expensive[:min(len(c.expensive), 4)]
}

// internalError is field.InternalError of apimachinery 0.36 and later: up to 0.35 the
// error is not its value.
func internalError(path *field.Path, err error) *field.Error {
	e := field.InternalError(path, err)
	e.BadValue = err
	return e
}

// rules compiles and checks the rules of a part.
func (c *checker) rules(p part) (findings []diag.Finding) {
	path, at := p.path.Child("x-kubernetes-validations"), p.at
	scope, err := at.scope(c.compiler)
	if err != nil {
		return []diag.Finding{finding(diag.NoType, internalError(path, err), nil)}
	}
	for i := range p.doc.Validations {
		r := &p.doc.Validations[i]
		rule, message := scope, scope
		if c.stored.expressions[r.Expr] {
			rule = c.stored.scope(at, scope)
		}
		if c.stored.messages[r.MessageExpression] {
			message = c.stored.scope(at, scope)
		}
		site := &Site{
			Rule: r, Path: path.Index(i), Place: at.inSchema(), Doc: at.doc, Self: at.self, Chain: at.chain(),
			Cardinality: at.cardinality(), Fallback: at.self.MaxCardinality(), compiledRule: compileRule(rule, message, p.doc, r, c.all),
		}
		c.rule(site, p.inherited)
		findings = append(findings, site.Findings...)
		if c.visit != nil {
			c.visit(site)
		}
	}
	return findings
}

// rule checks a rule of a part.
func (c *checker) rule(s *Site, part inherited) {
	r := s.Rule
	add := func(code diag.Code, server *field.Error) *diag.Finding {
		s.Findings = append(s.Findings, finding(code, server, r))
		return &s.Findings[len(s.Findings)-1]
	}
	rulePath, messagePath := s.Path.Child("rule"), s.Path.Child("messageExpression")
	var estimate uint64
	if s.Expr != nil {
		estimate = pricing.Repeated(s.Expr.Estimate.Max, s.Cardinality)
	}
	if estimate > cost.EstimateLimit && !part.waived.costs {
		add(diag.EstimateExceeded, field.Forbidden(rulePath, pricing.ExceedsMessage("estimated rule cost", estimate, cost.EstimateLimit)))
	}
	c.observe(r, rulePath, estimate)
	if e := s.Err; e != nil {
		add(s.code, field.Invalid(rulePath, reported{*r}, e.Server)).Err = e
	}
	later := s.Err != nil // a server compiles no message of such a rule
	if e := s.MessageErr; e != nil {
		f := add(s.messageCode, field.Invalid(messagePath, reported{*r}, e.Server))
		f.Err, f.Later = e, later
	} else if s.Message != nil {
		estimate := s.Message.Estimate.Max
		if estimate > cost.EstimateLimit && !part.waived.costs {
			add(diag.EstimateExceeded, field.Forbidden(messagePath, pricing.ExceedsMessage("estimated messageExpression cost", estimate, cost.EstimateLimit))).Later = later
		}
		if !later {
			c.observe(r, messagePath, estimate)
		}
	}
	if s.oldSelf {
		if part.uncorrelated != nil {
			add(diag.OldSelfUncorrelatable, field.Invalid(rulePath, r.Expr, fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", part.uncorrelated)))
		}
	} else if r.OptionalOldSelf != nil {
		add(diag.OldSelfUnused, field.Invalid(s.Path.Child("optionalOldSelf"), *r.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
	}
}
