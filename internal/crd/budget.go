package crd

// Budget is what the rules of one object may spend together, in cost units. It
// belongs to one validation, or to several that run one after the other.
type Budget struct {
	left, spent uint64
	exhausted   bool
}

// NewBudget returns a budget of that many cost units.
func NewBudget(units uint64) *Budget { return &Budget{left: units} }

// Spend takes units from the budget. It takes none, and the budget is exhausted
// from then on, if not that many are left.
func (b *Budget) Spend(units uint64) bool {
	if b.exhausted || units > b.left {
		b.exhaust()
		return false
	}
	b.left -= units
	b.spent += units
	return true
}

// Left is what can still be spent.
func (b *Budget) Left() uint64 { return b.left }

// Spent is what was spent.
func (b *Budget) Spent() uint64 { return b.spent }

// Exhausted tells whether rules were left out because too little was left, or
// because an expression cost more than one evaluation may.
func (b *Budget) Exhausted() bool { return b.exhausted }

func (b *Budget) exhaust() { b.left, b.exhausted = 0, true }
