package main

import (
	"flag"
	"math"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	apiserverlibrary "k8s.io/apiserver/pkg/cel/library"
)

// peerExpressions are of the sizes and with the functions that rules and policies have.
var peerExpressions = []string{
	"object.spec.replicas <= 5",
	"name.startsWith('web-') && replicas >= 1 && replicas <= 10",
	"names.all(n, n.size() <= 63 && !n.startsWith('kube-'))",
	"!has(object.metadata.labels) || !('owner' in object.metadata.labels) || object.metadata.labels['owner'] != ''",
	"object.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && 'memory' in c.resources.limits)",
	"names.exists_one(n, n == name) ? replicas + 1 : replicas - 1",
	"size(labels) < 10 && labels.all(k, k.matches('^[a-z]+$') && labels[k].size() < 64)",
	"names.map(n, n.lowerAscii()).filter(n, n.contains('a')).size() > 0",
	"quantity('10Mi').isLessThan(quantity('20Mi')) && isQuantity(name)",
	"duration('1h') > duration('30m') && timestamp('2024-01-01T00:00:00Z') < timestamp('2025-01-01T00:00:00Z')",
	"object.?spec.?template.?metadata.?labels[?'app'].orValue('none') == 'web'",
	"url(name).getScheme() in ['http', 'https'] && ip(name).family() == 4",
}

// badExpressions have errors of type and of syntax.
var badExpressions = []string{
	"names.all(n, n.size() <= '63' && !n.startsWith('kube-'))",
	"name.startWith('web-') && replicas >= 1",
	"replicas + name.size() > unknown.spec.replicas",
	"names.all(n, n.size() <= 63 && !n.startsWith('kube-')",
}

// cpuTime is what the process has used, garbage collection and all.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// cpuPerRun is the time of a run and its allocations. Runs are so many that the garbage collector works while they
// go on.
func cpuPerRun(tb testing.TB, runs int, run func()) (nanoseconds, allocs float64) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := cpuTime(tb)
	for range runs {
		run()
	}
	used := cpuTime(tb) - start
	runtime.ReadMemStats(&after)
	return float64(used.Nanoseconds()) / float64(runs), float64(after.Mallocs-before.Mallocs) / float64(runs)
}

// compileSides are functions that compile an expression and estimate its cost, of the reference and of kubecel, in an
// environment with the same variables. Kubecel plans the program too.
func compileSides(tb testing.TB) (sides [2]func(expr string)) {
	tb.Helper()
	variables := map[string]*cel.Type{
		"object": cel.DynType, "name": cel.StringType, "replicas": cel.IntType, "names": cel.ListType(cel.StringType),
		"labels": cel.MapType(cel.StringType, cel.StringType),
	}
	opts := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	own := []kubecel.EnvOption{kubecel.StoredExpressions(), kubecel.ForRelease(release.Newest())}
	for name, t := range variables {
		opts.EnvOptions = append(opts.EnvOptions, cel.Variable(name, t))
		own = append(own, kubecel.Variable(name, t))
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(opts)
	if err != nil {
		tb.Fatal(err)
	}
	reference := set.StoredExpressionsEnv()
	env, err := kubecel.NewEnv(own...)
	if err != nil {
		tb.Fatal(err)
	}
	estimator := &apiserverlibrary.CostEstimator{}
	sides[0] = func(expr string) {
		if compiled, issues := reference.Compile(expr); issues.Err() == nil {
			if _, err := reference.EstimateCost(compiled, estimator); err != nil {
				tb.Fatal(err)
			}
		}
	}
	sides[1] = func(expr string) { env.Compile(expr) }
	return sides
}

// TestPeerCompile prints how long both sides take for an expression, by processor time in turns.
func TestPeerCompile(t *testing.T) {
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "TestPeer") {
		t.Skip("run by make bench-peer")
	}
	sides := compileSides(t)
	for _, set := range []struct {
		name        string
		expressions []string
		least       float64
	}{{"accepted", peerExpressions, 4}, {"refused", badExpressions, 0}} {
		product := 1.0
		for _, expr := range set.expressions {
			const rounds, runs = 7, 400
			var times, counts [2][]float64
			for range rounds {
				for i, side := range sides {
					n, allocs := cpuPerRun(t, runs, func() { side(expr) })
					times[i], counts[i] = append(times[i], n), append(counts[i], allocs)
				}
			}
			ratio := slices.Min(times[0]) / slices.Min(times[1])
			product *= ratio
			slices.Sort(times[0])
			slices.Sort(times[1])
			t.Logf("%5.1f times less (median %5.1f), %6.0f ns and %5.0f allocations for %7.0f and %5.0f: %s", ratio,
				times[0][rounds/2]/times[1][rounds/2], times[1][0], slices.Min(counts[1]), times[0][0], slices.Min(counts[0]), expr)
		}
		mean := math.Pow(product, 1/float64(len(set.expressions)))
		t.Logf("%s: %.1f times less, geometric mean", set.name, mean)
		if mean < set.least {
			t.Errorf("%s: less than %v times less than the reference", set.name, set.least)
		}
	}
}
