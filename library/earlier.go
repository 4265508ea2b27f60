package library

import (
	"math"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// EarlierCost is a price that a release of the API server has changed.
type EarlierCost struct {
	// LastServer is the last release with the price.
	LastServer release.Release
	// Cost is the price, as that of an Overload.
	Cost cost.Model
}

// CostOn is the price on an API server of a release.
func (o Overload) CostOn(server release.Release) cost.Model {
	for _, e := range o.Earlier {
		if !server.After(e.LastServer) {
			return e.Cost
		}
	}
	return o.Cost
}

// until says what an overload cost until a release.
func (o Overload) until(last release.Release, price cost.Model) Overload {
	o.Earlier = []EarlierCost{{last, price}}
	return o
}

// equalSince is the first release that prices == of the types of Kubernetes. Older
// ones estimate them as values of any size, and charge the size that the value has.
func equalSince() release.Release { return release.Minor(32) }

// unpricedQuantities is the price of parsing a quantity before 1.30.
func unpricedQuantities() []EarlierCost {
	return []EarlierCost{{release.Minor(29), cost.Fixed(1)}}
}

// wrappingFlatten is the price of list.flatten(depth) as it is evaluated with a
// product of size and depth that wraps around if it is negative.
func wrappingFlatten(args []ref.Val, _ ref.Val) uint64 {
	depth := 1.0
	if len(args) == 2 {
		if n, ok := args[1].(types.Int); ok {
			depth = float64(n)
		}
	}
	product := float64(cost.SizeOf(args[0])) * depth
	if product < 0 && product >= math.MinInt64 {
		return newListCost - uint64(-product)
	}
	if product < 0 {
		return newListCost + 1<<63 // what amd64 makes of it
	}
	return cost.Linear(newListCost, depth, cost.Arg(0)).Runtime(args, nil)
}
