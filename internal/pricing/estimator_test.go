package pricing

import (
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/release"
)

// reference estimates with cel-go, sizes from the same Sizer.
type reference struct {
	sizes Sizer
	// price stands for the prices of a library.
	price func(r reference, function, id string, nodes []checker.AstNode) *checker.CallEstimate
}

func (r reference) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if len(n.Path()) == 0 || r.sizes == nil {
		return nil
	}
	if size, ok := r.sizes.SizeOf(n.Path()); ok {
		return &checker.SizeEstimate{Min: size.Min, Max: size.Max}
	}
	return nil
}

func (r reference) EstimateCallCost(function, id string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if r.price == nil {
		return nil
	}
	if target != nil {
		args = append([]checker.AstNode{*target}, args...)
	}
	return r.price(r, function, id, args)
}

func (r reference) size(n checker.AstNode) checker.SizeEstimate {
	if size := n.ComputedSize(); size != nil {
		return *size
	}
	if size := r.EstimateSize(n); size != nil {
		return *size
	}
	return checker.UnknownSizeEstimate()
}

// anyElement is an element of a list as a library's price sees it.
type anyElement struct {
	checker.AstNode
	path []string
}

func (e anyElement) Path() []string                      { return e.path }
func (e anyElement) ComputedSize() *checker.SizeEstimate { return nil }

// libraryPrices price by what an operand tells: the elements, the literal, the
// type, the declared size.
func libraryPrices() Prices {
	items := func(o []cost.Operand) cost.Estimate {
		elem := o[0].Elem()
		if elem == nil {
			return cost.Estimate{Cost: o[0].Size()}
		}
		size := o[0].Size().Mul(elem.Size())
		if len(o) > 1 {
			if lit, ok := o[1].Literal().(types.String); ok {
				size = size.Add(cost.Exactly(uint64(len(lit)) * 1000))
			}
		}
		return cost.Estimate{Cost: size.Scale(0.3), Result: &size}
	}
	return Prices{
		Functions: map[string]cost.Model{
			"join":   {Estimate: items},
			"sort":   {Estimate: items},
			"charAt": cost.Fixed(500),
		},
		Overloads: map[string]cost.Model{"list_join": cost.Fixed(7)},
		Equality:  map[string]cost.Model{"inner": cost.Fixed(3)},
	}
}

// referencePrice is libraryPrices for cel-go.
func referencePrice(r reference, function, id string, n []checker.AstNode) *checker.CallEstimate {
	fixed := func(cost uint64) *checker.CallEstimate {
		return &checker.CallEstimate{CostEstimate: checker.FixedCostEstimate(cost)}
	}
	switch function {
	case "_==_":
		if len(n) == 2 && n[0].Type().TypeName() == "inner" && n[1].Type().TypeName() == "inner" {
			return fixed(3)
		}
	case "charAt":
		return fixed(500)
	case "join", "sort":
		if id == "list_join" {
			return fixed(7)
		}
		if len(n[0].Type().Parameters()) == 0 {
			return &checker.CallEstimate{CostEstimate: checker.CostEstimate(r.size(n[0]))}
		}
		elem := anyElement{}
		if n[0].Path() != nil {
			elem.path = append(slices.Clone(n[0].Path()), "@items")
		}
		size := r.size(n[0]).Multiply(r.size(elem))
		if len(n) > 1 && n[1].Expr().Kind() == ast.LiteralKind {
			size = size.Add(checker.FixedSizeEstimate(uint64(len(n[1].Expr().AsLiteral().(types.String)) * 1000)))
		}
		return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(0.3), ResultSize: &size}
	}
	return nil
}

func sizers() map[string]Sizer {
	return map[string]Sizer{
		"none":   nil,
		"schema": schemaSizer{schema()},
		"hash 1": hashSizer{1},
		"hash 2": hashSizer{2},
		"hash 3": hashSizer{3},
	}
}

func TestExhaustiveEstimates(t *testing.T) {
	env := testEnv(t)
	prices, seen := pricings(), map[string]int{}
	for _, tree := range compiled(t, env, race.Sample(corpus(5000), 10)) {
		for _, ref := range tree.NativeRep().ReferenceMap() {
			for _, id := range ref.OverloadIDs {
				seen[id]++
			}
		}
		for name, sizes := range sizers() {
			sameEstimates(t, prices, tree, sizes, name)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	for id := range Standard(release.Newest()).Overloads {
		if seen[id] < 5 && !race.Enabled {
			t.Errorf("overload %s occurs %d times", id, seen[id])
		}
	}
}

// Children of one path overwrite each other, see path.child. Many declared sizes
// show who reads what, and when.
func TestEstimateSharedPaths(t *testing.T) {
	prices := pricings()
	for _, tree := range compiled(t, testEnv(t), []string{
		"self.big.all(o, o.s.contains(o.u))",
		"self.big.all(o, o.u.matches(o.s) && matches(o.s, o.u))",
		"self.big.all(o, o.l.all(p, o.s == p))",
		"self.objs.all(o, o.items.all(p, p.l.join(p.s) == p.q.join(p.u)))",
		"self.objs.all(o, o.items.all(p, p.m.all(k, v, k.contains(p.u))))",
		"self.objs.exists_one(o, cel.bind(v, o.items, v[0].s.contains(o.s)))",
	}) {
		for seed := range uint64(300) {
			sameEstimates(t, prices, tree, hashSizer{seed}, "hash")
		}
	}
}

// compiled returns what compiles of the expressions, which must be most of them.
func compiled(t *testing.T, env *cel.Env, texts []string) []*cel.Ast {
	t.Helper()
	var trees []*cel.Ast
	for _, text := range texts {
		if tree, issues := env.Compile(text); issues.Err() == nil {
			trees = append(trees, tree)
		}
	}
	if len(trees) < len(texts)*3/4 {
		t.Fatalf("only %d of %d expressions compile", len(trees), len(texts))
	}
	return trees
}

// byTable estimates with cel-go by the prices of a table. cel-go keeps the functions whose
// price depends on the structure of the expression, concatenation among them.
type byTable struct {
	reference
	table *Table
}

func (b byTable) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if isLogical(overloadID) || overloadID == overloads.Conditional || isConcatenation(overloadID) {
		return nil
	}
	return callEstimate(b.table.estimate(function, overloadID, operandsOf(target, args, b)))
}

// pricing is a table and what cel-go has in its place.
type pricing struct {
	name  string
	table *Table
	price func(r reference, function, id string, nodes []checker.AstNode) *checker.CallEstimate
}

func pricings() []pricing {
	return []pricing{
		{"standard", NewTable(Standard(release.Newest())), nil},
		{"library", NewTable(Standard(release.Newest()), libraryPrices()), referencePrice},
	}
}

// sameEstimates compares our estimate of an expression with cel-go's, and with
// cel-go's by our prices.
func sameEstimates(t *testing.T, prices []pricing, tree *cel.Ast, sizes Sizer, name string) {
	t.Helper()
	checked := tree.NativeRep()
	for _, p := range prices {
		want, err := checker.Cost(checked, reference{sizes, p.price}, checker.PresenceTestHasCost(false))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.table.Estimate(checked, sizes); got != cost.Range(want) {
			t.Errorf("%s\nprices %s, sizes %s: %v, want %v", tree.Source().Content(), p.name, name, got, want)
		}
		got, err := checker.Cost(checked, byTable{reference{sizes: sizes}, p.table}, checker.PresenceTestHasCost(false))
		if err != nil || got != want {
			t.Errorf("%s\nprices %s, sizes %s, by cel-go: %v, %v; want %v", tree.Source().Content(), p.name, name, got, err, want)
		}
	}
}

func FuzzEstimate(f *testing.F) {
	env, prices := testEnv(f), pricings()
	for i, text := range corpus(8000) {
		if i%50 == 0 {
			f.Add(text, uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 400 {
			return // the parser is slow on long nonsense
		}
		tree, issues := env.Compile(text)
		if issues.Err() != nil {
			return
		}
		sameEstimates(t, prices, tree, hashSizer{seed}, "hash")
	})
}
