package cost

// Limits of evaluation, in cost units where nothing else is said. Source:
// staging/src/k8s.io/apiserver/pkg/apis/cel/config.go of Kubernetes v0.37.2.
const (
	// PerCallLimit ends a single evaluation of an expression that costs more
	// (PerCallLimit).
	PerCallLimit = 1_000_000
	// Budget is what all rules together may spend on one object, or all
	// expressions of one policy binding on one request (RuntimeCELCostBudget).
	Budget = 10_000_000
	// MaxRequestSizeBytes is the size of the largest request, in bytes, on which
	// estimates rest where a schema sets no bound (MaxRequestSizeBytes).
	MaxRequestSizeBytes = 3 << 20
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
