package compile

import (
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/race"
)

const measuredRule = "self.spec.ports.all(p, p.name.size() <= 63 && !p.name.startsWith('kube-')) && self.spec.size == oldSelf.spec.size"

// TestCompileAllocations holds how often the compilation of a rule allocates, and its parser and its checker alone, which
// need less than a quarter of what cel-go's need.
func TestCompileAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that allocations cannot be counted")
	}
	scope := judgedScopes(t)["newest"]
	parsed := scope.env.parseFast(measuredRule)
	for _, test := range []struct {
		name  string
		limit float64
		run   func() bool
	}{
		{"Compile", 440, func() bool { _, err := scope.Compile(measuredRule); return err == nil }},
		{"Parse", 110, func() bool { return scope.env.parseFast(measuredRule) != nil }},
		{"Check", 80, func() bool { _, ok := scope.fast.Check(parsed); return ok }},
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

// BenchmarkFront measures the parser and the checker, and those of cel-go.
func BenchmarkFront(b *testing.B) {
	scope := judgedScopes(b)["newest"]
	env, err := scope.checker(scope.provider)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scope.fast.Check(scope.env.parseFast(measuredRule))
		}
	})
	b.Run("cel-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			source := common.NewTextSource(measuredRule)
			parsed, _ := scope.env.parseSource(source)
			checker.Check(parsed, source, env)
		}
	})
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
