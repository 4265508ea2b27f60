package kubecel

import (
	"errors"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
)

// CRDAcceptance says which releases accept a CRD and each of its rules.
type CRDAcceptance struct {
	// Acceptance is that of the whole CRD: the error of a verdict joins all that
	// the release rejects in it, and the requirements are with the rules.
	Acceptance
	// Rules are the rules in the order in which a server compiles them. Rules
	// below a part of a schema that is not sound are not among them.
	Rules []RuleAcceptance
}

// RuleAcceptance says which releases accept a rule and its messageExpression.
type RuleAcceptance struct {
	Acceptance
	// Path is the place in the CRD, as [Finding] has it.
	Path string
	// Rule and MessageExpression are the expressions; the latter may be empty.
	Rule, MessageExpression string
}

// CRDAcceptedBy says which releases accept the schemas and rules of a
// CustomResourceDefinition, in YAML or JSON, when it is created, and what in the
// rules decides. It checks what [CheckCRD] checks. The error is a *InputError
// if the document is not one CRD.
func CRDAcceptedBy(document []byte) (*CRDAcceptance, error) {
	definition, err := crd.Read(document)
	if err != nil {
		return nil, err
	}
	needs, err := environment.NewNeeds()
	if err != nil {
		return nil, err
	}
	a := &CRDAcceptance{}
	checks, common := crd.NewChecks(definition), environment.NewSharedRules()
	checks.In(needs, func(v crd.Visit) {
		a.Rules = append(a.Rules, RuleAcceptance{
			Path: v.Path.String(), Rule: v.Rule.Rule, MessageExpression: v.Rule.MessageExpression,
			Acceptance: Acceptance{Requirements: ruleRequirements(v, needs)},
		})
	})
	checked := map[environment.Server]crdVerdict{}
	for _, each := range release.All() {
		server := environment.WrittenTo(each)
		verdict, ok := checked[server]
		if !ok {
			if verdict, err = checkedBy(server, checks, common); err != nil {
				return nil, err
			}
			checked[server] = verdict
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

func checkedBy(server environment.Server, checks *crd.Checks, common *environment.SharedRules) (v crdVerdict, err error) {
	env, err := server.Env()
	if err != nil {
		return v, err
	}
	found := checks.In(common.In(env), func(visit crd.Visit) {
		rule := Verdict{Err: joined(visit.Findings)}
		if visit.Expr != nil {
			rule.Estimate = visit.Expr.Cost
			rule.Total = pricing.Repeated(visit.Expr.Cost.Max, visit.Cardinality)
		}
		v.rules = append(v.rules, rule)
	})
	v.err = joined(found)
	return v, nil
}

// joined is nil if there are no findings.
func joined(found []crd.Finding) error {
	var all []error
	for _, f := range findings(found) {
		all = append(all, f)
	}
	return errors.Join(all...)
}

func ruleRequirements(v crd.Visit, needs *environment.Needs) []Requirement {
	var found []environment.Requirement
	if v.Rule.OptionalOldSelf != nil && *v.Rule.OptionalOldSelf && v.Expr != nil && v.Expr.OldSelf {
		found = append(found, environment.OptionalOldSelf())
	}
	found = append(found, needs.Of(v.Expr)...)
	requirements := requirementsOf(found, false)
	if v.Message != nil {
		requirements = append(requirements, requirementsOf(needs.Of(v.Message), true)...)
	}
	return requirements
}
