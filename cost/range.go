package cost

import "math"

// Range is an inclusive range of sizes or of cost units. Its arithmetic
// saturates at math.MaxUint64 instead of overflowing, as the estimates of an
// API server do.
type Range struct {
	// Min is the least number in the range.
	Min uint64 `json:"min"`
	// Max is the greatest.
	Max uint64 `json:"max"`
}

// Exactly returns the range that holds only n.
func Exactly(n uint64) Range { return Range{Min: n, Max: n} }

// Unbounded returns the range of a size or cost of which nothing is known.
func Unbounded() Range { return Range{Max: math.MaxUint64} }

// Add returns the range of the sum of two numbers.
func (r Range) Add(o Range) Range {
	return Range{Min: add(r.Min, o.Min), Max: add(r.Max, o.Max)}
}

// Mul returns the range of the product of two numbers.
func (r Range) Mul(o Range) Range {
	return Range{Min: mul(r.Min, o.Min), Max: mul(r.Max, o.Max)}
}

// Scale multiplies by a factor and rounds both ends up to whole numbers.
func (r Range) Scale(factor float64) Range {
	return Range{Min: scale(r.Min, factor), Max: scale(r.Max, factor)}
}

// Union returns the smallest range that holds both.
func (r Range) Union(o Range) Range {
	return Range{Min: min(r.Min, o.Min), Max: max(r.Max, o.Max)}
}

func add(x, y uint64) uint64 {
	if x > math.MaxUint64-y {
		return math.MaxUint64
	}
	return x + y
}

func mul(x, y uint64) uint64 {
	if y != 0 && x > math.MaxUint64/y {
		return math.MaxUint64
	}
	return x * y
}

// twoTo64 is the smallest float64 that no uint64 can hold.
const twoTo64 = float64(1 << 64)

func scale(x uint64, factor float64) uint64 {
	up := math.Ceil(float64(x) * factor)
	if up >= twoTo64 {
		return math.MaxUint64
	}
	return uint64(up)
}

// truncate rounds towards zero. Negative numbers become zero. What is too large
// becomes 1<<63, as in an API server on amd64: this price is far beyond any limit.
func truncate(x float64) uint64 {
	switch {
	case x >= twoTo64:
		return 1 << 63
	case x > 0:
		return uint64(x)
	}
	return 0
}
