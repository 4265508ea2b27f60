package parity

import (
	"fmt"
	"slices"
	"strings"
)

// PriceReport compares what one release charges with what is expected of it.
type PriceReport struct {
	Tally
	// Estimates and Costs count the expressions whose estimates, and whose costs of
	// evaluation, were compared; Rules the rules whose estimates were.
	Estimates, Costs, Rules int
	// Refused counts the expressions and rules that both sides refuse, and Other
	// the cases that one side refuses or that evaluate to something else: their
	// prices tell nothing.
	Refused, Other int
	// Documents counts the CRDs of which it was compared what they are refused for
	// as too expensive.
	Documents int
	// Prices are the estimates and costs of the implementation that were compared.
	Prices map[Question]Price
}

// Price is what an expression is estimated to cost and costs.
type Price struct {
	Estimate [2]uint64
	Cost     uint64
}

func (r *PriceReport) String() string {
	return fmt.Sprintf("%s: %d estimates, %d costs, %d estimates of rules and %d CRDs compared, %d refused, %d others: %d differences, %d more in the ledger",
		r.Release, r.Estimates, r.Costs, r.Rules, r.Documents, r.Refused, r.Other, len(r.Differences), r.Known)
}

// Prices asks an implementation all expressions and rules of a corpus, and compares
// the prices of what it accepts with those that a release has for stored expressions.
// Keys in the ledger begin with the release, kinds are "estimate" and "cost".
func Prices(release string, a Answers, actual Implementation, c *Corpus, l *Ledger) (*PriceReport, error) {
	r := &PriceReport{Tally: Tally{Release: release}, Prices: map[Question]Price{}}
	actual = guarded{actual}
	for _, g := range c.Expressions {
		for _, e := range g.Cases {
			if e.Env.Version != Release {
				continue
			}
			q := ExpressionQuestion(e)
			want, _, err := DecodeAnswer[ExprOutcome](a[q])
			if err != nil {
				return nil, fmt.Errorf("%v: %w", q, err)
			}
			r.expression(q, want, actual.Expression(e).normal(), l)
		}
	}
	for _, s := range c.Schemas {
		s.Objects = nil
		for place, got := range actual.Schema(s).normal().byPlace() {
			q := Question{"rule", s.Name + " " + place}
			if a[q].Stored == "null" {
				r.Other++
				continue // the release does not look there
			}
			want, _, err := DecodeAnswer[RuleOutcome](a[q])
			if err != nil {
				return nil, fmt.Errorf("%v: %w", q, err)
			}
			if want.Error != "" && got.Error != "" {
				r.Refused++
				continue
			}
			if want.Error != "" || got.Error != "" || want.MessageError != got.MessageError {
				r.Other++
				continue
			}
			r.Rules++
			r.compare(l, "estimate", q, [3]uint64{want.MaxCost, want.Cardinality, want.MessageMaxCost}, [3]uint64{got.MaxCost, got.Cardinality, got.MessageMaxCost})
		}
	}
	for _, d := range c.CRDs {
		_, want, err := DecodeAnswer[CRDOutcome](a[CRDQuestion(d.Name)])
		if err != nil {
			return nil, fmt.Errorf("CRD %s: %w", d.Name, err)
		}
		r.Documents++
		r.compare(l, "estimate", CRDQuestion(d.Name), want.expensive(), actual.CRD(d).aboutRules().expensive())
	}
	slices.SortFunc(r.Differences, func(a, b Difference) int { return strings.Compare(a.Kind+a.Key, b.Kind+b.Key) })
	return r, nil
}

func (r *PriceReport) expression(q Question, want, got ExprOutcome, l *Ledger) {
	if want.CompileError != "" && got.CompileError != "" {
		r.Refused++
		return
	}
	if strings.HasPrefix(want.Error, "panic: ") || want.CompileError != "" || got.CompileError != "" || want.EstimateError != got.EstimateError {
		r.Other++
		return
	}
	r.Estimates++
	r.compare(l, "estimate", q, want.Estimate, got.Estimate)
	if want.Result != got.Result || want.Error != got.Error || want.ProgramError != got.ProgramError {
		r.Other++
		return
	}
	r.Costs++
	r.Prices[q] = Price{got.Estimate, got.Cost}
	r.compare(l, "cost", q, want.Cost, got.Cost)
}

// expensive is what a CRD is refused for as too expensive.
func (o CRDOutcome) expensive() string {
	var all []string
	for _, e := range o.Errors {
		if strings.Contains(e.Detail, "estimated rule cost") || strings.Contains(e.Detail, "estimated messageExpression cost") {
			all = append(all, e.Field+": "+e.Detail)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// Idle are the entries of the ledger that nothing needed.
func (l *Ledger) Idle() []string { return l.idle(true) }
