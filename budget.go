package kubecel

import (
	"fmt"

	"github.com/kubecel/kubecel/internal/crd"
)

// Budget bounds the cost of several evaluations together, see [WithBudget]. Unlike
// everything else in this package it changes, and is not safe for concurrent use:
// it belongs to one caller at a time.
//
// The zero value has nothing to spend. A nil Budget has nothing either, but
// WithBudget(nil) is the same as no option.
type Budget struct {
	inner crd.Budget
}

// NewBudget returns a budget in cost units. An API server grants
// cost.Budget, 10,000,000 units, to all rules of one object.
func NewBudget(units uint64) *Budget { return &Budget{*crd.NewBudget(units)} }

// Spent returns the cost of all evaluations that the budget covered, in cost
// units.
func (b *Budget) Spent() uint64 {
	if b == nil {
		return 0
	}
	return b.inner.Spent()
}

// Remaining returns the cost units that are left, 0 once the budget is exhausted.
func (b *Budget) Remaining() uint64 {
	if b == nil {
		return 0
	}
	return b.inner.Left()
}

// Exhausted tells whether the budget did not cover an evaluation.
func (b *Budget) Exhausted() bool { return b != nil && b.inner.Exhausted() }

// String says what was spent and what is left.
func (b *Budget) String() string {
	return fmt.Sprintf("%d cost units spent, %d left", b.Spent(), b.Remaining())
}
