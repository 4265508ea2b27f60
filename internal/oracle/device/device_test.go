package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"

	"github.com/kubecel/kubecel/admission/device"
	"github.com/kubecel/kubecel/diag"
)

// theirs is a device as the server has it.
func theirs(t *testing.T, d device.Device) (to dracel.Device) {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var own resourceapi.Device
	if err := json.Unmarshal(text, &own); err != nil {
		t.Fatal(err)
	}
	// An empty list has no JSON form.
	for name, a := range d.Attributes {
		own.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{
			IntValue: a.Int, BoolValue: a.Bool, StringValue: a.String, VersionValue: a.Version,
			IntValues: a.Ints, BoolValues: a.Bools, StringValues: a.Strings, VersionValues: a.Versions,
		}
	}
	shared := d.AllowMultipleAllocations
	return dracel.Device{Driver: d.Driver, AllowMultipleAllocations: &shared, Attributes: own.Attributes, Capacity: own.Capacity}
}

// environments are those in which selectors are compared.
var environments = []device.Options{
	{},
	{Written: true},
	{Written: true, ConsumableCapacity: true},
	{Written: true, ListTypeAttributes: true},
	{Written: true, ConsumableCapacity: true, ListTypeAttributes: true},
	{CostLimit: 12},
}

// compiled compiles a selector in the module of the server.
func compiled(expression string, o device.Options) dracel.CompilationResult {
	features := dracel.Features{EnableConsumableCapacity: o.ConsumableCapacity, EnableListTypeAttributes: o.ListTypeAttributes}
	env, limit := environment.StoredExpressions, (*uint64)(nil)
	if o.Written {
		env = environment.NewExpressions
	}
	if o.CostLimit > 0 {
		limit = &o.CostLimit
	}
	return dracel.GetCompiler(features).CompileCELExpression(expression, dracel.Options{EnvType: &env, CostLimit: limit})
}

// TestSelectors compares what becomes of every expression for every device.
func TestSelectors(t *testing.T) {
	devices := Devices()
	counts := map[string]int{}
	for _, o := range environments {
		for _, expression := range Expressions() {
			want := compiled(expression, o)
			selector, err := device.Compile(expression, o)
			if want.Error != nil || err != nil {
				counts["do not compile"]++
				var failed *diag.CompileError
				if want.Error == nil || !errors.As(err, &failed) || failed.Server != want.Error.Detail {
					t.Errorf("%+v: %s:\n%v\nserver: %v", o, expression, err, want.Error)
				}
				continue
			}
			counts["expressions"]++
			if got := selector.Estimate().Max; got != want.MaxCost {
				t.Errorf("%+v: %s: estimate %d, server %d", o, expression, got, want.MaxCost)
			}
			for i, d := range devices {
				got := outcome(selector.Match(context.Background(), d))
				if seen := outcomes(want, theirs(t, d), got); !seen[got] {
					t.Errorf("%+v: %s: device %d: %s, server %v", o, expression, i, got, slices.Sorted(maps.Keys(seen)))
				}
				counts["evaluations"]++
			}
		}
	}
	t.Logf("%d expressions, %d devices, in %d environments: %v", len(Expressions()), len(devices), len(environments), counts)
}

// outcomes are those of the server until it has the one that is looked for: the order in which it
// iterates a map is random, and cost and errors depend on it.
func outcomes(c dracel.CompilationResult, d dracel.Device, want string) map[string]bool {
	seen := map[string]bool{}
	for range 500 {
		if seen[theirOutcome(c, d)] = true; seen[want] {
			break
		}
	}
	return seen
}

func outcome(r device.Result, err error) string {
	var failed *diag.EvalError
	if errors.As(err, &failed) {
		return fmt.Sprintf("%q at %d", failed.Server, r.Cost)
	}
	if err != nil {
		return fmt.Sprintf("%q", err)
	}
	return fmt.Sprintf("%v at %d", r.Matches, r.Cost)
}

func theirOutcome(c dracel.CompilationResult, d dracel.Device) string {
	matches, details, err := c.DeviceMatches(context.Background(), d)
	switch {
	case err != nil && details == nil:
		return fmt.Sprintf("%q", err)
	case err != nil:
		return fmt.Sprintf("%q at %d", err, *details.ActualCost())
	}
	return fmt.Sprintf("%v at %d", matches, *details.ActualCost())
}
