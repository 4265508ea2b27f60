package eval

import (
	"context"

	"github.com/kubecel/kubecel/report"
)

// Record says which node of an expression cost what, by the ids of nodes.
type Record struct {
	// Nodes are the nodes that cost something or looped.
	Nodes map[int64]report.NodeCost
	limit uint64
	// refunded tells whether a unit was taken off.
	refunded bool
}

// Record is Eval, and notes what each node costs.
func (p *Program) Record(ctx context.Context, vars Vars, limit uint64) (Result, *Record) {
	r := &Record{}
	res := p.eval(ctx, vars, limit, r)
	if r.refunded {
		// A refund may take off a unit that was never charged. The next unit then brings
		// the cost to 0, which is over no limit and not noted. The root gets what is missing.
		n := r.Nodes[p.root.id()]
		n.Units += res.Cost
		for _, o := range r.Nodes {
			n.Units -= o.Units
		}
		r.Nodes[p.root.id()] = n
	}
	return res, r
}

// begin makes a frame note what it charges. A limit of 0 routes every charge through
// over.
func (r *Record) begin(f *frame, limit uint64) {
	r.Nodes, r.limit = map[int64]report.NodeCost{}, limit
	f.record, f.limit = r, 0
}

// over handles a charge beyond the limit of the frame.
func (f *frame) over(id int64, units uint64) {
	if f.record == nil {
		panic(cutShort{})
	}
	n := f.record.Nodes[id]
	n.Units += units
	f.record.Nodes[id] = n
	if f.cost > f.record.limit {
		panic(cutShort{})
	}
}

// refund takes units off.
func (f *frame) refund(id int64, units uint64) {
	if f.record != nil {
		f.record.refunded = true
	}
	f.charge(id, ^units+1)
}

// turn notes an iteration.
func (r *Record) turn(id int64) {
	n := r.Nodes[id]
	n.Iterations++
	r.Nodes[id] = n
}
