package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel/cost"
)

// Advice says which changes of bounds bring an estimate under a limit.
type Advice struct {
	// Alone are the changes of a single bound, the other bounds as they are. Fits
	// tells which of them suffice.
	Alone []Change `json:"alone,omitempty"`
	// Together are changes that suffice if all are made. It is empty if none do.
	Together []Change `json:"together,omitempty"`
	// TogetherTotal is the estimate with all of them.
	TogetherTotal uint64 `json:"togetherTotal,omitempty"`
	// Proven tells whether Together was estimated anew with the bounds in the
	// document.
	Proven bool `json:"proven,omitempty"`
	// Growth is how far each bound may grow alone, for an expression within its
	// limit. Other expressions may allow less.
	Growth []Change `json:"growth,omitempty"`
	// Note says what bounds cannot do.
	Note string `json:"note,omitempty"`
	// Causes are the operands because of which no bounds suffice.
	Causes []Cause `json:"causes,omitempty"`
	// Rewrite is another way to write the expression. It is nil if none is known.
	Rewrite *Rewrite `json:"rewrite,omitempty"`
}

// Cause is an operand of a size that estimates take to be without a bound.
type Cause struct {
	// At is the place in the source.
	At Span `json:"at"`
	// Text is the part of the source at that place.
	Text string `json:"text"`
	// Reason is why its size has no bound.
	Reason string `json:"reason"`
}

// Rewrite is an expression with the same value and a lower estimate.
type Rewrite struct {
	// Source is the text of the expression. It compiles in the same release.
	Source string `json:"source"`
	// Total is its estimate, as that of [Expression.Total].
	Total uint64 `json:"total"`
	// Fits tells whether the estimate is within the limit.
	Fits bool `json:"fits"`
}

// Change sets one bound of a schema.
type Change struct {
	// Bound is the bound as it is.
	cost.Bound
	// To is the value to set.
	To int64 `json:"to"`
	// Fits tells whether the estimate is within the limit with this change.
	Fits bool `json:"fits"`
	// Largest tells whether a value greater by one is over the limit.
	Largest bool `json:"largest"`
	// Total is the estimate with this change alone.
	Total uint64 `json:"total"`
	// Proven tells whether the estimate was made anew with the bound in the document.
	Proven bool `json:"proven,omitempty"`
}

// Sound is the most that one evaluation can really cost. The estimate of a server is
// lower where the server's model does not see a cost.
type Sound struct {
	// Bounded is false if no bound is known.
	Bounded bool `json:"bounded"`
	// Max is the bound for one evaluation.
	Max uint64 `json:"max,omitempty"`
	// Doubts are the places at which the estimate may be too low.
	Doubts []Doubt `json:"doubts,omitempty"`
}

// Doubt is a place where an estimate may be too low.
type Doubt struct {
	// At is the place in the source.
	At Span `json:"at"`
	// Text is the part of the source at that place.
	Text string `json:"text"`
	// Reason is why the estimate may be too low.
	Reason string `json:"reason"`
}

// Evaluation is what one evaluation cost, or what all evaluations of a rule on one
// object cost together.
type Evaluation struct {
	// Cost is the cost, in cost units.
	Cost uint64 `json:"cost"`
	// Evaluations is the number of evaluations in a validation.
	Evaluations uint64 `json:"evaluations,omitempty"`
	// Result is the value of an expression that is no rule.
	Result string `json:"result,omitempty"`
	// Error says why there is no value.
	Error string `json:"error,omitempty"`
}

// Validation is what the rules spent on one object.
type Validation struct {
	// Cost is what all rules cost, in cost units.
	Cost uint64 `json:"cost"`
	// Budget is what they could have cost.
	Budget uint64 `json:"budget"`
	// Exhausted tells whether the validation ended early.
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
	// At is the place in the object of that evaluation.
	At string `json:"at"`
}

func (a *Advice) write(b *strings.Builder) {
	if a == nil {
		return
	}
	if a.Note != "" {
		fmt.Fprintf(b, "  %s\n", a.Note)
	}
	for _, c := range a.Causes {
		fmt.Fprintf(b, "    %v %s: %s\n", c.At.Position, clip(c.Text, 40), c.Reason)
	}
	if r := a.Rewrite; r != nil {
		also := ""
		if !r.Fits {
			also = ", and lower bounds"
		}
		fmt.Fprintf(b, "  write this instead, which is estimated at %s%s:\n", number(r.Total), also)
		for line := range strings.SplitSeq(r.Source, "\n") {
			fmt.Fprintf(b, "%s    %s\n", verbatim, line)
		}
	}
	list := func(title string, changes []Change) {
		for i, c := range changes {
			if i == 0 {
				b.WriteString(title)
			}
			c.write(b)
		}
	}
	proof := ""
	if a.Proven {
		proof = ", estimated anew with them"
	}
	list(fmt.Sprintf("\n  set these bounds: the estimate is %s then%s\n", number(a.TogetherTotal), proof), a.Together)
	list("  or one of these alone, at most:\n", slices.DeleteFunc(slices.Clone(a.Alone), func(c Change) bool {
		return !c.Fits || len(a.Together) == 1 && a.Together[0].Schema == c.Schema
	}))
	list("\n  as far as this expression goes, each bound alone may grow to:\n", a.Growth)
}

func (c Change) write(b *strings.Builder) {
	from := "it is missing"
	if c.Value != nil {
		from = "now " + strconv.FormatInt(*c.Value, 10)
		if *c.Value >= 0 {
			from = "now " + number(uint64(*c.Value))
		}
	}
	more := ""
	if !c.Largest && c.Fits {
		more = " or more"
	}
	fmt.Fprintf(b, "    %-14s %12s%s  %s (%s)\n", c.Keyword+":", number(uint64(c.To)), more, cmp.Or(c.Data, root), from)
}
