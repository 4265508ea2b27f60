// Package eval plans checked expressions and evaluates them, counting the cost
// units that an API server counts.
package eval

import (
	"github.com/google/cel-go/common/types/ref"
)

// Vars resolves the variables of an expression.
type Vars interface {
	// ResolveName returns the value of a variable, a ref.Val or a native Go
	// value, and whether there is one.
	ResolveName(name string) (any, bool)
}

// Result is the outcome of one evaluation.
type Result struct {
	// Value is the result; an error value if Err is set, nil if the evaluation
	// was cut short.
	Value ref.Val
	// Cost is what the evaluation cost, in cost units.
	Cost uint64
	// Err says why there is no value.
	Err error
}
