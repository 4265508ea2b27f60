package kubecel

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// RuleSet holds the compiled rules of a schema. [CRD.Compile] and [Schema.Compile]
// make one. It is read-only and safe for concurrent use: compile it once, validate any
// number of objects. The zero value is empty: it has no rules, and validation by it is
// an error.
type RuleSet struct {
	validator *crd.Validator
}

func errZeroRuleSet() error {
	return argumentError("the rule set is empty: CRD.Compile makes one")
}

func compileRules(doc *typesystem.OpenAPI, resource bool, opts []CRDOption) (*RuleSet, error) {
	env, err := newServerConfig(opts).evaluating()
	if err != nil {
		return nil, err
	}
	validator, err := crd.NewValidator(doc, resource, env.Rules())
	if err != nil {
		return nil, err
	}
	return &RuleSet{validator: validator}, nil
}

// Validate evaluates the rules on an object. If there is an old object, it also
// evaluates the rules on transitions, which compare the two. Both are completed first,
// as in an API server: see [RuleSet.ApplyDefaults] and [AlreadyDefaulted]. The caller's
// data stays as it is.
//
// An object is unstructured data: map[string]any, []any, string, bool, int64, float64
// and nil, as [ParseObject] and k8s.io/apimachinery have it. It may be an
// *unstructured.Unstructured, or anything else with its method UnstructuredContent. A
// Go struct, such as a typed object of Kubernetes, is what its JSON is. By the rules of a
// schema that is not one of objects, the object is a string, a number, a list or the like. There is no old
// object if old is nil, or a pointer or a map that is nil. The error of an object that
// is no data, or more than 200,000 deep, is an *InputError. It shows the place and
// the Go type, and no value.
//
// Validate does not check the schema itself: types, required fields, patterns and the
// like. As in an API server, a value of the wrong type is an error of the rule that
// looks at it, and so a violation.
//
// Violations are not errors. If the context was done before all rules were evaluated,
// the error is an *EvalError that unwraps to that of the context. The validation then
// holds what was found so far, and is not valid.
func (r *RuleSet) Validate(ctx context.Context, object, old any, opts ...ValidateOption) (*Validation, error) {
	if ctx == nil {
		return nil, errNilContext()
	}
	if r == nil || r.validator == nil {
		return nil, errZeroRuleSet()
	}
	options := crd.Options{Budget: crd.NewBudget(cost.Budget)}
	each(opts, func(opt ValidateOption) { opt.applyValidate(&options) })
	o, err := prepare(r.validator, object, old, options.Data)
	if err != nil {
		return nil, err
	}
	granted := options.Budget.Left()
	result, err := r.validator.Validate(ctx, o.object, o.old, options)
	if result.Violations == nil {
		result.Violations = []Violation{} // [] in JSON
	}
	return &Validation{
		Violations: result.Violations,
		Warnings:   result.Warnings,
		Cost:       result.Spent,
		Budget:     granted,
		Exhausted:  result.Exhausted,
		incomplete: err != nil,
	}, cancelled(ctx, err)
}

// ApplyDefaults returns an object as an API server completes it before validation:
// without the nulls that the schema does not allow, and with defaults for what is
// missing. The object itself stays as it is. [RuleSet.Validate] does the same.
func (r *RuleSet) ApplyDefaults(object map[string]any) map[string]any {
	if object == nil || r == nil || r.validator == nil {
		return object
	}
	return r.validator.Complete(object)
}

// Validation is the outcome of a validation.
type Validation struct {
	// Violations are what is wrong with the object, in the order of its sorted
	// fields.
	Violations []Violation `json:"violations"`
	// Warnings are violations that do not count, because their value is as in the
	// old object.
	Warnings []Violation `json:"warnings,omitempty"`
	// Cost is what all evaluations cost, in cost units.
	Cost uint64 `json:"cost"`
	// Budget is what they could have cost, in cost units.
	Budget uint64 `json:"budget"`
	// Exhausted tells whether the validation ended early, because the budget was
	// used up or one evaluation reached its limit. A violation says where.
	Exhausted bool `json:"exhausted"`

	incomplete bool
}

// Valid tells whether there are no violations. It is false if not all rules were
// evaluated, and for a nil Validation.
func (v *Validation) Valid() bool { return v != nil && !v.incomplete && len(v.Violations) == 0 }

// ErrorList returns the violations exactly as an API server reports them.
func (v *Validation) ErrorList() field.ErrorList {
	if v == nil {
		return nil
	}
	var list field.ErrorList
	for _, violation := range v.Violations {
		list = append(list, violation.Server)
	}
	return list
}

// Rule is one compiled rule.
type Rule struct {
	// SchemaPath is the place in the schema, such as
	// properties[spec].x-kubernetes-validations[0].
	SchemaPath string `json:"schemaPath"`
	// Rule is the expression.
	Rule string `json:"rule"`
	// MessageExpression is the expression of the message, empty if there is none.
	MessageExpression string `json:"messageExpression,omitempty"`
	// Transition tells whether the rule refers to oldSelf.
	Transition bool `json:"transition"`
	// Estimate is the least and the most that one evaluation may cost, in cost units.
	Estimate cost.Range `json:"estimate"`
	// MessageEstimate is what one evaluation of the messageExpression may cost.
	MessageEstimate cost.Range `json:"messageEstimate,omitzero"`
	// Cardinality is the number of places of one object where the rule can apply:
	// the product of the bounds of the lists and maps above it. If a bound is
	// missing, it is how many values fit into a request.
	Cardinality uint64 `json:"cardinality"`
	// Err says why the rule does not compile, nil if it does.
	Err *CompileError `json:"error,omitempty"`
	// MessageErr says why the messageExpression does not compile, nil if it does.
	MessageErr *CompileError `json:"messageError,omitempty"`
}

// Total is the number by which an API server judges the rule, in cost units: the
// highest estimate of an evaluation times the cardinality.
func (r Rule) Total() uint64 { return pricing.Repeated(r.Estimate.Max, r.Cardinality) }

// Rules returns what is known of each rule, in the order of the schema.
func (r *RuleSet) Rules() []Rule {
	if r == nil || r.validator == nil {
		return nil
	}
	var rules []Rule
	for _, info := range r.validator.Rules() {
		rules = append(rules, Rule{
			SchemaPath:        info.Rule.Place(),
			Rule:              info.Expr,
			MessageExpression: info.Rule.MessageExpression,
			Transition:        info.OldSelf,
			Estimate:          info.Estimate,
			MessageEstimate:   info.MessageEstimate,
			Cardinality:       info.Cardinality,
			Err:               info.Err,
			MessageErr:        info.MessageErr,
		})
	}
	return rules
}
