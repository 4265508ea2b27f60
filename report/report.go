// Package report says where the estimated cost of expressions comes from, and
// which bounds of a schema would change it.
//
// A [Schema] reports all rules of one version of a CRD, an [Expression] one rule
// or any other expression. Package kubecel makes both. They are plain data: their
// JSON is for tools, [Schema.Text] and [Expression.Text] are for terminals, and
// package report/html makes a page of a Schema.
//
// Costs are in cost units. All arithmetic saturates: math.MaxUint64 is a cost, a
// size or a number of evaluations without a bound.
package report

import (
	"encoding/json"

	"github.com/kubecel/kubecel/cost"
)

// Range is an inclusive range of costs or sizes.
type Range struct {
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
}

// Of is the report of a range.
func Of(r cost.Range) Range { return Range(r) }

// Limits are the limits by which estimates are judged, in cost units.
type Limits struct {
	// Expression is the most that one expression may be estimated at, with all its
	// repetitions in an object.
	Expression uint64 `json:"expression"`
	// Schema is the most that all expressions of a schema may be estimated at.
	Schema uint64 `json:"schema"`
}

// ServerLimits are the limits of an API server.
func ServerLimits() Limits {
	return Limits{Expression: cost.EstimateLimit, Schema: cost.SchemaEstimateLimit}
}

// Verdict compares an estimate with a limit.
type Verdict struct {
	Limit uint64 `json:"limit"`
	// Within tells whether the estimate is within the limit.
	Within bool `json:"within"`
	// Headroom is what is left, zero if the estimate is over the limit.
	Headroom uint64 `json:"headroom"`
	// Factor is the estimate as a multiple of the limit.
	Factor float64 `json:"factor"`
	// Message is what a server says of an estimate over the limit, in its words.
	Message string `json:"message,omitempty"`
}

// Judge compares an estimate with a limit. Name is what the message says costs
// too much. A limit of zero is exceeded by anything, at a factor of the estimate.
func Judge(name string, estimate, limit uint64) Verdict {
	v := Verdict{Limit: limit, Within: estimate <= limit, Factor: float64(estimate) / float64(max(limit, 1))}
	if v.Within {
		v.Headroom = limit - estimate
	} else {
		v.Message = cost.ExceedsMessage(name, estimate, limit)
	}
	return v
}

// Schema reports the rules of one version of a CRD.
type Schema struct {
	// Name is the name of the CRD and Version that of the version; both are empty
	// for a schema alone.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Release is the release of the API server whose estimates these are.
	Release string `json:"release"`
	// Total is what all expressions together are estimated to cost.
	Total uint64 `json:"total"`
	// Server is the server's verdict on the total, Own that by the caller's limit.
	Server Verdict `json:"server"`
	Own    Verdict `json:"own"`
	// Accepted tells whether a server accepts the schema; Findings are its words
	// if it does not.
	Accepted bool      `json:"accepted"`
	Findings []Finding `json:"findings"`
	// Expressions are the rules and message expressions, the costliest first.
	Expressions []Expression `json:"expressions"`
	// Validation is what the rules spent on an object, nil if there was none.
	Validation *Validation `json:"validation,omitempty"`
}

// Finding is one thing that an API server rejects.
type Finding struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// The kinds of expressions.
const (
	KindRule              = "rule"
	KindMessageExpression = "messageExpression"
	KindExpression        = "expression"
)

// Expression reports one expression.
type Expression struct {
	// Kind is KindRule, KindMessageExpression or KindExpression.
	Kind string `json:"kind"`
	// Path is the place of the expression in the schema, such as
	// properties[spec].x-kubernetes-validations[0].rule, Place that in the data,
	// such as spec.rules[*]; both are empty for an expression without a schema.
	Path  string `json:"path,omitempty"`
	Place string `json:"place,omitempty"`
	// Source is the text of the expression.
	Source string `json:"source"`
	// Error says why the expression does not compile. Nothing else is known then.
	Error string `json:"error,omitempty"`
	// Estimate is what one evaluation costs.
	Estimate Range `json:"estimate"`
	// Evaluations are how often the expression is evaluated for one object.
	Evaluations Evaluations `json:"evaluations"`
	// Total is the number that is judged: the most that one evaluation costs times
	// the number of evaluations.
	Total uint64 `json:"total"`
	// Share is the share of Total in that of the schema, from 0 to 1.
	Share float64 `json:"share"`
	// Server is the server's verdict, Own that by the caller's limit.
	Server Verdict `json:"server"`
	Own    Verdict `json:"own"`
	// Root is the expression node by node.
	Root *Node `json:"root,omitempty"`
	// Bounds are the bounds of the schema that the estimate rests on.
	Bounds []Bound `json:"bounds,omitempty"`
	// Advice says which bounds to set or how far they may grow.
	Advice *Advice `json:"advice,omitempty"`
	// Sound is what an evaluation can really cost at most.
	Sound *Sound `json:"sound,omitempty"`
	// Actual is what it did cost, nil if it was not evaluated.
	Actual *Evaluation `json:"actual,omitempty"`
}

// Evaluations are how often an expression is evaluated for one object.
type Evaluations struct {
	// Count is the number of evaluations.
	Count uint64 `json:"count"`
	// Bounded tells whether Count is the product of the bounds of Chain. If it is
	// not, one of them is missing, and Count is how many values of at least MinSize
	// bytes, each with a comma, fit into a request of RequestSize bytes.
	Bounded     bool  `json:"bounded"`
	MinSize     int64 `json:"minSize"`
	RequestSize int64 `json:"requestSize"`
	// Chain are the lists and maps around the expression, the outermost first.
	Chain []Bound `json:"chain,omitempty"`
}

// Bound is what bounds the size of the values at a place of a schema.
type Bound struct {
	// Schema is the place in the schema, Data that in the data.
	Schema string `json:"schema"`
	Data   string `json:"data"`
	// Kind is declared, missing, fixed, implicit or none, as in package typesystem.
	Kind string `json:"kind"`
	// Keyword declares the bound, or could.
	Keyword string `json:"keyword,omitempty"`
	// Value is the value of the keyword, nil if it is missing.
	Value *int64 `json:"value,omitempty"`
	// Size is the size that estimates assume at most, PerUnit that for one unit of
	// the keyword: a code point counts as the 4 bytes that it may take.
	Size    uint64 `json:"size"`
	PerUnit int64  `json:"perUnit,omitempty"`
	// MinElement is the least number of bytes of an element of a list or map with a
	// comma, on which Size rests if the bound is missing.
	MinElement int64 `json:"minElement,omitempty"`
	// Note says what is odd about the value.
	Note string `json:"note,omitempty"`
}

// Span is a part of an expression: lines and columns from 1, columns in code
// points, the end exclusive. Start and End are offsets in code points.
type Span struct {
	Start     int `json:"start"`
	End       int `json:"end"`
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"endLine"`
	EndColumn int `json:"endColumn"`
}

// Node is one node of an expression. For the least as for the most, Total is Own
// and the sum of Times × Total over the parts.
type Node struct {
	ID int64 `json:"id"`
	// Kind, Role and Why are as in cost.Trace.
	Kind string `json:"kind"`
	// Name is the function, field, identifier or type.
	Name string `json:"name,omitempty"`
	// Overloads are what a call may turn out as.
	Overloads []string `json:"overloads,omitempty"`
	Role      string   `json:"role,omitempty"`
	Why       string   `json:"why,omitempty"`
	// At is the place in the source, Text what stands there.
	At   Span   `json:"at"`
	Text string `json:"text"`
	// Times is how often the node above counts this one, Count how often one
	// evaluation of the expression does at most.
	Times Range  `json:"times"`
	Count uint64 `json:"count"`
	Own   Range  `json:"own"`
	Total Range  `json:"total"`
	// Share is the share of Count × Total.Max in the estimate of the expression,
	// OwnShare that of Count × Own.Max.
	Share    float64 `json:"share"`
	OwnShare float64 `json:"ownShare"`
	// Operands are the sizes from which the node is priced, Result is the size of
	// its value, nil if nothing is known of it.
	Operands []Size `json:"operands,omitempty"`
	Result   *Size  `json:"result,omitempty"`
	// Actual is what the node cost in all evaluations, nil if there were none.
	Actual *NodeCost `json:"actual,omitempty"`
	Parts  []*Node   `json:"parts,omitempty"`
}

// Each calls f for the node and all below it, parents first.
func (n *Node) Each(f func(*Node)) {
	if n == nil {
		return
	}
	f(n)
	for _, p := range n.Parts {
		p.Each(f)
	}
}

// Size is a size that an estimate assumes.
type Size struct {
	// Operand is the index of the operand, 0 the target of a member function, and -1
	// for the range of a comprehension.
	Operand int `json:"operand"`
	// Element is true for the elements of the operand.
	Element bool  `json:"element,omitempty"`
	Size    Range `json:"size"`
	// Source is literal, declared, missing, scalar, computed or unknown: declared
	// Source is literal, scalar, computed, unknown or, if a schema was asked, the
	// kind of Bound. For a size that nothing is known of it is unknown.
	Source string `json:"source"`
	// Path is the path of the data in the expression.
	Path  string `json:"path,omitempty"`
	Bound *Bound `json:"bound,omitempty"`
}

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
	// Schema is the place in the schema, Data that in the data.
	Schema  string `json:"schema"`
	Data    string `json:"data"`
	Keyword string `json:"keyword"`
	// From is the value as it is, nil if it is missing, To the value to set.
	From *int64 `json:"from,omitempty"`
	To   int64  `json:"to"`
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
	// Max is the bound, Total that for all evaluations.
	Max   uint64 `json:"max,omitempty"`
	Total uint64 `json:"total,omitempty"`
	// Doubts are the places at which the estimate may be too low.
	Doubts []Doubt `json:"doubts,omitempty"`
}

// Doubt is a place at which an estimate may be too low.
type Doubt struct {
	At     Span   `json:"at"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// Evaluation is what an evaluation cost, or all evaluations of a rule for one
// object.
type Evaluation struct {
	Cost uint64 `json:"cost"`
	// Evaluations is the number of evaluations in a validation.
	Evaluations uint64 `json:"evaluations,omitempty"`
	// Result is the value of an expression of its own, Error why there is none.
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// NodeCost is what a node cost.
type NodeCost struct {
	// Units are the units of the node itself, Charges how often it cost any.
	Units   uint64 `json:"units"`
	Charges uint64 `json:"charges"`
	// Iterations is how often the body of a comprehension ran.
	Iterations uint64 `json:"iterations,omitempty"`
}

// Validation is what the rules spent on one object.
type Validation struct {
	Cost   uint64 `json:"cost"`
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
	// Evaluations is how often it was evaluated, Cost what that cost, Dearest what
	// the dearest evaluation cost and At where that was in the object.
	Evaluations uint64 `json:"evaluations"`
	Cost        uint64 `json:"cost"`
	Dearest     uint64 `json:"dearest"`
	At          string `json:"at"`
	// Nodes is what each node cost in all evaluations, by the id of the node.
	Nodes map[int64]NodeCost `json:"nodes,omitempty"`
}

// JSON is the report for tools. The names of fields are stable.
func (s *Schema) JSON() ([]byte, error) { return json.MarshalIndent(s, "", "  ") }

// JSON is the report for tools. The names of fields are stable.
func (x *Expression) JSON() ([]byte, error) { return json.MarshalIndent(x, "", "  ") }
