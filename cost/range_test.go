package cost

import (
	"math"
	"testing"

	"github.com/google/cel-go/checker"
)

var numbers = []uint64{
	0, 1, 2, 3, 9, 10, 11, 255, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<62 + 3, 1<<63 - 1, 1 << 63,
	math.MaxUint64/10 - 1, math.MaxUint64 / 10, math.MaxUint64/10 + 1, math.MaxUint64 / 3, math.MaxUint64/3 + 2000, math.MaxUint64 - 1, math.MaxUint64,
}

var factors = []float64{
	0, 0.1, 0.2, 0.25, 0.5, 1, 1.5, 2, 2.1, 3, 10, 32, 50, 1 << 52, 1 << 63, 1e300,
	math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1),
}

func checkRange(t *testing.T, a, b Range, factor float64) {
	t.Helper()
	cost, size := checker.CostEstimate(a), checker.SizeEstimate(a)
	for _, c := range []struct {
		name string
		got  Range
		want checker.CostEstimate
	}{
		{"Add", a.Add(b), cost.Add(checker.CostEstimate(b))},
		{"Add of sizes", a.Add(b), checker.CostEstimate(size.Add(checker.SizeEstimate(b)))},
		{"Mul", a.Mul(b), cost.Multiply(checker.CostEstimate(b))},
		{"Mul of sizes", a.Mul(b), checker.CostEstimate(size.Multiply(checker.SizeEstimate(b)))},
		{"Mul of size and cost", a.Mul(b), size.MultiplyByCost(checker.CostEstimate(b))},
		{"Union", a.Union(b), cost.Union(checker.CostEstimate(b))},
		{"Scale", a.Scale(factor), cost.MultiplyByCostFactor(factor)},
		{"Scale of size", a.Scale(factor), size.MultiplyByCostFactor(factor)},
	} {
		if c.got != Range(c.want) {
			t.Errorf("%s of %v, %v and %v: %v, want %v", c.name, a, b, factor, c.got, c.want)
		}
	}
}

func TestRangeEqualsReference(t *testing.T) {
	for _, x := range numbers {
		for _, y := range numbers {
			for _, factor := range factors {
				checkRange(t, Range{x, y}, Range{y, x}, factor)
			}
			// What a float64 rounds to the limit of this factor.
			checkRange(t, Range{x, x + 1}, Range{y, y}, float64(1<<64)/float64(max(x, 1)))
		}
	}
}

func FuzzRange(f *testing.F) {
	for i, x := range numbers {
		f.Add(x, numbers[len(numbers)-1-i], x, x+1, factors[i%len(factors)])
	}
	f.Fuzz(func(t *testing.T, a, b, c, d uint64, factor float64) {
		checkRange(t, Range{a, b}, Range{c, d}, factor)
	})
}
