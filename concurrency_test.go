package kubecel_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
)

// TestConcurrency holds that an environment, an expression and a rule set give
// many goroutines what they give one.
func TestConcurrency(t *testing.T) {
	const goroutines, rounds, kinds = 64, 8, 8
	env, err := kubecel.NewEnv(kubecel.Variable("n", cel.IntType), kubecel.Variable("names", cel.ListType(cel.StringType)))
	if err != nil {
		t.Fatal(err)
	}
	x := mustCompile(t, env, "names.map(s, s + '!').filter(s, s.matches('^a+!')).size() / n >= 1 && lists.range(n * 40).all(i, i < 200)")
	rules, err := compileCRD([]byte(widgets), "v1")
	if err != nil {
		t.Fatal(err)
	}
	// Each kind takes another way through all of that; some fail.
	run := func(ctx context.Context, kind int) string {
		compiled, compileErr := env.Compile(fmt.Sprintf("n + %d > names.size() + m%d", kind, kind%2))
		extended, err := env.Extend(kubecel.Variable("m0", cel.IntType))
		if err != nil {
			return err.Error()
		}
		again, err := extended.Compile("n + m0")
		if err != nil {
			return err.Error()
		}
		sum, sumErr := again.Eval(ctx, map[string]any{"n": kind, "m0": 1})
		names := make([]string, kind)
		for i := range names {
			names[i] = "aaaa"[:i%4]
		}
		result, evalErr := x.Eval(ctx, map[string]any{"n": kind, "names": names})
		budget := kubecel.NewBudget(uint64(kind) * 5)
		report, validateErr := rules.Validate(ctx, widget(int64(kind*3)), widget(int64(kind)), kubecel.WithBudget(budget))
		completed := rules.ApplyDefaults(map[string]any{"spec": map[string]any{}})
		return fmt.Sprint(compiled, compileErr, sum, sumErr, result, evalErr, report.Violations, report.Warnings, report.Cost, validateErr, budget, completed)
	}
	want := make([]string, kinds)
	for kind := range want {
		want[kind] = run(t.Context(), kind)
	}
	for kind := 1; kind < kinds; kind++ {
		if want[kind] == want[0] {
			t.Fatalf("kinds 0 and %d are the same: %s", kind, want[0])
		}
	}
	var group sync.WaitGroup
	for g := range goroutines {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range rounds {
				kind := (g + round) % kinds
				if got := run(t.Context(), kind); got != want[kind] {
					t.Errorf("kind %d: %s\nwant %s", kind, got, want[kind])
					return
				}
			}
		}()
	}
	group.Wait()
}
