// Package report says where the estimated cost of expressions comes from, and
// which bounds of a schema would change it.
//
// A [CRD] reports all rules of one version of a CRD. An [Expression] reports one rule,
// or any other expression. Package kubecel makes both. They are plain data:
//
//   - encoding/json writes them for tools. The names of fields are stable.
//   - [CRD.Text] and [Expression.Text] are for terminals.
//   - Package report/html makes a page of each.
//
// Costs are in cost units. All arithmetic saturates: math.MaxUint64 is a cost, a
// size or a number of evaluations without a bound.
package report

import (
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/release"
)

// Limits are the limits by which estimates are judged, in cost units. Zero stands for
// the limit of an API server.
type Limits struct {
	// Expression is the limit of one expression: its estimate times the number of its
	// evaluations.
	Expression uint64 `json:"expression"`
	// Schema is the limit of all expressions of a schema together.
	Schema uint64 `json:"schema"`
}

// Judgement compares an estimate with a limit.
type Judgement struct {
	// Limit is the most that is allowed.
	Limit uint64 `json:"limit"`
	// Within tells whether the estimate is within the limit.
	Within bool `json:"within"`
	// Message is what a server says of an estimate over the limit.
	Message string `json:"message,omitempty"`
}

// CRD reports the rules of one version of a CRD.
type CRD struct {
	// Name is the name of the CRD, empty for a schema alone.
	Name string `json:"name,omitempty"`
	// Version is the name of the version, empty for a schema alone.
	Version string `json:"version,omitempty"`
	// Outcome is the outcome of the release whose estimates these are.
	Outcome
	// Server judges the total by the limit of an API server.
	Server Judgement `json:"server"`
	// Caller judges the total by the limit of the caller, see kubecel.ReportLimits.
	Caller Judgement `json:"caller"`
	// Advice says which bounds would bring the total under the caller's limit. It is
	// nil if the total is within the limit.
	Advice *Advice `json:"advice,omitempty"`
	// Expressions are the rules and message expressions, the costliest first.
	Expressions []Expression `json:"expressions"`
	// Validation is what the rules spent on an object. It is nil if there was none.
	Validation *Validation `json:"validation,omitempty"`
	// Releases are the outcomes of all releases, the oldest first. It is empty unless
	// kubecel.EveryRelease asked for it.
	Releases []Outcome `json:"releases,omitempty"`
}

// Outcome is what one release of the API server says of a version of a CRD when the
// CRD is created.
type Outcome struct {
	// Release is the release.
	Release release.Release `json:"release"`
	// Accepted tells whether it accepts the schema.
	Accepted bool `json:"accepted"`
	// Total is the estimate of all expressions together, as far as they compile.
	Total uint64 `json:"total"`
	// Findings say why the release does not accept the schema.
	Findings []diag.Finding `json:"findings"`
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
	// properties[spec].x-kubernetes-validations[0].rule. It is empty for an expression
	// without a schema.
	Path string `json:"path,omitempty"`
	// Place is the place in the data, such as spec.rules[*]. It is empty for the root.
	Place string `json:"place,omitempty"`
	// Source is the text of the expression.
	Source string `json:"source"`
	// Error says why the expression does not compile. Nothing else is known then.
	Error string `json:"error,omitempty"`
	// Estimate is the least and the most that one evaluation costs.
	Estimate cost.Range `json:"estimate"`
	// Evaluations says how often the expression can be evaluated for one object.
	Evaluations Evaluations `json:"evaluations"`
	// Total is the number that is judged: the most that one evaluation costs, times the
	// number of evaluations.
	Total uint64 `json:"total"`
	// Share is the share of Total in that of the schema, from 0 to 1.
	Share float64 `json:"share"`
	// Server judges the total by the limit of an API server.
	Server Judgement `json:"server"`
	// Caller judges the total by the limit of the caller, see kubecel.ReportLimits.
	Caller Judgement `json:"caller"`
	// Root is the expression node by node.
	Root *Node `json:"root,omitempty"`
	// Bounds are the bounds of the schema behind the estimate.
	Bounds []cost.Bound `json:"bounds,omitempty"`
	// Advice says which bounds to set or how far they may grow.
	Advice *Advice `json:"advice,omitempty"`
	// Sound is the most that an evaluation can really cost.
	Sound *Sound `json:"sound,omitempty"`
	// Actual is what it did cost. It is nil if it was not evaluated.
	Actual *Evaluation `json:"actual,omitempty"`
}

// Evaluations says how often an expression can be evaluated for one object.
type Evaluations struct {
	// Count is the number of evaluations.
	Count uint64 `json:"count"`
	// Bounded tells whether Count is the product of the bounds of Chain. If not, a
	// bound is missing. Count is then how many values of MinSize bytes, each with a
	// comma, fit into a request of [cost.MaxRequestSizeBytes].
	Bounded bool `json:"bounded"`
	// MinSize is the length in bytes of the shortest JSON of a value at the place.
	MinSize int64 `json:"minSize"`
	// Chain are the lists and maps around the expression, the outermost first.
	Chain []cost.Bound `json:"chain,omitempty"`
}
