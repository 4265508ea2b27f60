package environment

import (
	celast "github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
)

// Explain keeps a checked expression of the scope for a report.
func (s *Scope) Explain(checked *celast.AST) crd.Explainer {
	return explainer{release: s.env.server.Release, prices: s.env.prices, checked: checked}
}

type explainer struct {
	release release.Release
	prices  *pricing.Table
	checked *celast.AST
}

func (e explainer) Release() release.Release { return e.release }

func (e explainer) Checked() *celast.AST { return e.checked }

func (e explainer) Estimate(sizes pricing.Sizer) (cost.Range, error) {
	return e.prices.Estimate(e.checked, sizes)
}

func (e explainer) Trace(sizes pricing.Sizer, bounds pricing.Bounds) (*report.Node, error) {
	return e.prices.Trace(e.checked, sizes, bounds)
}

func (e explainer) TraceSound(sizes pricing.Sizer) (*report.Node, []pricing.Doubt, error) {
	return e.prices.TraceSound(e.checked, sizes)
}

// Sizes is what estimates of the scope take the sizes of variables from.
func (s *Scope) Sizes() pricing.Sizer { return s.sizes }
