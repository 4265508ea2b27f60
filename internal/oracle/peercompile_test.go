//go:build unix

package main

import (
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	apiserverlibrary "k8s.io/apiserver/pkg/cel/library"
)

// writtenExpressions are of the sizes and with the functions that rules and policies have.
var writtenExpressions = []string{
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

// estimatedRows compile expressions with an estimate.
func estimatedRows(t *testing.T, measure func(row)) { compiledRows(t, writtenExpressions, measure) }

// refusedRows find out what is wrong with expressions.
func refusedRows(t *testing.T, measure func(row)) { compiledRows(t, badExpressions, measure) }

func compiledRows(t *testing.T, expressions []string, measure func(row)) {
	sides := compileSides(t)
	for _, expr := range expressions {
		measure(row{name: expr, contestants: []func(){func() { sides[0](expr) }, func() { sides[1](expr) }}})
	}
}
