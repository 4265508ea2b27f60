package kubecel

import (
	"fmt"

	"github.com/kubecel/kubecel/internal/crd"
)

// Budget bounds the cost of several evaluations together. It belongs to one
// caller at a time: unlike everything else in this package it changes, and is
// not safe for concurrent use.
//
// The zero value has nothing to spend, and neither has a nil Budget, which as
// an option is the same as no option.
type Budget struct {
	inner crd.Budget
}

// NewBudget returns a budget in cost units. An API server grants
// cost.Budget, 10,000,000 units, to all rules of one object.
func NewBudget(units uint64) *Budget { return &Budget{*crd.NewBudget(units)} }

// Spent returns the cost of what was evaluated, in cost units, without the
// evaluation for which the budget did not suffice.
func (b *Budget) Spent() uint64 {
	if b == nil {
		return 0
	}
	return b.inner.Spent()
}

// Remaining returns the cost units left; none once the budget is exhausted.
func (b *Budget) Remaining() uint64 {
	if b == nil {
		return 0
	}
	return b.inner.Left()
}

// Exhausted tells whether something was not evaluated, or cut short, because too
// little was left.
func (b *Budget) Exhausted() bool { return b != nil && b.inner.Exhausted() }

// String says what was spent and what is left.
func (b *Budget) String() string {
	return fmt.Sprintf("%d cost units spent, %d left", b.Spent(), b.Remaining())
}
