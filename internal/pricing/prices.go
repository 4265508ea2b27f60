package pricing

import "github.com/kubecel/kubecel/cost"

// Prices holds the models of a set of functions. The zero value prices nothing.
// It is read-only once an environment is built from it.
type Prices struct {
	// Overloads are the models by overload id.
	Overloads map[string]cost.Model
	// Functions are the models by function name, for calls whose overload is
	// only decided during evaluation because an operand is dynamically typed.
	// Such a call carries no overload id, so pricing by id alone would
	// undercharge it.
	Functions map[string]cost.Model
	// Equality are the models of == by the name of the operands' type.
	Equality map[string]cost.Model
	// rules are those of a release if these are the prices of standard functions.
	rules rules
}
