package kubecel

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// RuleSet holds the compiled rules of a schema. It is read-only and safe for
// concurrent use: compile it once, validate any number of objects. The zero value
// is empty: it has no rules, and validation by it is an error.
type RuleSet struct {
	validator *crd.Validator
	env       *environment.Env
}

// CompileCRD compiles the x-kubernetes-validations rules of one version of a
// CustomResourceDefinition of apiextensions.k8s.io/v1, in YAML or JSON, as a
// server of Kubernetes 1.37, or of another release with [ForRelease], does to
// validate objects. An empty version stands
// for the version that is stored.
//
// The error is a *InputError if the document cannot be used: it cannot be read,
// is something else than one CRD, has no such version, or its schema cannot be
// structural. A rule that does not compile is no error here, because a server
// keeps serving such a CRD and rejects the objects that the rule is about:
// [RuleSet.Rules] tells which. Use [CheckCRD] to know what a server says when the CRD
// is created.
func CompileCRD(document []byte, version string, opts ...CRDOption) (*RuleSet, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, err
	}
	index, err := definition.Version(version)
	if err != nil {
		return nil, err
	}
	return compileRules(definition.Versions[index].Schema, opts)
}

// CompileSchema compiles the rules of a schema alone, in YAML or JSON: what
// stands below openAPIV3Schema in a CRD. The error is a *InputError as that of
// [CompileCRD].
func CompileSchema(schema []byte, opts ...CRDOption) (*RuleSet, error) {
	doc, err := typesystem.ParseOpenAPI(schema)
	if err != nil {
		return nil, err
	}
	return compileRules(doc, opts)
}

var errZeroRuleSet = errors.New("the rule set is empty: CompileCRD makes one")

func compileRules(doc *typesystem.OpenAPI, opts []CRDOption) (*RuleSet, error) {
	env, err := newCRDConfig(opts).server.evaluating()
	if err != nil {
		return nil, err
	}
	validator, err := crd.NewValidator(doc, true, environment.Rules(env))
	if err != nil {
		return nil, err
	}
	return &RuleSet{validator: validator, env: env}, nil
}

type validateConfig struct {
	crd.Options
	budget *Budget
}

// ValidateOption configures one validation.
type ValidateOption func(*validateConfig)

// WithValidationBudget charges the rules to a budget instead of the cost.Budget
// units that an API server grants for one object.
func WithValidationBudget(budget *Budget) ValidateOption {
	return func(c *validateConfig) { c.budget = budget }
}

// WithRuleCostLimit bounds the cost of each evaluation in cost units, instead of
// the cost.PerCallLimit units of an API server.
func WithRuleCostLimit(units uint64) ValidateOption {
	return func(c *validateConfig) { c.CallLimit = &units }
}

// WithoutRatcheting makes violations count where nothing has changed since the
// old object, which an API server forgives.
func WithoutRatcheting() ValidateOption {
	return func(c *validateConfig) { c.NoRatcheting = true }
}

// AtPath names violations as those of an object that is part of another.
func AtPath(path *field.Path) ValidateOption {
	return func(c *validateConfig) { c.Path = path }
}

// Validate validates an object by the rules and, if old is not nil, its change
// from old by those on transitions. Objects are unstructured: map[string]any,
// []any, string, bool, int64, float64 and nil, as [ParseObject] and
// k8s.io/apimachinery have them. As in an API server, rules see the object as it
// is: it should have passed validation by its schema before, and whatever it has
// of the wrong type is an error of the rules that look at it.
//
// Violations are no error. The error is that of the context if it was done
// before all rules were evaluated; the report then holds what was found so far,
// and the object is not valid.
func (r *RuleSet) Validate(ctx context.Context, object, old map[string]any, opts ...ValidateOption) (*Report, error) {
	if ctx == nil {
		return nil, ErrNilContext
	}
	if object == nil {
		return nil, errors.New("the object is nil")
	}
	if r == nil || r.validator == nil {
		return nil, errZeroRuleSet
	}
	var config validateConfig
	for _, opt := range opts {
		if opt != nil {
			opt(&config)
		}
	}
	if config.budget == nil {
		config.budget = NewBudget(cost.Budget)
	}
	config.Budget = &config.budget.inner
	granted := config.budget.Remaining()
	var before any
	if old != nil {
		before = old
	}
	result, err := r.validator.Validate(ctx, object, before, config.Options)
	return &Report{
		Violations: r.violations(result.Errors),
		Warnings:   r.violations(result.Warnings),
		Cost:       result.Spent,
		Budget:     granted,
		Exhausted:  result.Exhausted,
		incomplete: err != nil,
	}, interrupted(ctx, err)
}

// Complete returns an object as an API server completes it before validation:
// nulls that the schema does not allow are left out, and what is missing gets
// its default. The object itself stays as it is. Rules of real CRDs count on
// defaults: an object that was not read from a server needs this first.
func (r *RuleSet) Complete(object map[string]any) map[string]any {
	if object == nil || r == nil || r.validator == nil {
		return object
	}
	return r.validator.Complete(object)
}

// Report is the outcome of a validation.
type Report struct {
	// Violations are what is wrong with the object, in the order of its sorted
	// fields.
	Violations []Violation
	// Warnings are violations that do not count because nothing has changed
	// where they are since the old object.
	Warnings []Violation
	// Cost is what all evaluations cost, in cost units.
	Cost uint64
	// Budget is what they could have cost.
	Budget uint64
	// Exhausted tells whether validation ended early, because the budget was
	// used up or one evaluation reached its limit. A violation says where.
	Exhausted bool

	incomplete bool
}

// Valid tells whether an API server would accept the object. It is false if not
// all rules were evaluated, and for a nil Report.
func (r *Report) Valid() bool { return r != nil && !r.incomplete && len(r.Violations) == 0 }

// ErrorList returns the violations exactly as an API server reports them.
func (r *Report) ErrorList() field.ErrorList {
	if r == nil {
		return nil
	}
	var list field.ErrorList
	for _, v := range r.Violations {
		list = append(list, v.Server)
	}
	return list
}

func (r *RuleSet) violations(found []crd.Violation) []Violation {
	if len(found) == 0 {
		return nil
	}
	violations := make([]Violation, len(found))
	for i := range found {
		f := &found[i]
		v := Violation{
			Code: f.Code, Message: f.Message, Reason: string(crd.ReasonInvalid), Value: f.Value, Server: f.FieldError(),
		}
		if f.Path != nil {
			v.Path = f.Path.String()
		}
		if f.Rule != nil {
			v.Rule, v.RulePath = f.Rule.Rule.Rule, rulePath(f.Rule)
			if f.Rule.Reason != nil {
				v.Reason = *f.Rule.Reason
			}
		}
		v.Err = ruleError(v, f)
		violations[i] = v
	}
	return violations
}

// ruleError makes an error of compilation or evaluation point at its place.
func ruleError(v Violation, f *crd.Violation) error {
	switch {
	case f.Err == nil:
		return nil
	case v.Code == diag.NotCompiled:
		return compileError(v.Rule, f.Err.Error(), f.Err)
	}
	return &EvalError{
		Code: v.Code, Expression: v.Rule, Position: diag.Position{Line: f.Line, Column: f.Column},
		Server: f.Err.Error(), Cause: f.Err,
	}
}

// Rule is one compiled rule.
type Rule struct {
	// SchemaPath is the place in the schema, such as
	// properties[spec].x-kubernetes-validations[0].
	SchemaPath string
	// Rule is the expression.
	Rule string
	// MessageExpression is the expression of the message, empty if there is none.
	MessageExpression string
	// Transition tells whether the rule refers to oldSelf.
	Transition bool
	// Estimate is what one evaluation may cost, in cost units.
	Estimate cost.Range
	// MessageEstimate is what one evaluation of the messageExpression may cost.
	MessageEstimate cost.Range
	// Cardinality is how often the rule can apply to one object: the product of
	// the bounds above it or, if one is missing, what fits into a request.
	Cardinality uint64
	// Err and MessageErr say why the rule and the messageExpression do not
	// compile, as a *CompileError.
	Err, MessageErr error
}

// Total is the number by which an API server judges the rule: the highest
// estimate of an evaluation times how often it can take place.
func (r Rule) Total() uint64 { return pricing.Repeated(r.Estimate.Max, r.Cardinality) }

func rulePath(r *crd.Rule) string {
	index := fmt.Sprintf("x-kubernetes-validations[%d]", r.Index)
	if r.Schema == nil {
		return index
	}
	return r.Schema.String() + "." + index
}

// Rules returns what is known of each rule, in the order of the schema.
func (r *RuleSet) Rules() []Rule {
	if r == nil || r.validator == nil {
		return nil
	}
	var rules []Rule
	for info := range r.validator.Rules() {
		rule := Rule{
			SchemaPath:        rulePath(info.Rule),
			Rule:              info.Rule.Rule.Rule,
			MessageExpression: info.Rule.MessageExpression,
			Transition:        info.OldSelf,
			Estimate:          info.Estimate,
			MessageEstimate:   info.MessageEstimate,
			Cardinality:       info.Cardinality,
		}
		if info.Err != nil {
			rule.Err = compileError(rule.Rule, info.Err.Error(), info.Err)
		}
		if info.MessageErr != nil {
			rule.MessageErr = compileError(rule.MessageExpression, info.MessageErr.Error(), info.MessageErr)
		}
		rules = append(rules, rule)
	}
	return rules
}
