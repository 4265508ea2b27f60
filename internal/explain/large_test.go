package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/report"
)

// TestExhaustiveLarge reports expressions as large as a server takes, under the race
// detector a tenth as large. Twice the expression has twice the report, and making it
// allocates twice as often.
func TestExhaustiveLarge(t *testing.T) {
	n := 10_000
	if race.Enabled {
		n = 1_000
	}
	scope := testScope(t)
	for name, expr := range map[string]func(int) string{
		"terms":    func(n int) string { return strings.Repeat("n > 1 || ", n) + "n > 1" },
		"list":     func(n int) string { return "[" + strings.Repeat("1, ", 3*n) + "1].size() > 1" },
		"brackets": func(n int) string { return strings.Repeat("(", n/100) + "n" + strings.Repeat(" + n)", n/100) + " > 1" },
		"string":   func(n int) string { return "'" + strings.Repeat("é", 9*n) + "'.contains('é')" },
	} {
		t.Run(name, func(t *testing.T) {
			makeReport(t, scope, expr(n))
			if race.Enabled {
				return // the detector allocates
			}
			once, twice := reportSize(t, scope, expr(n/20)), reportSize(t, scope, expr(n/10))
			t.Logf("once: %+v, twice: %+v", once, twice)
			if float64(twice.bytes) > 2.2*float64(once.bytes) || twice.allocations > 2.2*once.allocations {
				t.Errorf("%+v for an expression, %+v for one of twice its size", once, twice)
			}
		})
	}
}

// size is what a report takes: the bytes of its JSON and its text, and the
// allocations of making both.
type size struct {
	bytes       int
	allocations float64
}

func reportSize(t *testing.T, scope *compile.Scope, expr string) (s size) {
	s.allocations = testing.AllocsPerRun(1, func() { s.bytes = makeReport(t, scope, expr) })
	return s
}

// makeReport returns the bytes of a report.
func makeReport(t *testing.T, scope *compile.Scope, expr string) int {
	compiled, failed := scope.Compile(expr)
	if failed != nil {
		t.Fatalf("%.200v", failed)
	}
	x := Expression(compiled, nothing, report.Limits{})
	encoded, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	if x.Root.At.Start != 0 || x.Root.At.End != len([]rune(expr)) {
		t.Errorf("it is at %+v", x.Root.At)
	}
	return len(encoded) + len(x.Text(0))
}
