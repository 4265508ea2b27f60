package pricing

import (
	"fmt"

	"github.com/kubecel/kubecel/cost"
)

// Repeated is the cost of several evaluations, in saturating arithmetic.
func Repeated(units, times uint64) uint64 { return cost.Exactly(units).Mul(cost.Exactly(times)).Max }

// Accumulated adds a cost to a total, in saturating arithmetic.
func Accumulated(total, units uint64) uint64 { return cost.Exactly(total).Add(cost.Exactly(units)).Max }

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
