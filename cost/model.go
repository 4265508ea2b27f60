package cost

import (
	"slices"
	"strconv"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

const (
	// StringFactor is the price of reading one character or byte, in cost units.
	StringFactor = 0.1
	// regexFactor is the price of one character of a regular expression. It rests
	// on the guess that one step of the expression takes four characters.
	regexFactor = 0.25
)

// Operand is what is known, before evaluation, of one operand of a call.
type Operand interface {
	// Size is the range of the operand's size, in the unit of CEL's size(). It follows
	// from the expression or from the bounds of the data. Otherwise it is
	// [Unbounded].
	Size() Range
	// Known is the size that is derived from the expression. It is false if there
	// is none, and for an element (see Elem).
	Known() (Range, bool)
	// Elem is an element of a list or a key of a map. It is nil for an operand
	// whose static type has no parameters.
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
	// Result is the size of the result. It is nil if nothing is known of it.
	Result *Range
}

// Model prices the calls of one overload. Its functions get the receiver of a
// member function as the first argument. If one of them is nil, an earlier model of
// the overload or function gives that price. If there is none, it is one unit.
type Model struct {
	// Estimate prices a call before evaluation.
	Estimate func(operands []Operand) Estimate
	// Runtime prices a call that was evaluated, in cost units. If it panics, the
	// evaluation ends with an internal error, as in an API server.
	Runtime func(args []ref.Val, result ref.Val) uint64
	// Doubt, if set, says why a call with operands of these static types may cost
	// more than its estimate. It returns an empty string if it may not.
	Doubt func(operands []*types.Type) string
	// sized is Runtime by the sizes of the first two arguments, nil if it depends on more.
	sized func(x, y uint64) uint64
	text  string
}

// Sized is Runtime by the sizes of the first two arguments of a call, as [SizeOf] has them;
// that of an argument that is not there is one. It is nil if the price depends on more.
func (m Model) Sized() func(x, y uint64) uint64 { return m.sized }

// Fixed is the price of a call that always costs n units.
func Fixed(n uint64) Model {
	return Model{
		Estimate: func([]Operand) Estimate { return Estimate{Cost: Exactly(n)} },
		Runtime:  func([]ref.Val, ref.Val) uint64 { return n },
		sized:    func(x, y uint64) uint64 { return n },
		text:     strconv.FormatUint(n, 10),
	}
}

// Split takes the estimate from one model, and the price of the evaluated call from
// another. Say in a comment why the two differ.
func Split(estimate, runtime Model) Model {
	text := runtime.text
	if estimate.text != text && estimate.text != "" && text != "" {
		text = "estimate " + estimate.text + ", evaluation " + text
	}
	return Model{
		Estimate: estimate.Estimate, Runtime: runtime.Runtime, Doubt: estimate.Doubt,
		sized: runtime.sized, text: text,
	}
}

// Scaled charges factor units for each unit of size, rounded up.
func Scaled(s Size, factor float64) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate { return Estimate{Cost: s.estimate(operands).Scale(factor)} },
		Runtime: func(args []ref.Val, result ref.Val) uint64 {
			return scale(s.runtime(args, result), factor)
		},
		sized: mapSized(s.sized, func(size uint64) uint64 { return scale(size, factor) }),
		text:  factorText(factor, s.text),
	}
}

// Scan is the price of reading a string once.
func Scan(s Size) Model { return Scaled(s, StringFactor) }

// Regex is the price of matching a string against a pattern: a tenth of a unit for
// each character of the string and one more, times a quarter of a unit for each
// character of the pattern.
func Regex(str, pattern Size) Model {
	return Product(Scan(str.plus(1)), Scaled(pattern, regexFactor))
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
		sized: mapSized(s.sized, func(size uint64) uint64 { return add(truncate(float64(size)*factor), base) }),
		text:  joinText(sumSign, strconv.FormatUint(base, 10), factorText(factor, s.text)),
	}
}

// Sum adds the prices of its parts. It says nothing of the result's size.
func Sum(parts ...Model) Model { return combine(0, sumSign, parts, Range.Add, add) }

// Product multiplies the prices of its parts. It says nothing of the result's
// size.
func Product(parts ...Model) Model { return combine(1, productSign, parts, Range.Mul, mul) }

// combine folds the prices of the parts, beginning with the neutral element.
func combine(neutral uint64, sign string, parts []Model, estimate func(Range, Range) Range, runtime func(x, y uint64) uint64) Model {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
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
		sized: combineSized(neutral, parts, runtime),
		text:  joinText(sign, texts...),
	}
}

func combineSized(neutral uint64, parts []Model, combine func(x, y uint64) uint64) func(x, y uint64) uint64 {
	if slices.ContainsFunc(parts, func(p Model) bool { return p.sized == nil }) {
		return nil
	}
	return func(x, y uint64) uint64 {
		total := neutral
		for _, p := range parts {
			total = combine(total, p.sized(x, y))
		}
		return total
	}
}

// Yields adds to the estimate of a model that the result has the size s.
func (m Model) Yields(s Size) Model {
	estimate := m.Estimate
	m.Estimate = func(operands []Operand) Estimate {
		e := estimate(operands)
		size := s.estimate(operands)
		e.Result = &size
		return e
	}
	return m
}

// Doubted adds to a model why every call may cost more than its estimate; see
// [Model].
func (m Model) Doubted(reason string) Model {
	m.Doubt = func([]*types.Type) string { return reason }
	return m
}

// IsZero tells whether a model prices nothing.
func (m Model) IsZero() bool { return m.Estimate == nil && m.Runtime == nil }
