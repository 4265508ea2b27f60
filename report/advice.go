package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel/cost"
)

// Advice says what bounds would do.
type Advice struct {
	// Alone are bounds of which each would suffice, the others as they are, and
	// those that would not.
	Alone []Change `json:"alone,omitempty"`
	// Together are bounds that suffice if all are set, empty if none do.
	Together []Change `json:"together,omitempty"`
	// TogetherTotal is the estimate with them.
	TogetherTotal uint64 `json:"togetherTotal,omitempty"`
	// Proven tells whether Together was estimated anew with the bounds in the
	// document.
	Proven bool `json:"proven,omitempty"`
	// Growth is, for an expression within its limit, how far each bound may grow
	// alone, as far as this expression is concerned.
	Growth []Change `json:"growth,omitempty"`
	// Note says what bounds cannot do.
	Note string `json:"note,omitempty"`
}

// Change sets one bound of a schema.
type Change struct {
	// Bound is the bound as it is.
	cost.Bound
	// To is the value to set.
	To int64 `json:"to"`
	// Fits tells whether the estimate is within the limit with it.
	Fits bool `json:"fits"`
	// Largest tells that one more is over the limit.
	Largest bool `json:"largest"`
	// Total is the estimate with it; for one of several, without the others.
	Total uint64 `json:"total"`
	// Proven tells whether the estimate was made anew with the bound in the document.
	Proven bool `json:"proven,omitempty"`
}

// Sound is what one evaluation can really cost at most. A server's estimate is
// lower where its model does not see a cost.
type Sound struct {
	// Bounded is false if there is no bound to tell.
	Bounded bool `json:"bounded"`
	// Max is the bound for one evaluation.
	Max uint64 `json:"max,omitempty"`
	// Total is that for all evaluations.
	Total uint64 `json:"total,omitempty"`
	// Doubts are the places at which the estimate may be too low.
	Doubts []Doubt `json:"doubts,omitempty"`
}

// Doubt is a place at which an estimate may be too low.
type Doubt struct {
	// At is the place in the source.
	At Span `json:"at"`
	// Text is what stands there.
	Text string `json:"text"`
	// Reason is why the estimate may be too low.
	Reason string `json:"reason"`
}

// Evaluation is what an evaluation cost, or all evaluations of a rule for one
// object.
type Evaluation struct {
	// Cost is what it cost.
	Cost uint64 `json:"cost"`
	// Evaluations is the number of evaluations in a validation.
	Evaluations uint64 `json:"evaluations,omitempty"`
	// Result is the value of an expression of its own.
	Result string `json:"result,omitempty"`
	// Error says why there is no value.
	Error string `json:"error,omitempty"`
}

// Validation is what the rules spent on one object.
type Validation struct {
	// Cost is what all of them cost.
	Cost uint64 `json:"cost"`
	// Budget is what they could have cost.
	Budget uint64 `json:"budget"`
	// Exhausted tells whether it ended early.
	Exhausted bool `json:"exhausted,omitempty"`
	// Spending are the expressions that were evaluated, the costliest first.
	Spending []Spending `json:"spending"`
}

// Spending is what one expression spent on one object.
type Spending struct {
	// Path is the path of the expression, as in Expression.
	Path string `json:"path"`
	// Evaluation is how often it was evaluated, and the cost of all evaluations.
	Evaluation
	// Dearest is what the dearest evaluation cost.
	Dearest uint64 `json:"dearest"`
	// At is where that was in the object.
	At string `json:"at"`
}

func (a *Advice) write(b *strings.Builder) {
	if a == nil {
		return
	}
	if a.Note != "" {
		fmt.Fprintf(b, "  %s\n", a.Note)
	}
	if len(a.Together) > 0 {
		proof := ""
		if a.Proven {
			proof = ", estimated anew with them"
		}
		fmt.Fprintf(b, "\n  set these bounds: the estimate is %s then%s\n", number(a.TogetherTotal), proof)
		for _, c := range a.Together {
			c.write(b)
		}
	}
	first := true
	for _, c := range a.Alone {
		if !c.Fits || len(a.Together) == 1 && a.Together[0].Schema == c.Schema {
			continue
		}
		if first {
			fmt.Fprintf(b, "  or one of these alone, at most:\n")
			first = false
		}
		c.write(b)
	}
	for i, c := range a.Growth {
		if i == 0 {
			fmt.Fprintf(b, "\n  as far as this expression goes, each bound alone may grow to:\n")
		}
		c.write(b)
	}
}

func (c Change) write(b *strings.Builder) {
	from := "it is missing"
	if c.Value != nil {
		from = "now " + number(uint64(max(*c.Value, 0)))
		if *c.Value < 0 {
			from = "now " + strconv.FormatInt(*c.Value, 10)
		}
	}
	more := ""
	if !c.Largest && c.Fits {
		more = " or more"
	}
	fmt.Fprintf(b, "    %-14s %12s%s  %s (%s)\n", c.Keyword+":", number(uint64(c.To)), more, place(c.Data), from)
}
