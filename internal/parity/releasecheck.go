package parity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/release"
)

// Kinds of differences from an older release.
const (
	// KindEstimate is about the estimate of an expression or rule, and about what a
	// CRD is refused for as too expensive; KindCost about the cost of an evaluation.
	KindEstimate = "estimate"
	KindCost     = "cost"
	// KindResult is about the value of an expression or the text of its error.
	KindResult = "result"
	// KindStored is about whether a release evaluates an expression that is stored,
	// KindWritten about whether it accepts it from a client.
	KindStored  = "stored"
	KindWritten = "written"
)

// ReleaseReport compares what one release answers with what is expected of it.
type ReleaseReport struct {
	// Release is the release.
	Release release.Release
	// Expressions were asked for their verdicts, stored and written.
	Expressions int
	// Estimates and Costs count the expressions whose estimates, and whose costs of
	// evaluation, were compared; Rules the rules whose estimates were; Results the
	// expressions whose values or errors were.
	Estimates, Costs, Rules, Results int
	// Refused counts the expressions and rules that both sides refuse, and Other
	// the cases that one side refuses or that evaluate to something else: their
	// prices tell nothing.
	Refused, Other int
	// Documents counts the CRDs of which it was compared what they are refused for
	// as too expensive.
	Documents int
	// Known counts the differences in the ledger, Differences are the others.
	Known       int
	Differences []Difference
	// Prices are the estimates and costs of the implementation that were compared.
	Prices map[Question]Price
}

// Price is what an expression is estimated to cost and costs.
type Price struct {
	Estimate [2]uint64
	Cost     uint64
}

// String is the row of the release in docs/parity.md.
func (r *ReleaseReport) String() string {
	return fmt.Sprintf("| %v | %s | %s | %s | %s | %s | %s |", r.Release, Thousands(r.Expressions), Thousands(r.Estimates),
		Thousands(r.Costs), Thousands(r.Results), Thousands(r.Rules), Thousands(r.Known))
}

// Thousands writes a number with commas.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (r *ReleaseReport) compare(l *Ledger, kind string, q Question, want, got any) {
	if want == got {
		return
	}
	kind += " " + r.Release.String()
	if l.covers(kind, q.Name) {
		r.Known++
		return
	}
	r.Differences = append(r.Differences, Difference{kind, q.Name, fmt.Sprint(want), fmt.Sprint(got)})
}

// Accepter tells which releases accept an expression that a client writes.
type Accepter interface {
	AcceptedBy(c ExprCase) (map[release.Release]bool, error)
}

// CompareRelease asks the implementation of a release everything of a corpus. Of
// texts of errors of compilation only their being there is compared: the texts are
// those of the newest release. Accepted tells which releases accept an expression.
func CompareRelease(rel release.Release, a Answers, actual Implementation, accepted map[Question]map[release.Release]bool, c *Corpus, l *Ledger) (*ReleaseReport, error) {
	r := &ReleaseReport{Release: rel, Prices: map[Question]Price{}}
	actual = guarded{actual}
	for _, g := range c.Expressions {
		for _, e := range g.Cases {
			if e.Env.Older {
				continue
			}
			q := ExpressionQuestion(e)
			stored, written, err := DecodeAnswer[ExprOutcome](a[q])
			if err != nil {
				return nil, fmt.Errorf("%v: %w", q, err)
			}
			got := actual.Expression(e).normal()
			r.Expressions++
			r.compare(l, KindStored, q, stored.accepted(), got.accepted())
			r.compare(l, KindWritten, q, written.accepted(), accepted[q][rel])
			r.price(q, stored, got, l)
			if stored.accepted() && got.accepted() && !untold(stored) {
				r.Results++
				r.compare(l, KindResult, q, stored.Result+stored.Error, got.Result+got.Error)
			}
		}
	}
	if err := r.rules(a, actual, c, l); err != nil {
		return nil, err
	}
	slices.SortFunc(r.Differences, func(a, b Difference) int { return strings.Compare(a.Kind+a.Key, b.Kind+b.Key) })
	return r, nil
}

// refused tells whether an expression does not compile or cannot be planned.
func (o ExprOutcome) refused() bool { return o.CompileError != "" || o.ProgramError != "" }

// accepted tells whether a release takes an expression.
func (o ExprOutcome) accepted() bool { return !o.refused() && !strings.HasPrefix(o.Error, "panic: ") }

// untold tells whether the reference gave no answer: it does not survive the
// expression, or says something else each time.
func untold(o ExprOutcome) bool {
	return strings.HasPrefix(o.Error, "not evaluated: ") || o.Error == "varies from run to run"
}

func (r *ReleaseReport) price(q Question, want, got ExprOutcome, l *Ledger) {
	if want.refused() && got.refused() {
		r.Refused++
		return
	}
	if strings.HasPrefix(want.Error, "panic: ") || want.refused() || got.refused() || want.EstimateError != got.EstimateError {
		r.Other++
		return
	}
	r.Estimates++
	r.compare(l, KindEstimate, q, want.Estimate, got.Estimate)
	if want.Result != got.Result || want.Error != got.Error {
		r.Other++
		return
	}
	r.Costs++
	r.Prices[q] = Price{got.Estimate, got.Cost}
	r.compare(l, KindCost, q, want.Cost, got.Cost)
}

// rules compares the estimates of rules, and what CRDs are refused for.
func (r *ReleaseReport) rules(a Answers, actual Implementation, c *Corpus, l *Ledger) error {
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
				return fmt.Errorf("%v: %w", q, err)
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
			r.compare(l, KindEstimate, q, [3]uint64{want.MaxCost, want.Cardinality, want.MessageMaxCost}, [3]uint64{got.MaxCost, got.Cardinality, got.MessageMaxCost})
		}
	}
	for _, d := range c.CRDs {
		_, want, err := DecodeAnswer[CRDOutcome](a[CRDQuestion(d.Name)])
		if err != nil {
			return fmt.Errorf("CRD %s: %w", d.Name, err)
		}
		r.Documents++
		r.compare(l, KindEstimate, CRDQuestion(d.Name), want.expensive(), actual.CRD(d).aboutRules().expensive())
	}
	return nil
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
