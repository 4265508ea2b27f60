package cost

import "fmt"

// Limits of evaluation, in cost units where nothing else is said. Source:
// staging/src/k8s.io/apiserver/pkg/apis/cel/config.go of Kubernetes v0.37.2.
const (
	// PerCallLimit ends a single evaluation of an expression that costs more
	// (PerCallLimit).
	PerCallLimit = 1_000_000
	// Budget is what all rules together may spend on one object, or all
	// expressions of one policy binding on one request (RuntimeCELCostBudget).
	Budget = 10_000_000
	// MatchConditionsBudget is what all match conditions of one webhook
	// configuration or policy binding may spend on one request
	// (RuntimeCELCostBudgetMatchConditions).
	MatchConditionsBudget = 2_500_000
	// InterruptFrequency is the number of iterations of a comprehension after
	// which a cancelled context is noticed (CheckFrequency).
	InterruptFrequency = 100
	// MaxRequestSizeBytes is the size of the largest request, in bytes, on which
	// estimates rest where a schema sets no bound (MaxRequestSizeBytes).
	MaxRequestSizeBytes = 3 << 20
	// MaxMessageSizeBytes is the size of the largest result of a
	// messageExpression, in bytes (MaxEvaluatedMessageExpressionSizeBytes).
	MaxMessageSizeBytes = 5 << 10
)

// Limits of estimates, in cost units. Source: the package
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
// of Kubernetes v0.37.2, validation.go.
const (
	// EstimateLimit is the most that one expression of a CRD may be estimated
	// at, all its repetitions in an object included (StaticEstimatedCostLimit).
	EstimateLimit = 10_000_000
	// SchemaEstimateLimit is the most that all expressions in one schema of a
	// CRD may be estimated at (StaticEstimatedCRDCostLimit).
	SchemaEstimateLimit = 100_000_000
)

// Repeated is the cost of an expression that is evaluated cardinality times,
// math.MaxUint64 if it is greater than that.
func Repeated(cost, cardinality uint64) uint64 { return mul(cost, cardinality) }

// Accumulated adds a cost to a total, math.MaxUint64 if the sum is greater than
// that.
func Accumulated(total, cost uint64) uint64 { return add(total, cost) }

// MaxCardinality is how often a value whose JSON takes at least minSize bytes
// can occur in one request, a comma between each two of them. A negative size
// counts as none.
func MaxCardinality(minSize int64) uint64 {
	if minSize >= MaxRequestSizeBytes {
		return 0
	}
	return uint64(MaxRequestSizeBytes / (max(minSize, 0) + 1))
}

// ExceedsMessage is the text by which an API server rejects an estimated cost
// that is over its limit. Name says what costs too much.
func ExceedsMessage(name string, cost, limit uint64) string {
	ratio := float64(cost) / float64(limit)
	factor := fmt.Sprintf("%.1fx", ratio)
	switch {
	case ratio > 100:
		factor = "more than 100x"
	case ratio < 1.5:
		// One digit could read "1.0x".
		factor = fmt.Sprintf("%fx", ratio)
	}
	return name + " exceeds budget by factor of " + factor +
		" (try simplifying the rule, or adding maxItems, maxProperties, and maxLength" +
		" where arrays, maps, and strings are declared)"
}
