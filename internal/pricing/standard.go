package pricing

import (
	"strconv"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// Standard returns the prices of CEL's standard functions on an API server of a
// release: those of the cel-go that the server is built with. A table with these prices
// also estimates the structure of an expression (&&, ||, ?:, indexing, dyn(),
// comprehensions) as that release does. A function without a price costs one unit.
func Standard(r release.Release) Prices {
	prices := Prices{Overloads: map[string]cost.Model{}, rules: rulesOf(r), standard: true}
	for _, p := range standardPrices(r) {
		if r.Before(p.since) || !p.until.IsZero() && p.until.Before(r) {
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
	model cost.Model
	// since and until are the first and the last release with the price; zero is no
	// bound.
	since, until release.Release
}

// standardPrices are the prices by release; the sizes are those of release r.
func standardPrices(r release.Release) []standardPrice {
	read := cost.SizeOf
	if !r.Before(release.Minor(33)) { // evaluation takes an optional to be as large as its value
		read = sizeOfHeld
	}
	x, y := derived(0, read), derived(1, read)
	both := together(read)
	ends := []string{overloads.StartsWithString, overloads.EndsWithString}
	in, matches := []string{overloads.InList}, []string{overloads.Matches}
	return []standardPrice{
		{ids: ends, model: cost.Scan(y), since: release.Minor(37)},
		// Evaluation charged the receiver, though as much is read as the argument has.
		{ids: ends, model: cost.Split(cost.Scan(y), cost.Scan(x)), until: release.Minor(36)},
		{ids: []string{overloads.StringToBytes}, model: cost.Scan(x).Yields(sized(encoded))},
		{ids: []string{overloads.BytesToString}, model: cost.Scan(x).Yields(sized(decoded))},
		{ids: []string{overloads.ExtQuoteString}, model: cost.Scan(x).Yields(sized(quoted))},
		{ids: []string{overloads.ExtFormatString}, model: cost.Scan(x)},
		{ids: in, model: cost.Scaled(y, 1), since: release.Minor(29)},
		{ids: in, model: overflowing(cost.Scaled(y, 1)), until: release.Minor(28)},
		{ids: []string{overloads.MatchesString}, model: cost.Regex(x, y)},
		{ids: matches, model: cost.Regex(x, y), since: release.Minor(37)},
		// Only the member function had a price.
		{ids: matches, model: cost.Fixed(1), until: release.Minor(36)},
		{ids: []string{overloads.ContainsString}, model: cost.Product(cost.Scan(x), cost.Scan(y))},
		{ids: []string{overloads.AddString, overloads.AddBytes}, model: cost.Scan(both).Yields(both)},
		// Concatenation shares both lists instead of copying them.
		{ids: []string{overloads.AddList}, model: cost.Fixed(1).Yields(both)},
		{ids: []string{
			overloads.Equals, overloads.NotEquals,
			overloads.LessString, overloads.LessEqualsString, overloads.GreaterString, overloads.GreaterEqualsString,
			overloads.LessBytes, overloads.LessEqualsBytes, overloads.GreaterBytes, overloads.GreaterEqualsBytes,
		}, model: cost.Scan(shorter(read))},
	}
}

// overflowing makes the estimate of a model that of cel-go 0.16. If a price is too large
// for an integer, the conversion gives what it gives on amd64.
func overflowing(m cost.Model) cost.Model {
	estimate := m.Estimate
	m.Estimate = func(operands []cost.Operand) cost.Estimate {
		e := estimate(operands)
		for _, end := range []*uint64{&e.Cost.Min, &e.Cost.Max} {
			if float64(*end) >= 1<<64 {
				*end = 1 << 63
			}
		}
		return e
	}
	return m
}

// sizeOfHeld is the size of a value. For an optional it is the size of what it holds.
func sizeOfHeld(v ref.Val) uint64 {
	for {
		opt, ok := v.(*types.Optional)
		if !ok || !opt.HasValue() {
			return cost.SizeOf(v)
		}
		v = opt.GetValue()
	}
}

// derived is the size of the argument at index i as cel-go itself takes it: before
// evaluation only the derived size, and during evaluation what read returns.
func derived(i int, read func(ref.Val) uint64) cost.Size {
	return cost.Computed("size({"+strconv.Itoa(i)+"})",
		func(operands []cost.Operand) cost.Range { return derivedSize(operands, i) },
		func(args []ref.Val, _ ref.Val) uint64 { return readSize(read, args, i) }).
		Sized([]func(x, y uint64) uint64{func(x, _ uint64) uint64 { return x }, func(_, y uint64) uint64 { return y }}[i])
}

// derivedSize is the size that the prices of standard functions take: the derived one, and
// before 1.33 also the one that the schema declares.
func derivedSize(operands []cost.Operand, i int) cost.Range {
	if i >= len(operands) {
		return cost.Unbounded()
	}
	o := operands[i].(operand)
	if o.derived == nil && o.late {
		if size := declared(o.sizes, o.path); size != nil {
			return o.watch.note(o, *size, cost.SourceDeclared)
		}
		if size := lateSize(o.typ); size != nil {
			return o.watch.note(o, *size, "")
		}
	}
	if size, ok := o.Known(); ok {
		return size
	}
	return cost.Unbounded()
}

func readSize(read func(ref.Val) uint64, args []ref.Val, i int) uint64 {
	if i >= len(args) {
		return 1
	}
	return read(args[i])
}

// together is the size of two operands.
func together(read func(ref.Val) uint64) cost.Size {
	return cost.Computed("size({0}) + size({1})",
		func(operands []cost.Operand) cost.Range {
			return derivedSize(operands, 0).Add(derivedSize(operands, 1))
		},
		func(args []ref.Val, _ ref.Val) uint64 { return readSize(read, args, 0) + readSize(read, args, 1) }).
		Sized(func(x, y uint64) uint64 { return x + y })
}

// shorter is the size of the shorter of two operands, at least one before
// evaluation unless one of them is surely empty.
func shorter(read func(ref.Val) uint64) cost.Size {
	return cost.Computed("min(size({0}), size({1}))",
		func(operands []cost.Operand) cost.Range {
			most := min(derivedSize(operands, 0).Max, derivedSize(operands, 1).Max)
			return cost.Range{Min: min(most, 1), Max: most}
		},
		func(args []ref.Val, _ ref.Val) uint64 { return min(readSize(read, args, 0), readSize(read, args, 1)) }).
		Sized(func(x, y uint64) uint64 { return min(x, y) })
}

// sized is the size of a result that follows from that of the first operand.
func sized(result func(size cost.Range) cost.Range) cost.Size {
	return cost.Computed("", func(operands []cost.Operand) cost.Range { return result(derivedSize(operands, 0)) }, nil)
}

// The following sizes of results wrap around where an operand is unbounded, as
// those of an API server do: an unbounded string, quoted, has from 2 to 0
// characters.

// encoded is the size of a string as bytes: up to four for a character.
func encoded(size cost.Range) cost.Range { return cost.Range{Min: size.Min, Max: size.Max * 4} }

// decoded is the size of bytes as a string.
func decoded(size cost.Range) cost.Range { return cost.Range{Min: size.Min / 4, Max: size.Max} }

// quoted is the size of a string with every character escaped and two quotation
// marks around it.
func quoted(size cost.Range) cost.Range {
	return cost.Range{Min: size.Min + 2, Max: size.Max*2 + 2}
}
