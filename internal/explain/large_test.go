package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/kubecel/kubecel/report"
)

// TestLarge holds that an expression as large as a server takes is reported soon.
func TestLarge(t *testing.T) {
	scope := testScope(t)
	for name, expr := range map[string]string{
		"terms":    strings.Repeat("n > 1 || ", 10_000) + "n > 1",
		"list":     "[" + strings.Repeat("1, ", 30_000) + "1].size() > 1",
		"brackets": strings.Repeat("(", 100) + "n" + strings.Repeat(" + n)", 100) + " > 1",
		"string":   "'" + strings.Repeat("é", 90_000) + "'.contains('é')",
	} {
		checked, err := scope.Compile(expr)
		if err != nil {
			t.Errorf("%s: %.200v", name, err)
			continue
		}
		start := time.Now()
		x := Expression(expr, scope.Explain(checked), nothing, report.ServerLimits())
		encoded, err := x.JSON()
		if err != nil {
			t.Fatal(err)
		}
		text := x.Text()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		} else {
			t.Logf("%s: %v, %d bytes of JSON, %d of text", name, took, len(encoded), len(text))
		}
		if x.Root.At.Start != 0 || x.Root.At.End != len([]rune(expr)) {
			t.Errorf("%s is at %+v", name, x.Root.At)
		}
	}
}
