package compile

import (
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/race"
)

// TestCompileAllocations holds how often the compilation of an expression allocates, and that of its types alone. cel-go's parser and
// checker allocate 900 times for it.
func TestCompileAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that allocations cannot be counted")
	}
	scope := judgedScopes(t)["newest"]
	const rule = "self.spec.ports.all(p, p.name.size() <= 63 && !p.name.startsWith('kube-')) && self.spec.size == oldSelf.spec.size"
	parsed := scope.env.parseFast(rule)
	for _, test := range []struct {
		name  string
		limit float64
		run   func() bool
	}{
		{"Compile", 290, func() bool { _, err := scope.Compile(rule); return err == nil }},
		{"Check", 40, func() bool { _, ok := scope.fast.Check(parsed); return ok }},
	} {
		if !test.run() {
			t.Fatalf("%s fails", test.name)
		}
		if got := testing.AllocsPerRun(100, func() { test.run() }); got > test.limit {
			t.Errorf("%s allocates %v times, want at most %v", test.name, got, test.limit)
		} else {
			t.Logf("%s allocates %v times", test.name, got)
		}
	}
}

// TestConversions holds that literals of durations and timestamps are tried without cel-go's interpreter.
func TestConversions(t *testing.T) {
	env := judgedScopes(t)["newest"].env
	for function, literals := range map[string]map[any]bool{
		"duration": {"1h": true, "1x": false, int64(1): false}, "timestamp": {"2024-01-01T00:00:00Z": true, "2024": false}, "unknown": {"a": false},
	} {
		for literal, want := range literals {
			if got := env.converts(function, types.DefaultTypeAdapter.NativeToValue(literal)); got != want {
				t.Errorf("%s(%v): %v", function, literal, got)
			}
		}
	}
}
