//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/parity"

	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// peerExpressions are expressions as admission policies have them, over dynamic data.
var peerExpressions = []string{
	`object.spec.replicas <= 5`,
	`object.metadata.name.startsWith('web-')`,
	`has(object.metadata.labels) && 'app' in object.metadata.labels`,
	`object.metadata.labels.app == object.spec.selector.matchLabels.app`,
	`object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))`,
	`object.spec.template.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.readOnlyRootFilesystem) && c.securityContext.readOnlyRootFilesystem == true)`,
	`!object.spec.template.spec.containers.exists(c, has(c.securityContext) && has(c.securityContext.privileged) && c.securityContext.privileged)`,
	`object.spec.template.spec.containers.all(c, has(c.resources.limits) && has(c.resources.limits.memory))`,
	`object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest') && c.image.contains(':'))`,
	`object.spec.template.spec.containers.map(c, c.name).all(n, n.size() <= 63)`,
	`object.spec.template.spec.containers.filter(c, c.image.startsWith('registry.example.com/')).size() == size(object.spec.template.spec.containers)`,
	`object.spec.replicas == oldObject.spec.replicas || request.operation == 'UPDATE'`,
	`!has(object.spec.template.spec.hostNetwork) || object.spec.template.spec.hostNetwork == false`,
	`has(object.spec.template.spec.volumes) ? object.spec.template.spec.volumes.all(v, !has(v.hostPath)) : true`,
	`object.metadata.labels.all(k, k.size() < 64 && object.metadata.labels[k].size() < 64)`,
	`request.operation in ['CREATE', 'UPDATE'] && request.userInfo.username != 'system:anonymous'`,
	`request.userInfo.groups.exists(g, g == 'system:masters')`,
	`'system:authenticated' in request.userInfo.groups`,
	`object.spec.template.spec.containers.exists_one(c, c.name == 'main')`,
	`object.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,
	`object.spec.template.spec.containers.all(c, c.ports.all(p, p.containerPort > 1024 && p.containerPort < 65536))`,
	`object.?spec.?template.?spec.?priorityClassName.orValue('none') != 'system-node-critical'`,
	`object.spec.template.spec.containers.all(c, !has(c.env) || c.env.all(e, !e.name.startsWith('SECRET_') || has(e.valueFrom)))`,
	`object.kind == 'Deployment' && object.apiVersion == 'apps/v1' && object.metadata.namespace != 'kube-system'`,
	`oldObject.metadata.annotations['example.com/owner'] == object.metadata.annotations['example.com/owner']`,
	`object.spec.template.spec.containers.map(c, c.image.split('/')[0]).exists(r, r in ['registry.example.com', 'docker.io'])`,
	`quantity(object.spec.template.spec.containers[0].resources.limits.memory).isLessThan(quantity('4Gi'))`,
	`object.spec.strategy.type == 'RollingUpdate' ? object.spec.strategy.rollingUpdate.maxSurge >= 1 : object.spec.replicas == 1`,
	`object.metadata.labels.exists(k, k == 'team' && object.metadata.labels[k] in ['a', 'b', 'web'])`,
	`'replicas too high: ' + string(object.spec.replicas) + ' in ' + object.metadata.name`,
}

// slowExpressions are what an engine with its own fast paths may forget.
var slowExpressions = []string{
	`object.spec == oldObject.spec`,
	`object.spec.template != oldObject.spec.template`,
	`object.spec.numbers.sum() > 0`,
	`object.spec.numbers.isSorted()`,
	`object.spec.numbers.min() == 0`,
	`object.spec.numbers.max() == 99`,
	`object.spec.numbers.indexOf(50) == 50`,
	`sets.contains(object.spec.names, ['name1', 'name2', 'name99'])`,
	`sets.contains(['CREATE', 'UPDATE'], [request.operation])`,
	`(object.spec.names + oldObject.spec.names).size() == 200`,
	`(object.spec.numbers + [1, 2, 3]).all(n, n >= 0)`,
}

// peerVariables are a Deployment, what it was before, and the request.
func peerVariables() map[string]any {
	var containers, numbers, names []any
	for i, name := range []string{"main", "sidecar", "proxy", "metrics"} {
		containers = append(containers, map[string]any{
			"name": name, "image": "registry.example.com/team/" + name + ":1.2.3",
			"securityContext": map[string]any{"readOnlyRootFilesystem": true, "privileged": false},
			"resources":       map[string]any{"limits": map[string]any{"cpu": "500m", "memory": "512Mi"}},
			"ports":           []any{map[string]any{"containerPort": int64(8080 + i)}, map[string]any{"containerPort": int64(9090 + i)}},
			"env":             []any{map[string]any{"name": "MODE", "value": "x"}, map[string]any{"name": "SECRET_A", "valueFrom": map[string]any{}}},
		})
	}
	for i := range 100 {
		numbers = append(numbers, int64(i))
		names = append(names, fmt.Sprint("name", i))
	}
	labels := map[string]any{"app": "web", "team": "web", "tier": "front", "version": "v1"}
	object := map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{
			"name": "web-front", "namespace": "shop", "labels": labels, "annotations": map[string]any{"example.com/owner": "shop"},
		},
		"spec": map[string]any{
			"replicas": int64(3), "selector": map[string]any{"matchLabels": map[string]any{"app": "web"}},
			"strategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": int64(1)}},
			"template": map[string]any{"spec": map[string]any{
				"containers": containers, "volumes": []any{map[string]any{"name": "a", "emptyDir": map[string]any{}}},
			}},
			"numbers": numbers, "names": names,
		},
	}
	return map[string]any{
		"object": object, "oldObject": parity.DeepCopy(object),
		"request": map[string]any{
			"operation": "UPDATE",
			"userInfo":  map[string]any{"username": "jane", "groups": []any{"dev", "shop", "system:authenticated"}},
		},
	}
}

func evalRows(t *testing.T, measure func(row)) { expressionRows(t, peerExpressions, measure) }
func slowRows(t *testing.T, measure func(row)) { expressionRows(t, slowExpressions, measure) }

// expressionRows evaluate as an admission policy does, and with cel-go as it is without
// the count of costs.
func expressionRows(t *testing.T, expressions []string, measure func(row)) {
	vars := peerVariables()
	opts := environment.VersionedOptions{IntroducedVersion: environment.DefaultCompatibilityVersion()}
	own := []kubecel.EnvOption{}
	for _, name := range []string{"object", "oldObject", "request"} {
		opts.EnvOptions = append(opts.EnvOptions, cel.Variable(name, cel.DynType))
		own = append(own, kubecel.Variable(name, cel.DynType))
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(opts)
	if err != nil {
		t.Fatal(err)
	}
	env, err := kubecel.NewEnv(own...)
	if err != nil {
		t.Fatal(err)
	}
	theirs := set.StoredExpressionsEnv()
	activation, err := interpreter.NewActivation(vars)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := cel.NewEnv(append(opts.EnvOptions, cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true), ext.Strings(ext.StringsVersion(2)),
		ext.Sets(), library.Lists(), library.Quantity())...)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	evaluate := func(text string, opts ...cel.ProgramOption) func() string {
		ast, issues := theirs.Compile(text)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		prog, err := theirs.Program(ast, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return func() string {
			val, details, err := prog.ContextEval(ctx, activation)
			if err != nil {
				t.Fatal(text, err)
			}
			if c := details.ActualCost(); c != nil {
				return fmt.Sprint(val, *c)
			}
			return fmt.Sprint(val)
		}
	}
	// The results are compared once: to print them would be measured too.
	for _, text := range expressions {
		counted := []cel.ProgramOption{
			cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(&library.CostEstimator{}),
			cel.InterruptCheckFrequency(celconfig.CheckFrequency), cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		}
		want := evaluate(text, counted...)
		expr, err := env.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := expr.Eval(ctx, vars)
		if err != nil {
			t.Fatal(text, err)
		}
		// The reference walks maps in random order.
		if possible := func() bool { return fmt.Sprint(r.Value, r.Cost) == want() }; !slices.ContainsFunc(make([]int, 100), func(int) bool { return possible() }) {
			t.Errorf("%s: %v at %d; the reference: %s", text, r.Value, r.Cost, want())
		}
		run := func(env *cel.Env, opts []cel.ProgramOption) func() {
			ast, issues := env.Compile(text)
			if issues.Err() != nil {
				t.Fatal(issues.Err())
			}
			prog, err := env.Program(ast, opts...)
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if _, _, err := prog.ContextEval(ctx, activation); err != nil {
					t.Fatal(err)
				}
			}
		}
		ours := func() {
			if _, err := expr.Eval(ctx, vars); err != nil {
				t.Fatal(err)
			}
		}
		uncounted := slices.Clone(counted[3:4])
		uncounted = append(uncounted, cel.EvalOptions(cel.OptOptimize))
		name := text
		if len(name) > 56 {
			name = name[:53] + "..."
		}
		measure(row{name: name, contestants: []func(){run(theirs, counted), ours, run(plain, uncounted)}})
	}
}
