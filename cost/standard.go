package cost

import (
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/kubecel/kubecel/release"
)

// Standard returns the prices of CEL's standard functions in the newest release,
// as [StandardOf] does.
func Standard() Prices { return StandardOf(release.Newest()) }

// StandardOf returns the prices of CEL's standard functions on an API server of
// a release, which are those of the cel-go that it is built with. A
// table of these prices also estimates the structure of an expression (&&, ||,
// ?:, indexing, dyn(), comprehensions) as that release does. A function that is
// not among the prices costs one unit.
func StandardOf(r release.Release) Prices {
	prices := Prices{Overloads: map[string]Model{}, rules: rulesOf(r)}
	arg := derived
	if r.Before(sizedOptionals) {
		arg = derivedBefore
	}
	for _, p := range standardPrices(arg) {
		if r.Before(p.since) || !p.until.IsZero() && r.After(p.until) {
			continue
		}
		for _, id := range p.ids {
			prices.Overloads[id] = p.model
		}
	}
	return prices
}

// standardPrice is the price of a few overloads.
type standardPrice struct {
	ids   []string
	model Model
	// since and until are the first and the last release with the price; zero is no
	// bound.
	since, until release.Release
}

// standardPrices are the prices by release. Arg is the size of an argument.
func standardPrices(arg func(i int) Size) []standardPrice {
	x, y := arg(0), arg(1)
	ends := []string{overloads.StartsWithString, overloads.EndsWithString}
	in, matches := []string{overloads.InList}, []string{overloads.Matches}
	return []standardPrice{
		{ids: ends, model: Scan(y), since: release.Minor(37)},
		// Evaluation charged the receiver, though as much is read as the argument has.
		{ids: ends, model: Split(Scan(y), Scan(x)), until: release.Minor(36)},
		{ids: []string{overloads.StringToBytes}, model: Scan(x).Sized(encoded)},
		{ids: []string{overloads.BytesToString}, model: Scan(x).Sized(decoded)},
		{ids: []string{overloads.ExtQuoteString}, model: Scan(x).Sized(quoted)},
		{ids: []string{overloads.ExtFormatString}, model: Scan(x)},
		{ids: in, model: Scaled(y, 1), since: release.Minor(29)},
		{ids: in, model: overflowing(Scaled(y, 1)), until: release.Minor(28)},
		{ids: []string{overloads.MatchesString}, model: Regex(x, y)},
		{ids: matches, model: Regex(x, y), since: release.Minor(37)},
		// Only the member function had a price.
		{ids: matches, model: Fixed(1), until: release.Minor(36)},
		{ids: []string{overloads.ContainsString}, model: Product(Scan(x), Scan(y))},
		{ids: []string{overloads.AddString, overloads.AddBytes}, model: Scan(together(x, y)).Sized(together(x, y).estimate)},
		// Concatenation shares both lists instead of copying them.
		{ids: []string{overloads.AddList}, model: Fixed(1).Sized(together(x, y).estimate)},
		{ids: []string{
			overloads.Equals, overloads.NotEquals,
			overloads.LessString, overloads.LessEqualsString, overloads.GreaterString, overloads.GreaterEqualsString,
			overloads.LessBytes, overloads.LessEqualsBytes, overloads.GreaterBytes, overloads.GreaterEqualsBytes,
		}, model: Scan(shorter(x, y))},
	}
}

// overflowing is the estimate of cel-go 0.16, which converts a price that is too
// large for an integer as amd64 does.
func overflowing(m Model) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate {
			e := m.Estimate(operands)
			for _, end := range []*uint64{&e.Cost.Min, &e.Cost.Max} {
				if float64(*end) >= twoTo64 {
					*end = 1 << 63
				}
			}
			return e
		},
		Runtime: m.Runtime,
		Text:    m.Text,
	}
}

// sizedOptionals is the first release in which evaluation takes an optional to be as
// large as its value (cel-go 0.23).
var sizedOptionals = release.Minor(33)

// derived is the size of the argument at index i as cel-go itself takes it:
// before evaluation only what the estimator derived, during evaluation that of
// an optional's value instead of the optional's own.
func derived(i int) Size {
	return argument(i, derivedSize, func(v ref.Val) uint64 {
		for {
			opt, ok := v.(*types.Optional)
			if !ok || !opt.HasValue() {
				return sizeOf(v)
			}
			v = opt.GetValue()
		}
	})
}

// derivedBefore is derived with an optional's own size, which is one.
func derivedBefore(i int) Size { return argument(i, derivedSize, sizeOf) }

func derivedSize(o Operand) Range {
	known := o.Known
	if late, ok := o.(interface{ standard() (Range, bool) }); ok {
		known = late.standard
	}
	if size, ok := known(); ok {
		return size
	}
	return Unbounded()
}

// together is the size of two operands.
func together(x, y Size) Size {
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
func shorter(x, y Size) Size {
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
