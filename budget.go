package kubecel

import (
	"fmt"

	"github.com/kubecel/kubecel/cost"
)

// Budget bounds the cost of several evaluations together. It belongs to one
// evaluation or one validation at a time: unlike everything else in this
// package it changes, and is not safe for concurrent use.
type Budget struct {
	limit, spent uint64
}

// NewBudget returns a budget in cost units. An API server grants
// cost.Budget, 10,000,000 units, for all rules of one object.
func NewBudget(units uint64) *Budget { return &Budget{limit: units} }

// Limit returns the units that the budget started with.
func (b *Budget) Limit() uint64 { return b.limit }

// Spent returns the units spent so far; it can exceed the limit by the cost of
// the evaluation that ran out.
func (b *Budget) Spent() uint64 { return b.spent }

// Remaining returns the units left.
func (b *Budget) Remaining() uint64 {
	if b.spent > b.limit {
		return 0
	}
	return b.limit - b.spent
}

func (b *Budget) String() string {
	return fmt.Sprintf("%d of %d cost units spent", b.spent, b.limit)
}

// spend charges units and tells whether the budget covered them.
func (b *Budget) spend(units uint64) bool {
	covered := units <= b.Remaining()
	b.spent = cost.Exactly(b.spent).Add(cost.Exactly(units)).Max
	return covered
}
