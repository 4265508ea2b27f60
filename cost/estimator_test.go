package cost

import (
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
)

// reference estimates with cel-go, sizes from the same Sizer.
type reference struct{ sizes Sizer }

func (r reference) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if len(n.Path()) == 0 || r.sizes == nil {
		return nil
	}
	if size, ok := r.sizes.SizeOf(n.Path()); ok {
		return &checker.SizeEstimate{Min: size.Min, Max: size.Max}
	}
	return nil
}

func (reference) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
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

func TestEstimateEqualsReference(t *testing.T) {
	env := testEnv(t)
	table := NewTable(Standard())
	all := sizers()
	seen := map[string]int{}
	compiled, failures := 0, 0
	texts := corpus(20000)
	for _, text := range texts {
		tree, issues := env.Compile(text)
		if issues.Err() != nil {
			if seen["error"]++; seen["error"] < 5 {
				t.Logf("not compiled: %s: %v", text, issues.Err())
			}
			continue
		}
		compiled++
		for _, ref := range tree.NativeRep().ReferenceMap() {
			for _, id := range ref.OverloadIDs {
				seen[id]++
			}
		}
		for name, sizes := range all {
			if !sameEstimate(t, table, tree, sizes, text, name) {
				failures++
			}
		}
		if failures > 20 {
			t.FailNow()
		}
	}
	if compiled < len(texts)*3/4 {
		t.Errorf("only %d of %d expressions compile", compiled, len(texts))
	}
	for id := range Standard().Overloads {
		if seen[id] < 5 {
			t.Errorf("overload %s occurs %d times", id, seen[id])
		}
	}
}

func sameEstimate(t *testing.T, table *Table, tree *cel.Ast, sizes Sizer, text, name string) bool {
	t.Helper()
	want, err := checker.Cost(tree.NativeRep(), reference{sizes}, checker.PresenceTestHasCost(false))
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Estimate(tree.NativeRep(), sizes)
	if err != nil || got != Range(want) {
		t.Errorf("%s\nsizes %s: %v, %v; want %v", text, name, got, err, want)
		return false
	}
	return true
}

func TestEstimateNeedsCheckedExpression(t *testing.T) {
	if _, err := NewTable().Estimate(nil, nil); err == nil {
		t.Error("no error for no expression")
	}
	tree, issues := testEnv(t).Parse("1 + 1")
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	if _, err := NewTable().Estimate(tree.NativeRep(), nil); err == nil {
		t.Error("no error for a parsed expression")
	}
	if _, err := NewTable().Estimate(&ast.AST{}, nil); err == nil {
		t.Error("no error for an empty expression")
	}
}
