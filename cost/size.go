package cost

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Size is a formula for a size, in the unit of CEL's size().
type Size struct {
	estimate func(operands []Operand) Range
	runtime  func(args []ref.Val, result ref.Val) uint64
	// sized is runtime by the sizes of the first two arguments, nil if it depends on more.
	sized func(x, y uint64) uint64
	text  string
}

// Sized adds to a size how evaluation computes it of nothing but the sizes of the first
// two arguments. It must give what the formula for values gives.
func (s Size) Sized(size func(x, y uint64) uint64) Size {
	s.sized = size
	return s
}

// Computed is a size given by one formula before evaluation and another after
// it. Text is the size in words, see [Model.As]. An argument of a call that failed may be
// an error.
func Computed(text string, estimate func(operands []Operand) Range, runtime func(args []ref.Val, result ref.Val) uint64) Size {
	return Size{estimate: estimate, runtime: runtime, text: text}
}

// Arg is the size of the argument at index i. Index 0 is the receiver of a member
// function. If a call lacks the argument, the size is [Unbounded] before evaluation
// and one during it.
func Arg(i int) Size {
	return Size{
		estimate: func(operands []Operand) Range {
			if i >= len(operands) {
				return Unbounded()
			}
			return operands[i].Size()
		},
		runtime: func(args []ref.Val, _ ref.Val) uint64 {
			if i >= len(args) {
				return 1
			}
			return SizeOf(args[i])
		},
		text: "size(" + placeholder(i) + ")",
	}.Sized(ofTwo(i))
}

// ofTwo is one of two sizes, nil for any other.
func ofTwo(i int) func(x, y uint64) uint64 {
	switch i {
	case 0:
		return func(x, _ uint64) uint64 { return x }
	case 1:
		return func(_, y uint64) uint64 { return y }
	}
	return nil
}

// Between is a size that is only known as a range before evaluation, and is
// that of the argument at index i after it.
func Between(lo, hi uint64, i int) Size {
	return Size{
		estimate: func([]Operand) Range { return Range{Min: lo, Max: hi} },
		runtime:  Arg(i).runtime,
		text:     fmt.Sprintf("(%d to %d)", lo, hi),
	}
}

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

// plus adds n to a size.
func (s Size) plus(n uint64) Size {
	return Size{
		estimate: func(operands []Operand) Range { return s.estimate(operands).Add(Exactly(n)) },
		runtime:  func(args []ref.Val, result ref.Val) uint64 { return s.runtime(args, result) + n },
		sized:    mapSized(s.sized, func(size uint64) uint64 { return size + n }),
		text:     joinText(sumSign, s.text, strconv.FormatUint(n, 10)),
	}
}

// mapSized applies a function to what depends on sizes, if it does.
func mapSized(sized func(x, y uint64) uint64, f func(uint64) uint64) func(x, y uint64) uint64 {
	if sized == nil {
		return nil
	}
	return func(x, y uint64) uint64 { return f(sized(x, y)) }
}

// SizeOf is the size of a value from which costs are computed: what size() returns, and
// one for a value without a size, such as an error.
func SizeOf(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		// What Size answers, without a value on the heap to hold it.
		return uint64(utf8.RuneCountInString(string(v)))
	case types.Bytes:
		return uint64(len(v))
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return uint64(n)
		}
	}
	return 1
}
