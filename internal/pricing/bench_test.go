package pricing

import (
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/release"
)

func BenchmarkEstimate(b *testing.B) {
	tree, issues := testEnv(b).Compile("self.objs.all(o, o.items.exists(p, p.s == o.s && p.l.all(x, x.startsWith(self.s) || x in self.l)))")
	if issues.Err() != nil {
		b.Fatal(issues.Err())
	}
	checked, sizes, table := tree.NativeRep(), schemaSizer{schema()}, NewTable(Standard(release.Newest()))
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			table.Estimate(checked, sizes)
		}
	})
	b.Run("cel-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := checker.Cost(checked, reference{sizes: sizes}, checker.PresenceTestHasCost(false)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRuntime(b *testing.B) {
	price := NewTable(Standard(release.Newest()), libraryPrices()).Runtime(operators.Equals, overloads.Equals)
	args := []ref.Val{types.String("a short text"), types.String("another text")}
	b.ReportAllocs()
	for b.Loop() {
		price(args, types.False)
	}
}
