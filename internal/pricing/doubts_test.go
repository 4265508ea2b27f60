package pricing

import (
	"slices"
	"testing"

	"github.com/google/cel-go/common/overloads"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// TestDoubts holds which nodes have which doubts, and how much they may add.
func TestDoubts(t *testing.T) {
	env := testEnv(t)
	table := NewTable(
		Standard(release.Newest()),
		Prices{Overloads: map[string]cost.Model{overloads.ContainsString: cost.Fixed(2).Doubted("it lies")}},
		// A part with only a runtime price leaves the estimate, and what is doubtful in it.
		Prices{Overloads: map[string]cost.Model{overloads.ContainsString: {Runtime: cost.Fixed(3).Runtime}}},
		Prices{Functions: map[string]cost.Model{"charAt": cost.Fixed(1).Doubted("named so")}},
	)
	for _, test := range []struct {
		expr string
		want []string
	}{
		{"self.s == 'a'", nil},
		{"self.s.contains('a')", []string{"it lies"}},
		{"self.s.charAt(1)", []string{"named so"}},
		{"self.l.all(x, x.contains('a') || x.contains('b'))", []string{"it lies", "it lies"}},
		{"vd.startsWith('a')", []string{doubtDynamic}},
		{"vd.a || true", []string{doubtSelection}},
		{"[self.inner][0].s", []string{doubtPath}},
		{"dyn(self.s).contains('a')", []string{"it lies"}},
	} {
		checked, issues := env.Compile(test.expr)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		_, doubts := table.TraceSound(checked.NativeRep(), schemaSizer{schema()})
		var reasons []string
		for _, d := range doubts {
			reasons = append(reasons, d.Reason)
			if (d.Extra == 1) != (d.Reason == doubtPath || d.Reason == doubtSelection) {
				t.Errorf("%s: %q adds %d", test.expr, d.Reason, d.Extra)
			}
		}
		if !slices.Equal(reasons, test.want) {
			t.Errorf("%s: doubts %q, want %q", test.expr, reasons, test.want)
		}
	}
}
