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
	// Min is in the range too.
	Min uint64 `json:"min"`
	// Max is in the range too.
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
	// Limit is the most that is allowed.
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

// Schema reports the rules of one version of a CRD.
type Schema struct {
	// Name is the name of the CRD, empty for a schema alone.
	Name string `json:"name,omitempty"`
	// Version is the name of the version, empty for a schema alone.
	Version string `json:"version,omitempty"`
	// Release is the release of the API server whose estimates these are.
	Release string `json:"release"`
	// Total is what all expressions together are estimated to cost.
	Total uint64 `json:"total"`
	// Server is the server's verdict on the total.
	Server Verdict `json:"server"`
	// Own is the verdict by the caller's limit.
	Own Verdict `json:"own"`
	// Accepted tells whether a server accepts the schema.
	Accepted bool `json:"accepted"`
	// Findings are a server's words if it does not.
	Findings []Finding `json:"findings"`
	// Advice says which bounds would bring the total under the caller's limit, nil if
	// it is within the limit.
	Advice *Advice `json:"advice,omitempty"`
	// Expressions are the rules and message expressions, the costliest first.
	Expressions []Expression `json:"expressions"`
	// Validation is what the rules spent on an object, nil if there was none.
	Validation *Validation `json:"validation,omitempty"`
	// Releases are the verdicts of all releases, the oldest first, empty if they were
	// not asked for.
	Releases []Release `json:"releases,omitempty"`
}

// Release is what one release of the API server says of a schema that is written
// to it.
type Release struct {
	// Release is the release, such as 1.31.
	Release string `json:"release"`
	// Accepted tells whether it accepts the schema.
	Accepted bool `json:"accepted"`
	// Total is what all expressions together are estimated to cost there, as far as
	// they compile.
	Total uint64 `json:"total"`
	// Findings are its words if it does not accept the schema.
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is one thing that an API server rejects.
type Finding struct {
	// Code is the class of the finding, one of the codes of package kubecel.
	Code string `json:"code"`
	// Path is the place in the CRD.
	Path string `json:"path"`
	// Message is what a server says.
	Message string `json:"message"`
}

// The kinds of expressions.
const (
	// KindRule is the expression of a rule.
	KindRule = "rule"
	// KindMessageExpression is the expression of the message of a rule.
	KindMessageExpression = "messageExpression"
	// KindExpression is an expression that belongs to no schema.
	KindExpression = "expression"
)

// Expression reports one expression.
type Expression struct {
	// Kind is KindRule, KindMessageExpression or KindExpression.
	Kind string `json:"kind"`
	// Path is the place of the expression in the schema, such as
	// properties[spec].x-kubernetes-validations[0].rule, empty for an expression
	// without a schema.
	Path string `json:"path,omitempty"`
	// Place is the place in the data, such as spec.rules[*]; empty for the root.
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
	// Server is the server's verdict.
	Server Verdict `json:"server"`
	// Own is the verdict by the caller's limit.
	Own Verdict `json:"own"`
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
	Bounded bool `json:"bounded"`
	// MinSize is the length in bytes of the shortest JSON of a value at the place.
	MinSize int64 `json:"minSize"`
	// RequestSize is the size in bytes of the largest request.
	RequestSize int64 `json:"requestSize"`
	// Chain are the lists and maps around the expression, the outermost first.
	Chain []Bound `json:"chain,omitempty"`
}

// Bound is what bounds the size of the values at a place of a schema.
type Bound struct {
	// Schema is the place in the schema, such as properties[spec].properties[rules].
	Schema string `json:"schema"`
	// Data is the place in the data, such as spec.rules.
	Data string `json:"data"`
	// Kind is declared, missing, fixed, implicit or none, as in package typesystem.
	Kind string `json:"kind"`
	// Keyword declares the bound, or could.
	Keyword string `json:"keyword,omitempty"`
	// Value is the value of the keyword, nil if it is missing.
	Value *int64 `json:"value,omitempty"`
	// Size is the size that estimates assume at most.
	Size uint64 `json:"size"`
	// PerUnit is the size of one unit of the keyword: a code point counts as the 4
	// bytes that it may take.
	PerUnit int64 `json:"perUnit,omitempty"`
	// MinElement is the least number of bytes of an element of a list or map with a
	// comma, on which Size rests if the bound is missing.
	MinElement int64 `json:"minElement,omitempty"`
	// Note says what is odd about the value.
	Note string `json:"note,omitempty"`
}

// JSON is the report for tools. The names of fields are stable.
func (s *Schema) JSON() ([]byte, error) { return json.Marshal(s) }

// JSON is the report for tools. The names of fields are stable.
func (x *Expression) JSON() ([]byte, error) { return json.Marshal(x) }
