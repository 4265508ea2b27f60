package pricing

import (
	"maps"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
)

// Prices holds the models of a set of functions. The zero value prices nothing.
// It is read-only once an environment is built from it.
type Prices struct {
	// Overloads are the models by overload id.
	Overloads map[string]cost.Model
	// Functions are the models by function name, for calls whose overload only
	// evaluation decides, because an operand is dynamically typed.
	Functions map[string]cost.Model
	// Equality are the models of == by the name of the operands' type.
	Equality map[string]cost.Model
	// rules are those of a release if these are the prices of standard functions.
	rules rules
	// standard is true for the prices of standard functions.
	standard bool
}

// Table is the prices of all functions of an environment. It is immutable. The
// zero value prices every call at one unit.
//
// The price of a call is that of its overload id, else that of its function's name,
// else one unit. A call with a dynamically typed operand has no overload id during
// evaluation, so it is priced by name; standard functions have no price by name and
// cost one unit then. The price of == on a type comes before all these.
type Table struct {
	overloads, functions, equality map[string]cost.Model
	rules                          rules
	// presence tells whether presence tests cost a unit whatever the release.
	presence bool
	// sized are the standard prices that depend on nothing but sizes, by overload id.
	sized map[string]func(x, y uint64) uint64
}

// NewTable puts prices together. A later part wins over an earlier one. If its model has
// no estimate or no runtime price, those of the earlier part stay.
func NewTable(parts ...Prices) *Table {
	t := &Table{overloads: map[string]cost.Model{}, functions: map[string]cost.Model{}, equality: map[string]cost.Model{}, sized: map[string]func(x, y uint64) uint64{}}
	return t.add(parts)
}

// With returns a table with more prices. The table itself stays as it is.
func (t *Table) With(parts ...Prices) *Table {
	if len(parts) == 0 {
		return t
	}
	more := *t
	more.overloads, more.functions, more.equality = maps.Clone(t.overloads), maps.Clone(t.functions), maps.Clone(t.equality)
	more.sized = maps.Clone(t.sized)
	return more.add(parts)
}

// WithPresence returns a table by which presence tests cost a unit.
func (t *Table) WithPresence() *Table {
	more := *t
	more.presence = true
	return &more
}

func (t *Table) add(parts []Prices) *Table {
	for _, p := range parts {
		merge(t.overloads, p.Overloads)
		for id, m := range p.Overloads {
			if m.Runtime != nil {
				t.sized[id] = nil // a price of another part may be set by hand
			}
			if p.standard {
				t.sized[id] = m.Sized()
			}
		}
		merge(t.functions, p.Functions)
		merge(t.equality, p.Equality)
		if p.rules != (rules{}) {
			t.rules = p.rules
		}
	}
	return t
}

func merge(into, from map[string]cost.Model) {
	for key, m := range from {
		if m.Estimate == nil {
			m.Estimate, m.Doubt = into[key].Estimate, into[key].Doubt
		}
		if m.Runtime == nil {
			m.Runtime = into[key].Runtime
		}
		into[key] = m
	}
}

// Price is the runtime price of a call, in cost units.
type Price = func(args []ref.Val, result ref.Val) uint64

// Runtime returns the price of the calls at one place of an expression. It is resolved
// once for many evaluations, and never nil. The overload id is empty if only evaluation
// decides the overload. The arguments begin with the receiver of a member function.
func (t *Table) Runtime(function, overloadID string) Price {
	price := t.overloads[overloadID].Runtime
	if price == nil {
		price = t.functions[function].Runtime
	}
	if price == nil {
		price = cost.Fixed(1).Runtime
	}
	if function != operators.Equals || len(t.equality) == 0 {
		return price
	}
	return func(args []ref.Val, result ref.Val) uint64 {
		if own := t.equalityOf(args); own != nil {
			return own(args, result)
		}
		return price(args, result)
	}
}

// Sized is Runtime by the sizes of the first two arguments, see [cost.Model.Sized], for
// arguments of the types of JSON. It is nil if the price depends on more.
func (t *Table) Sized(function, overloadID string) func(x, y uint64) uint64 {
	if function == operators.Equals && (t.equality[types.MapType.TypeName()].Runtime != nil || t.equality[types.ListType.TypeName()].Runtime != nil) {
		return nil
	}
	if t.overloads[overloadID].Runtime == nil && t.functions[function].Runtime == nil {
		return cost.Fixed(1).Sized()
	}
	return t.sized[overloadID]
}

// equalityOf is the price of == by the type of the left value, nil if the type
// has none.
func (t *Table) equalityOf(args []ref.Val) Price {
	if len(args) == 0 {
		return nil
	}
	switch args[0].(type) {
	case nil, types.String, types.Int, types.Bool, types.Double, types.Uint, types.Bytes, types.Null:
		return nil // spares the common types the look-up
	}
	typ := args[0].Type()
	if typ == nil {
		return nil
	}
	return t.equality[typ.TypeName()].Runtime
}

// estimate prices a call before evaluation.
func (t *Table) estimate(function, overloadID string, operands []cost.Operand) cost.Estimate {
	if function == operators.Equals && len(operands) == 2 {
		if name := operands[0].Type().TypeName(); name == operands[1].Type().TypeName() {
			if m := t.equality[name]; m.Estimate != nil {
				return m.Estimate(operands)
			}
		}
	}
	if m := t.overloads[overloadID]; m.Estimate != nil {
		return m.Estimate(operands)
	}
	if m := t.functions[function]; m.Estimate != nil {
		return m.Estimate(operands)
	}
	return cost.Estimate{Cost: cost.Exactly(1)}
}
