package eval

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// newer watches this package for what cel-go's interpreter does another way since
// v0.30, so that the two are compared in all else. Nothing departs while the
// linked cel-go is that of Kubernetes 1.37.
type newer struct {
	linked bool
	// failedFirst is set by a call of two operands whose first has failed: a
	// newer cel-go leaves the second out, and its cost.
	failedFirst bool
	// unordered is set by a comparison with NaN, an error here.
	unordered bool
	// How many evaluations were compared, how many of them without cost, and how
	// many not at all.
	all, unpriced, apart int
}

func (n *newer) start() { n.failedFirst, n.unordered = false, false }

func (n *newer) watch(args []ref.Val, result ref.Val) {
	if !n.linked {
		return
	}
	if len(args) == 2 && types.IsError(args[0]) {
		n.failedFirst = true
	}
	if err, ok := result.(*types.Err); ok && err.Error() == notOrdered {
		n.unordered = true
	}
}

// departs tells whether the evaluation that ended cannot be compared: it met NaN,
// its cost differs and is limited, or it differs by a panic, perhaps in an operand
// that a newer cel-go leaves out.
func (n *newer) departs(limit uint64, res Result, same bool) bool {
	if !n.linked {
		return false
	}
	n.all++
	switch {
	case n.unordered, n.failedFirst && limit != Unlimited, res.Kind == KindInternal && !same:
		n.apart++
		return true
	case n.failedFirst:
		n.unpriced++
	}
	return false
}

func (n *newer) String() string {
	return fmt.Sprintf("a newer cel-go: of %d evaluations, %d compared without cost after a failed operand, and %d not at all (NaN, panics, failed operands under a limit)",
		n.all, n.unpriced, n.apart)
}

const notOrdered = "NaN values cannot be ordered"

// TestNaN holds the order of NaN at what API servers say, whatever is linked.
func TestNaN(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	for text, want := range map[string]string{
		`nan < 1.0`: notOrdered, `1.0 < nan`: notOrdered, `d <= nan`: notOrdered, `nan >= nan`: notOrdered,
		`i > nan`: notOrdered, `nan > u`: notOrdered, `dyn(nan) < 'a'`: notOrdered, `dyn('a') < dyn(nan)`: "no such overload",
		`nan < dyn(1 / (i - 3))`: "division by zero", `dyn(1 / (i - 3)) < nan`: "division by zero",
		`[1.0, nan].all(x, x < 2.0)`: notOrdered,
	} {
		p, err := e.plan(compile(e.env, text))
		if err != nil {
			t.Fatal(err)
		}
		if res := p.Eval(t.Context(), nativeVars(), math.MaxUint64); fmt.Sprint(res.Err) != want {
			t.Errorf("%s: %v, %v, want %s", text, res.Value, res.Err, want)
		}
	}
}

// TestNewer holds that what the comparisons leave out is what the reference does
// another way.
func TestNewer(t *testing.T) {
	e := newEngines(t, newEnv(t), standard)
	for text, want := range map[string]struct{ value, cost bool }{
		`i < 1`:                    {true, true},
		`self.absent == s`:         {true, !e.newer.linked},
		`s == self.absent`:         {true, true},
		`three(self.absent, s, s)`: {true, true},
		`nan < 1.0`:                {!e.newer.linked, true},
	} {
		ast := compile(e.env, text)
		same := e.run(t, ast)
		if same.value != want.value || same.cost != want.cost {
			t.Errorf("%s: same value %v, same cost %v, want %v", text, same.value, same.cost, want)
		}
	}
}

func (e *engines) run(t *testing.T, ast *cel.Ast) (same struct{ value, cost bool }) {
	t.Helper()
	reference, err := e.reference(ast)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.plan(ast)
	if err != nil {
		t.Fatal(err)
	}
	w, _, _ := runReference(reference, nativeVars())
	res := p.Eval(t.Context(), nativeVars(), Unlimited)
	g := describe(res.Value, res.Err, res.Cost)
	same.value, same.cost = g.value == w.value && g.err == w.err, g.cost == w.cost
	return same
}
