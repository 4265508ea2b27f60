package library

import (
	"github.com/google/cel-go/checker"

	"github.com/kubecel/kubecel/cost"
)

// EstimateCall lets tests estimate a call with cel-go's nodes.
func EstimateCall(m cost.Model, sizes checker.CostEstimator, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	return estimator(m)(sizes, target, args)
}
