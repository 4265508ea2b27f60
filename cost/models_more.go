package cost

import (
	"strconv"

	"github.com/google/cel-go/common/types/ref"
)

// Computed is a size given by one formula before evaluation and another after
// it. Neither may panic, whatever the arguments: an argument of a call that
// failed may be an error.
func Computed(estimate func(operands []Operand) Range, runtime func(args []ref.Val, result ref.Val) uint64) Size {
	return Size{estimate: estimate, runtime: runtime}
}

// SizeOf is the size of a value as costs see it: what size() answers, and one
// for values that have no size, errors among them.
func SizeOf(v ref.Val) uint64 { return sizeOf(v) }

// Times is the product of two sizes.
func (s Size) Times(o Size) Size {
	return Size{
		estimate: func(operands []Operand) Range { return s.estimate(operands).Mul(o.estimate(operands)) },
		runtime: func(args []ref.Val, result ref.Val) uint64 {
			return mul(s.runtime(args, result), o.runtime(args, result))
		},
		text: joinText(productSign, s.text, o.text),
	}
}

// Linear is the price that cel-go's extension libraries give a call: base units
// for the call, and factor units for each unit of size. The estimate rounds the
// product up, the price of the evaluated call rounds it down.
func Linear(base uint64, factor float64, s Size) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate {
			return Estimate{Cost: s.estimate(operands).Scale(factor).Add(Exactly(base))}
		},
		Runtime: func(args []ref.Val, result ref.Val) uint64 {
			return add(truncate(float64(s.runtime(args, result))*factor), base)
		},
		Text: joinText(sumSign, strconv.FormatUint(base, 10), factorText(factor, s.text)),
	}
}

// Yields says that the result is as large as s.
func (m Model) Yields(s Size) Model { return m.Sized(s.estimate) }

// Faulting adds a fault to a model; see [Model.Fault].
func (m Model) Faulting(fault func(args []ref.Val) error) Model {
	m.Fault = fault
	return m
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
