package crd

import (
	"errors"
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
		f.Rule = r.Rule
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

// Checks checks one CRD in several environments. It is not safe for concurrent
// use.
type Checks struct {
	definition *Definition
	shared     bool
	// types are the types of the schemas of all versions.
	types map[*typesystem.OpenAPI]*typeContext
}

// NewChecks prepares to check a CRD.
func NewChecks(d *Definition) *Checks {
	return &Checks{definition: d, shared: d.shared(), types: map[*typesystem.OpenAPI]*typeContext{}}
}

// rootTypes are the types of a schema, which are compiled once.
func (c *Checks) rootTypes(s *typesystem.OpenAPI) *typeContext {
	if c.types[s] == nil {
		c.types[s] = rootContext(s)
	}
	return c.types[s]
}

// Visit is a rule that a check has come to.
type Visit struct {
	Rule *typesystem.Rule
	// Path is the place of the rule in the CRD.
	Path *field.Path
	// Expr and Message are the compiled expressions, nil for what does not
	// compile or is not there.
	Expr, Message *compile.Expression
	// Cardinality is how often the rule can apply to one object.
	Cardinality uint64
	// Findings are what is wrong with the rule alone.
	Findings []diag.Finding
}

// In is Check, and shows each rule that is compiled to a visitor, if there is
// one. Which they are, and their order, does not depend on the environment.
func (c *Checks) In(rules *compile.Rules, visit func(Visit)) []diag.Finding {
	var findings []diag.Finding
	d := c.definition
	for i := range d.Versions {
		if d.Versions[i].Schema == nil {
			path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
			findings = append(findings, finding(diag.SchemaMissing, field.Required(path, ""), nil))
		}
	}
	for i := range d.Versions {
		status := d.Versions[i].Status
		if c.shared {
			status = slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Status })
		}
		findings = append(findings, c.schema(d.Versions[i].Schema, d.schemaPath(i, c.shared), status, rules, visit)...)
		if c.shared {
			break // they are all the same, and looked at once
		}
	}
	return findings
}

// schema checks the schema of one version, or the one of all.
func (all *Checks) schema(s *typesystem.OpenAPI, path *field.Path, status bool, rules *compile.Rules, visit func(Visit)) []diag.Finding {
	if s == nil {
		return nil
	}
	return (&checker{rulesIn: rules, visit: visit}).schema(s, path, status, all)
}

// schema checks a whole schema.
func (c *checker) schema(s *typesystem.OpenAPI, path *field.Path, status bool, all *Checks) []diag.Finding {
	var findings []diag.Finding
	add := func(code diag.Code, errs ...*field.Error) {
		for _, err := range errs {
			findings = append(findings, finding(code, err, nil))
		}
	}
	if status {
		add(diag.SchemaInvalid, statusRoot(s, path)...)
	}
	if s.Nullable {
		add(diag.SchemaInvalid, field.Forbidden(path.Child("nullable"), "nullable cannot be true at the root"))
	}
	var types *typeContext
	inconvertible := typesystem.CheckStructural(s)
	if inconvertible == nil {
		errs := validateStructural(s, path)
		add(diag.NotStructural, errs...)
		if len(errs) == 0 && c.rulesIn != nil {
			types = all.rootTypes(s)
		}
	}
	schema, rules := c.node(s, path, true, inherited{}, types)
	findings = append(append(findings, schema...), rules...)
	if len(findings) == 0 && inconvertible != nil {
		// The other findings say it in better words, if there are any.
		add(diag.NotStructural, field.Invalid(path, "", errors.Unwrap(inconvertible).Error()))
	}
	if c.total > cost.SchemaEstimateLimit {
		for _, e := range c.expensive {
			findings = append(findings, finding(diag.SchemaEstimateExceeded,
				field.Forbidden(e.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"), e.rule))
		}
		add(diag.SchemaEstimateExceeded, field.Forbidden(path,
			pricing.ExceedsMessage("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.total, cost.SchemaEstimateLimit)))
	}
	return findings
}

// statusRoot checks the root of a schema with a status subresource, where only
// some fields are allowed so that none is lost when the schema of the status is
// looked at alone.
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

// checker goes through one schema.
type checker struct {
	rulesIn *compile.Rules
	visit   func(Visit)
	// total is what all expressions are estimated to cost, expensive the ones
	// with the largest shares, in falling order.
	total     uint64
	expensive []expensive
	// inspect, if set, is told of every rule that is compiled.
	inspect func(Site)
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
	slices.SortStableFunc(c.expensive, func(a, b expensive) int {
		switch {
		case a.cost > b.cost:
			return -1
		case a.cost < b.cost:
			return 1
		}
		return 0
	})
	c.expensive = c.expensive[:min(len(c.expensive), 4)]
}

// node checks a node of a schema and all below it: first what is wrong with the
// schema, then with the rules. A nil types means that rules are not compiled.
func (c *checker) node(s *typesystem.OpenAPI, path *field.Path, root bool, in inherited, types *typeContext) (schema, rules []diag.Finding) {
	if s == nil {
		return nil, nil
	}
	invalid := func(errs field.ErrorList) {
		for _, err := range errs {
			schema = append(schema, finding(diag.SchemaInvalid, err, nil))
		}
	}
	below := func(s *typesystem.OpenAPI, path *field.Path, in inherited, types *typeContext) {
		lower, lowerRules := c.node(s, path, false, in, types)
		schema, rules = append(schema, lower...), append(rules, lowerRules...)
	}

	invalid(standard(s, path, in))
	values := in
	if in.resourceMeta {
		values = in.withoutDefaults("inside additionalProperties applying to object metadata")
	}
	below(s.Values(), path.Child("additionalProperties"), values, types.additional())
	for _, name := range sortedKeys(s.Properties) {
		p, in := s.Property(name), in
		if !mapCorrelates(s.MapType) {
			in = in.withUncorrelated(path)
		}
		if (root || s.EmbeddedResource) && (name == "metadata" || name == "kind" || name == "apiVersion") {
			in.resourceMeta = true
			if root {
				in = in.withoutDefaults("in top-level " + name)
			}
		}
		below(p, path.Child("properties").Key(name), in, types.property(p, name))
	}
	below(s.Not, path.Child("not"), in, nil)
	for _, junctor := range []struct {
		name string
		list []typesystem.OpenAPI
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i := range junctor.list {
			below(&junctor.list[i], path.Child(junctor.name).Index(i), in, nil)
		}
	}
	for _, name := range sortedKeys(s.Definitions) {
		below(s.Definitions[name], path.Child("definitions").Key(name), in, nil)
	}
	if s.Items != nil {
		elements := in
		if !is(s.ListType, "map") {
			elements = in.withUncorrelated(path)
		}
		below(s.Items.Schema, path.Child("items"), elements, types.items())
		for i := range s.Items.Array {
			below(&s.Items.Array[i], path.Child("items").Index(i), elements, nil)
		}
	}
	for _, name := range sortedKeys(s.Dependencies) {
		below(s.Dependencies[name].Schema, path.Child("dependencies").Key(name), in, nil)
	}
	invalid(topology(s, path))

	path = path.Child("x-kubernetes-validations")
	for i := range s.Validations {
		r := &s.Validations[i]
		for _, e := range ruleText(s, r, path.Index(i)) {
			schema = append(schema, finding(e.code, e.err, r))
		}
	}
	// Rules are compiled only if the schema is sound from here on down, because
	// the errors would make no sense otherwise.
	if len(s.Validations) > 0 && len(schema) == 0 && types != nil {
		rules = append(rules, c.rules(s, path, in, types)...)
	}
	return schema, rules
}

// rules compiles and checks the rules of a node. Path is that of the rules.
func (c *checker) rules(s *typesystem.OpenAPI, path *field.Path, in inherited, types *typeContext) []diag.Finding {
	self, err := types.declared()
	if err != nil {
		err = fmt.Errorf("internal error: failed to construct type information for x-kubernetes-validations rules: %w", err)
	} else if self == nil {
		err = errNotDeclared
	}
	var scope *compile.RuleScope
	if err == nil {
		scope, err = c.rulesIn.Scope(self)
	}
	if err != nil {
		return []diag.Finding{finding(diag.NoType, field.InternalError(path, err), nil)}
	}
	var findings []diag.Finding
	for i := range s.Validations {
		r := &s.Validations[i]
		compiled, at, cardinality := compileRule(scope, s, r), path.Index(i), types.cardinality(self)
		if c.inspect != nil {
			c.inspect(types.site(r, compiled, at, self))
		}
		found := c.rule(r, compiled, at, in, cardinality)
		findings = append(findings, found...)
		if c.visit != nil {
			c.visit(Visit{Rule: r, Path: at, Expr: compiled.expr, Message: compiled.message, Cardinality: cardinality, Findings: found})
		}
	}
	return findings
}

// rule checks one rule that can stand at cardinality places of an object.
func (c *checker) rule(r *typesystem.Rule, compiled compiledRule, path *field.Path, in inherited, cardinality uint64) (findings []diag.Finding) {
	add := func(code diag.Code, server *field.Error) *diag.Finding {
		findings = append(findings, finding(code, server, r))
		return &findings[len(findings)-1]
	}
	rulePath, messagePath := path.Child("rule"), path.Child("messageExpression")
	var estimate uint64
	if compiled.expr != nil {
		estimate = pricing.Repeated(compiled.expr.Estimate.Max, cardinality)
	}
	if estimate > cost.EstimateLimit {
		add(diag.EstimateExceeded, field.Forbidden(rulePath, pricing.ExceedsMessage("estimated rule cost", estimate, cost.EstimateLimit)))
	}
	c.observe(r, rulePath, estimate)
	if e := compiled.err; e != nil {
		add(e.code, field.Invalid(rulePath, reported{*r}, e.Server)).Err = e.CompileError
	}
	if e := compiled.messageErr; e != nil {
		add(e.code, field.Invalid(messagePath, reported{*r}, e.Server)).Err = e.CompileError
	} else if compiled.message != nil {
		estimate := compiled.message.Estimate.Max
		if estimate > cost.EstimateLimit {
			add(diag.EstimateExceeded, field.Forbidden(messagePath, pricing.ExceedsMessage("estimated messageExpression cost", estimate, cost.EstimateLimit)))
		}
		c.observe(r, messagePath, estimate)
	}
	if compiled.oldSelf {
		if in.uncorrelated != nil {
			add(diag.OldSelfUncorrelatable, field.Invalid(rulePath, r.Rule, fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", in.uncorrelated)))
		}
	} else if r.OptionalOldSelf != nil {
		add(diag.OldSelfUnused, field.Invalid(path.Child("optionalOldSelf"), *r.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
	}
	return findings
}

// mapCorrelates tells whether the values of a map can be found in the old map.
func mapCorrelates(mapType *string) bool {
	return mapType == nil || *mapType == "granular" || *mapType == "atomic"
}

// errNotDeclared is what an API server says of a rule on a schema without a type.
var errNotDeclared = errors.New("failed to convert to declType for CEL validation rules")
