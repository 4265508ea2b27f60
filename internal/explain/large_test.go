package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/internal/race"
	"github.com/kubecel/kubecel/report"
)

// TestExhaustiveLarge reports expressions as large as a server takes. Under the
// race detector they are a tenth as large.
func TestExhaustiveLarge(t *testing.T) {
	n := 10_000
	if race.Enabled {
		n = 1_000
	}
	scope := testScope(t)
	for name, expr := range map[string]string{
		"terms":    strings.Repeat("n > 1 || ", n) + "n > 1",
		"list":     "[" + strings.Repeat("1, ", 3*n) + "1].size() > 1",
		"brackets": strings.Repeat("(", 100) + "n" + strings.Repeat(" + n)", 100) + " > 1",
		"string":   "'" + strings.Repeat("é", 9*n) + "'.contains('é')",
	} {
		t.Run(name, func(t *testing.T) {
			compiled, failed := scope.Compile(expr)
			if failed != nil {
				t.Fatalf("%.200v", failed)
			}
			x := Expression(compiled, nothing, report.Limits{})
			encoded, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes of JSON, %d of text", len(encoded), len(x.Text()))
			if x.Root.At.Start != 0 || x.Root.At.End != len([]rune(expr)) {
				t.Errorf("it is at %+v", x.Root.At)
			}
		})
	}
}
