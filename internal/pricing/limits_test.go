package pricing

import (
	"math"
	"testing"

	"github.com/kubecel/kubecel/cost"
)

// The factors are what an API server prints for these costs; the rounding just
// below a limit is its own.
func TestExceedsMessage(t *testing.T) {
	const advice = " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
	for _, c := range []struct {
		cost, limit uint64
		factor      string
	}{
		{10_000_001, cost.EstimateLimit, "1.000000x"},
		{10_000_010, cost.EstimateLimit, "1.000001x"},
		{14_999_999, cost.EstimateLimit, "1.500000x"},
		{15_000_000, cost.EstimateLimit, "1.5x"},
		{20_400_000, cost.EstimateLimit, "2.0x"},
		{1_000_000_000, cost.EstimateLimit, "100.0x"},
		{1_000_000_001, cost.EstimateLimit, "more than 100x"},
		{math.MaxUint64, cost.SchemaEstimateLimit, "more than 100x"},
		{1, 0, "more than 100x"},
	} {
		want := "estimated rule cost exceeds budget by factor of " + c.factor + advice
		if got := ExceedsMessage("estimated rule cost", c.cost, c.limit); got != want {
			t.Errorf("%d of %d: %q, want %q", c.cost, c.limit, got, want)
		}
	}
}

func TestSaturation(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct{ got, want uint64 }{
		{Repeated(0, most), 0},
		{Repeated(most, 0), 0},
		{Repeated(3, 7), 21},
		{Repeated(most, 1), most},
		{Repeated(1<<32, 1<<32), most},
		{Repeated(1<<32, 1<<31), 1 << 63},
		{Accumulated(most-1, 1), most},
		{Accumulated(most-1, 2), most},
		{Accumulated(3, 4), 7},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
}
