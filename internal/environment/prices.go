package environment

import (
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// Prices returns the cost models that a library has on an API server of a
// release, whether or not that has the library.
func Prices(l library.Library, server release.Release) pricing.Prices {
	p := pricing.Prices{
		Overloads: map[string]cost.Model{},
		Functions: map[string]cost.Model{},
		Equality:  map[string]cost.Model{},
	}
	for _, t := range l.Types {
		if !t.EqualCost.IsZero() && !server.Before(t.EqualSince) {
			p.Equality[t.CEL.TypeName()] = t.EqualCost
		}
	}
	for _, f := range l.Functions {
		dynamic := f.DynamicCost
		for _, o := range f.Overloads {
			price := o.CostOn(server)
			p.Overloads[o.ID] = price
			if dynamic.IsZero() {
				dynamic = price
			}
		}
		p.Functions[f.Name] = dynamic
	}
	return p
}
