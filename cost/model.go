package cost

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Factors of the cost model, in cost units per unit of size.
const (
	// StringFactor is the cost of traversing one character or byte.
	StringFactor = 0.1
	// RegexFactor is the cost of one character of a regular expression, on the
	// guess that an expression in it takes four characters.
	RegexFactor = 0.25
)

// Operand is what is known, before evaluation, of one operand of a call.
type Operand interface {
	// Size is the range of the operand's size, in the unit of CEL's size():
	// what the estimator derived, else what the Sizer declares for the
	// operand's path, else Unbounded.
	Size() Range
	// Known is the size that the estimator derived from the expression, false
	// if it could derive none. An element (see Elem) has no derived size.
	Known() (Range, bool)
	// Elem is an element of an operand whose static type has parameters (the
	// element of a list, the key of a map), and nil for any other.
	Elem() Operand
	// Type is the static type.
	Type() *types.Type
	// Literal is the value of a literal, and nil for anything else.
	Literal() ref.Val
}

// Estimate is what a call may cost, and how large its result may be.
type Estimate struct {
	// Cost is the cost in cost units.
	Cost Range
	// Result is the size of the result, nil if nothing is known of it.
	Result *Range
}

// Model prices the calls of one overload. Both functions get the receiver of a
// member function as the first argument. A nil function leaves the price to the
// next source, in the end to the fixed price of one unit.
type Model struct {
	// Estimate prices a call before evaluation.
	Estimate func(operands []Operand) Estimate
	// Runtime prices a call that was evaluated.
	Runtime func(args []ref.Val, result ref.Val) uint64
	// Fault, if set, is asked before Runtime. Its error ends the evaluation in
	// place of whatever the call gave. An API server has no such thing by
	// intent: some of its formulas fail on arguments that are errors.
	Fault func(args []ref.Val) error
	// Text is the price in words; see [Model.Formula].
	Text string
}

// Fixed is the price of a call that costs n units whatever its operands.
func Fixed(n uint64) Model {
	return Model{
		Estimate: func([]Operand) Estimate { return Estimate{Cost: Exactly(n)} },
		Runtime:  func([]ref.Val, ref.Val) uint64 { return n },
		Text:     strconv.FormatUint(n, 10),
	}
}

// Split takes the estimate from one model and the runtime price from another.
// Every use says in a comment why the two differ.
func Split(estimate, runtime Model) Model {
	return Model{
		Estimate: estimate.Estimate, Runtime: runtime.Runtime, Fault: runtime.Fault,
		Text: splitText(estimate.Text, runtime.Text),
	}
}

// Size is a formula for a size, the same before and after evaluation.
type Size struct {
	estimate func(operands []Operand) Range
	runtime  func(args []ref.Val, result ref.Val) uint64
	text     string
}

// Arg is the size of the argument at index i; index 0 is the receiver of a
// member function. The size of an argument that a call lacks is Unbounded, and
// one during evaluation.
func Arg(i int) Size {
	return argument(i, Operand.Size, sizeOf)
}

func argument(i int, estimate func(Operand) Range, runtime func(ref.Val) uint64) Size {
	return Size{
		estimate: func(operands []Operand) Range {
			if i >= len(operands) {
				return Unbounded()
			}
			return estimate(operands[i])
		},
		runtime: func(args []ref.Val, _ ref.Val) uint64 {
			if i >= len(args) {
				return 1
			}
			return runtime(args[i])
		},
		text: sizeText(i),
	}
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

// Plus adds n to a size.
func (s Size) Plus(n uint64) Size {
	return Size{
		estimate: func(operands []Operand) Range { return s.estimate(operands).Add(Exactly(n)) },
		runtime:  func(args []ref.Val, result ref.Val) uint64 { return s.runtime(args, result) + n },
		text:     joinText(sumSign, s.text, strconv.FormatUint(n, 10)),
	}
}

// Scaled charges factor units for each unit of size, rounded up.
func Scaled(s Size, factor float64) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate { return Estimate{Cost: s.estimate(operands).Scale(factor)} },
		Runtime: func(args []ref.Val, result ref.Val) uint64 {
			return scale(s.runtime(args, result), factor)
		},
		Text: factorText(factor, s.text),
	}
}

// Scan is the price of reading a string once.
func Scan(s Size) Model { return Scaled(s, StringFactor) }

// Regex is the price of matching a string against a pattern: the product of
// their lengths. The empty string counts as one character.
func Regex(str, pattern Size) Model {
	return Product(Scan(str.Plus(1)), Scaled(pattern, RegexFactor))
}

// Sum adds the prices of its parts. It says nothing of the result's size.
func Sum(parts ...Model) Model {
	return combine(0, parts, Range.Add, add).As(joinText(sumSign, texts(parts)...))
}

// Product multiplies the prices of its parts. It says nothing of the result's
// size.
func Product(parts ...Model) Model {
	return combine(1, parts, Range.Mul, mul).As(joinText(productSign, texts(parts)...))
}

// combine folds the prices of the parts, beginning with the neutral element.
func combine(neutral uint64, parts []Model, estimate func(Range, Range) Range, runtime func(x, y uint64) uint64) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate {
			total := Exactly(neutral)
			for _, p := range parts {
				total = estimate(total, p.Estimate(operands).Cost)
			}
			return Estimate{Cost: total}
		},
		Runtime: func(args []ref.Val, result ref.Val) uint64 {
			total := neutral
			for _, p := range parts {
				total = runtime(total, p.Runtime(args, result))
			}
			return total
		},
	}
}

// Sized adds the size of the result to the estimate of a model.
func (m Model) Sized(result func(operands []Operand) Range) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate {
			e := m.Estimate(operands)
			size := result(operands)
			e.Result = &size
			return e
		},
		Runtime: m.Runtime,
		Fault:   m.Fault,
		Text:    m.Text,
	}
}

// SameSize says that the result is as large as the argument at index i.
func (m Model) SameSize(i int) Model {
	return m.Sized(Arg(i).estimate)
}

// sizeOf is the size of a value in cost units: what size() answers, and one
// for values that have no size.
func sizeOf(v ref.Val) uint64 {
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
