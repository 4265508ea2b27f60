package cost

// Limits of evaluation, in cost units unless they say otherwise. The names of
// Kubernetes stand in parentheses. Source:
// staging/src/k8s.io/apiserver/pkg/apis/cel/config.go of Kubernetes v0.37.2.
const (
	// PerCallLimit is the most that one evaluation of an expression may cost
	// (PerCallLimit).
	PerCallLimit = 1_000_000
	// Budget is the most that all rules together may cost on one object, or all
	// expressions of one policy binding on one request (RuntimeCELCostBudget).
	Budget = 10_000_000
	// MaxRequestSizeBytes is the size of the largest request, in bytes. Estimates
	// assume it where a schema has no bound (MaxRequestSizeBytes).
	MaxRequestSizeBytes = 3 << 20
)

// Limits of estimates, in cost units. The names of Kubernetes stand in parentheses.
// Source: the package
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
// of Kubernetes v0.37.2, validation.go.
const (
	// EstimateLimit is the limit of one expression of a CRD: its estimate times the
	// number of places of an object where it can apply (StaticEstimatedCostLimit).
	EstimateLimit = 10_000_000
	// SchemaEstimateLimit is the limit of all expressions in one schema of a CRD
	// together (StaticEstimatedCRDCostLimit).
	SchemaEstimateLimit = 100_000_000
)
