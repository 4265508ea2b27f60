package parity

import (
	"fmt"
	"strings"
)

// untold tells whether the reference gave no answer: it does not survive the
// expression, or says something else each time.
func untold(o ExprOutcome) bool {
	return strings.HasPrefix(o.Error, "not evaluated: ") || o.Error == "varies from run to run"
}

// VerdictReport compares what a release accepts, and what comes of it, with what is
// expected of it.
type VerdictReport struct {
	Tally
	// Stored and Written count the expressions whose verdicts were compared in the
	// environment of stored and of new expressions, Results those accepted by both
	// sides whose results or errors were.
	Stored, Written, Results int
}

func (r *VerdictReport) String() string {
	return fmt.Sprintf("%s: %d verdicts on stored and %d on written expressions, %d results: %d differences, %d more in the ledger",
		r.Release, r.Stored, r.Written, r.Results, len(r.Differences), r.Known)
}

// Accepter tells of an expression only whether it compiles and can be planned.
type Accepter interface {
	Accepts(c ExprCase) bool
}

// Verdicts asks the implementations of a release whether they accept the expressions
// of a corpus, and what they evaluate to. Texts of errors of compilation are not
// compared: they are those of the newest release. Keys in the ledger begin with the
// release, kinds are "stored", "written" and "result".
func Verdicts(release string, a Answers, stored Implementation, written Accepter, c *Corpus, l *Ledger) (*VerdictReport, error) {
	r := &VerdictReport{Tally: Tally{Release: release}}
	stored = guarded{stored}
	for _, g := range c.Expressions {
		for _, e := range g.Cases {
			if e.Env.Version != Release {
				continue
			}
			q := ExpressionQuestion(e)
			wantStored, wantWritten, err := DecodeAnswer[ExprOutcome](a[q])
			if err != nil {
				return nil, fmt.Errorf("%v: %w", q, err)
			}
			got := stored.Expression(e).normal()
			r.Stored++
			r.compare(l, "stored", q, wantStored.accepted(), got.accepted())
			if wantStored.accepted() && got.accepted() && !untold(wantStored) {
				r.Results++
				r.compare(l, "result", q, wantStored.Result+wantStored.Error, got.Result+got.Error)
			}
			r.Written++
			r.compare(l, "written", q, wantWritten.accepted(), written.Accepts(e))
		}
	}
	return r, nil
}

// accepted tells whether an expression compiles and can be planned.
func (o ExprOutcome) accepted() bool {
	return o.CompileError == "" && o.ProgramError == "" && !strings.HasPrefix(o.Error, "panic: ")
}
