package cost

import (
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Standard returns the prices of CEL's standard functions, as cel-go v0.29.2
// and with it Kubernetes 1.37 has them. A function that is not among them costs
// one unit. What depends on the structure of the expression instead of the
// operands' sizes alone (&&, ||, ?:, indexing, dyn(), comprehensions) belongs to
// the estimator.
func Standard() Prices {
	prices := Prices{Overloads: map[string]Model{}}
	for _, entry := range []struct {
		ids   []string
		model Model
	}{
		{[]string{overloads.StartsWithString, overloads.EndsWithString}, Scan(derived(1))},
		{[]string{overloads.StringToBytes}, Scan(derived(0)).Sized(encoded)},
		{[]string{overloads.BytesToString}, Scan(derived(0)).Sized(decoded)},
		{[]string{overloads.ExtQuoteString}, Scan(derived(0)).Sized(quoted)},
		{[]string{overloads.ExtFormatString}, Scan(derived(0))},
		{[]string{overloads.InList}, Scaled(derived(1), 1)},
		{[]string{overloads.Matches, overloads.MatchesString}, Regex(derived(0), derived(1))},
		{[]string{overloads.ContainsString}, Product(Scan(derived(0)), Scan(derived(1)))},
		{[]string{overloads.AddString, overloads.AddBytes}, Scan(together()).Sized(together().estimate)},
		// Concatenation shares both lists instead of copying them.
		{[]string{overloads.AddList}, Fixed(1).Sized(together().estimate)},
		{[]string{
			overloads.Equals, overloads.NotEquals,
			overloads.LessString, overloads.LessEqualsString, overloads.GreaterString, overloads.GreaterEqualsString,
			overloads.LessBytes, overloads.LessEqualsBytes, overloads.GreaterBytes, overloads.GreaterEqualsBytes,
		}, Scan(shorter())},
	} {
		for _, id := range entry.ids {
			prices.Overloads[id] = entry.model
		}
	}
	return prices
}

// derived is the size of the argument at index i as cel-go itself takes it:
// before evaluation only what the estimator derived, during evaluation that of
// an optional's value instead of the optional's own.
func derived(i int) Size {
	return argument(i,
		func(o Operand) Range {
			if size, ok := o.Known(); ok {
				return size
			}
			return Unbounded()
		},
		func(v ref.Val) uint64 {
			for {
				opt, ok := v.(*types.Optional)
				if !ok || !opt.HasValue() {
					return sizeOf(v)
				}
				v = opt.GetValue()
			}
		})
}

// together is the size of two operands.
func together() Size {
	x, y := derived(0), derived(1)
	return Size{
		estimate: func(operands []Operand) Range { return x.estimate(operands).Add(y.estimate(operands)) },
		runtime: func(args []ref.Val, result ref.Val) uint64 {
			return x.runtime(args, result) + y.runtime(args, result)
		},
		text: joinText(sumSign, x.text, y.text),
	}
}

// shorter is the size of the shorter of two operands, at least one before
// evaluation unless one of them is surely empty.
func shorter() Size {
	x, y := derived(0), derived(1)
	return Size{
		estimate: func(operands []Operand) Range {
			most := min(x.estimate(operands).Max, y.estimate(operands).Max)
			return Range{Min: min(most, 1), Max: most}
		},
		runtime: func(args []ref.Val, result ref.Val) uint64 {
			return min(x.runtime(args, result), y.runtime(args, result))
		},
		text: "min(" + x.text + ", " + y.text + ")",
	}
}

// The following sizes of results wrap around where an operand is unbounded, as
// those of an API server do: an unbounded string, quoted, has from 2 to 0
// characters.

// encoded is the size of a string as bytes: up to four for a character.
func encoded(operands []Operand) Range {
	size := derived(0).estimate(operands)
	return Range{Min: size.Min, Max: size.Max * 4}
}

// decoded is the size of bytes as a string.
func decoded(operands []Operand) Range {
	size := derived(0).estimate(operands)
	return Range{Min: size.Min / 4, Max: size.Max}
}

// quoted is the size of a string with every character escaped and two quotation
// marks around it.
func quoted(operands []Operand) Range {
	size := derived(0).estimate(operands)
	return Range{Min: size.Min + 2, Max: size.Max*2 + 2}
}
