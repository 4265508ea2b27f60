package kubecel

import (
	"errors"

	"github.com/kubecel/kubecel/internal/accept"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// CRDAcceptance says which releases accept a CRD and each of its rules.
type CRDAcceptance struct {
	// Acceptance is that of the whole CRD. The error of a verdict joins everything
	// that the release rejects in the CRD. The requirements are with the rules.
	Acceptance
	// Rules are the rules in the order in which a server compiles them. A rule is
	// missing if a server does not get to it, because the schema above it is
	// rejected.
	Rules []RuleAcceptance `json:"rules"`
}

// RuleAcceptance says which releases accept a rule and its messageExpression.
type RuleAcceptance struct {
	Acceptance
	// Path is the place in the CRD, as [Finding] has it.
	Path string `json:"path"`
	// Rule is the expression.
	Rule string `json:"rule"`
	// MessageExpression is that of the message. It may be empty.
	MessageExpression string `json:"messageExpression,omitempty"`
}

// AcceptedBy says which releases accept the schemas and rules when the CRD is
// created, and what in the rules decides. It checks what [CRD.Check] checks, once
// for each release.
func (c *CRD) AcceptedBy() (*CRDAcceptance, error) {
	if c.isZero() {
		return nil, errZeroCRD()
	}
	needs, err := accept.NewNeeds()
	if err != nil {
		return nil, optionError(err)
	}
	a := &CRDAcceptance{}
	checks, shared := crd.NewChecks(c.definition), compile.SharedRules{}
	checks.In(needs.Rules, func(v *crd.Site) {
		a.Rules = append(a.Rules, RuleAcceptance{
			Path: v.Path.String(), Rule: v.Rule.Expr, MessageExpression: v.Rule.MessageExpression,
			Acceptance: Acceptance{Requirements: ruleRequirements(v, needs)},
		})
	})
	checked, locate := map[server.Environment]crdVerdict{}, c.definition.Locator()
	for _, each := range release.All() {
		s := server.WrittenTo(each)
		verdict, ok := checked[s]
		if !ok {
			if verdict, err = checkedBy(s, checks, shared, locate); err != nil {
				return nil, err
			}
			checked[s] = verdict
		}
		a.Verdicts = append(a.Verdicts, Verdict{Release: each, Err: verdict.err})
		for i, v := range verdict.rules {
			v.Release = each
			a.Rules[i].Verdicts = append(a.Rules[i].Verdicts, v)
		}
	}
	return a, nil
}

// crdVerdict is what a server says of a CRD and of each rule.
type crdVerdict struct {
	err   error
	rules []Verdict
}

func checkedBy(s server.Environment, checks *crd.Checks, shared compile.SharedRules, locate func([]Finding) []Finding) (v crdVerdict, err error) {
	env, err := serverConfig{}.environment(s)
	if err != nil {
		return v, err
	}
	found := checks.In(shared.In(env), func(visit *crd.Site) {
		rule := Verdict{Err: joined(locate(visit.Findings))}
		if visit.Expr != nil {
			rule.Estimate = visit.Expr.Estimate
			rule.Total = pricing.Repeated(visit.Expr.Estimate.Max, visit.Cardinality)
		}
		v.rules = append(v.rules, rule)
	})
	v.err = joined(locate(found))
	return v, nil
}

// joined is nil if there are no findings.
func joined(findings []Finding) error {
	var all []error
	for _, f := range findings {
		all = append(all, f)
	}
	return errors.Join(all...)
}

func ruleRequirements(v *crd.Site, needs *accept.Needs) []Requirement {
	var found []accept.Requirement
	if v.Rule.OptionalOldSelf != nil && *v.Rule.OptionalOldSelf && v.Expr != nil && v.Expr.RefersTo(compile.OldSelf) {
		found = append(found, accept.OptionalOldSelf())
	}
	requirements := requirementsOf(append(found, needs.Of(v.Expr)...), false)
	return append(requirements, requirementsOf(needs.Of(v.Message), true)...)
}
