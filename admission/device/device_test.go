package device_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel/admission/device"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/release"
)

const gpu = `{
	"driver": "dra.example.com", "allowMultipleAllocations": true,
	"attributes": {"model": {"string": "a100"}, "index": {"int": 7}, "version": {"version": "1.2.3"}, "list": {"strings": ["a", "b"]}},
	"capacity": {"memory": {"value": "40Gi"}}
}`

func read(t *testing.T, text string) (d device.Device) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMatch matches with a device. Costs are those that the module of the scheduler charges.
func TestMatch(t *testing.T) {
	for expression, want := range map[string]string{
		`device.driver == 'dra.example.com'`:                                                      "{true 4}",
		`device.attributes['dra.example.com'].model == 'a100' && device.allowMultipleAllocations`: "{true 7}",
		`device.attributes['none.example.com'].?model.hasValue()`:                                 "{false 4}",
		`device.attributes['none.example.com'].model == 'x'`:                                      "no such key: model",
		`device.attributes['dra.example.com'].index`:                                              "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool",
		`device.capacity['dra.example.com'].memory.isGreaterThan(quantity('10Gi'))`:               "{true 6}",
	} {
		selector, err := device.Compile(expression, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := selector.Match(context.Background(), read(t, gpu))
		got := fmt.Sprint(result)
		if failed := (*diag.EvalError)(nil); errors.As(err, &failed) {
			got = failed.Server
		}
		if got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

// TestReleases holds which releases know what.
func TestReleases(t *testing.T) {
	written := func(minor int) device.Options {
		return device.Options{Release: release.Minor(minor), Written: true, ConsumableCapacity: true, ListTypeAttributes: true}
	}
	for _, tt := range []struct {
		expression string
		options    device.Options
		compiles   bool
	}{
		{`true`, device.Options{Release: release.Minor(30)}, false},
		{`true`, device.Options{Release: release.Minor(99)}, false},
		{`true`, device.Options{Release: release.Minor(31)}, true},
		{`device.allowMultipleAllocations`, device.Options{Release: release.Minor(33)}, false},
		{`device.allowMultipleAllocations`, device.Options{Release: release.Minor(34)}, true},
		{`device.allowMultipleAllocations`, written(34), false},
		{`device.allowMultipleAllocations`, written(35), true},
		{`device.attributes['a'].b.exists(x, x)`, written(36), false},
		{`device.attributes['a'].b.exists(x, x)`, written(37), true},
		{`device.attributes['a'].b.exists(x, x)`, device.Options{Written: true}, false},
		{`device.attributes['a'].b.includes(1)`, written(37), true},
		{`device.attributes['a'].b.includes(1)`, device.Options{Written: true}, false},
		{`device.driver`, device.Options{}, false},
	} {
		if _, err := device.Compile(tt.expression, tt.options); (err == nil) != tt.compiles {
			t.Errorf("%s in %+v: %v", tt.expression, tt.options, err)
		}
	}
}

// TestBadDevices holds that a device that is not valid, and a missing context, are errors of the caller.
func TestBadDevices(t *testing.T) {
	selector, err := device.Compile(`true`, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, d := range map[string]device.Device{
		"attribute a: unsupported attribute value":                                 {Attributes: map[string]device.Attribute{"a": {}}},
		"attribute b: parse semantic version: No Major.Minor.Patch elements found": {Attributes: map[string]device.Attribute{"b": {Versions: []string{"1"}}}},
	} {
		var input *diag.InputError
		if _, err := selector.Match(context.Background(), d); !errors.As(err, &input) || input.Detail != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := selector.Match(nil, device.Device{}); err == nil { //nolint:staticcheck // what is tested
		t.Error("no error without a context")
	}
	if _, err := new(device.Selector).Match(context.Background(), device.Device{}); err == nil {
		t.Error("no error of an empty selector")
	}
}

// TestSorted holds that an evaluation over maps always costs the same.
func TestSorted(t *testing.T) {
	selector, err := device.Compile(`device.attributes['d'].exists(k, k == 'c') && device.capacity.exists(k, k == 'b')`, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	yes, one := true, resource.MustParse("1")
	d := device.Device{Driver: "d", Attributes: map[string]device.Attribute{}, Capacity: map[string]device.Capacity{}}
	for _, name := range []string{"a", "b", "c", "e", "f"} {
		d.Attributes[name], d.Capacity[name+"/x"] = device.Attribute{Bool: &yes}, device.Capacity{Value: one}
	}
	seen := map[uint64]bool{}
	for range 50 {
		result, err := selector.Match(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		seen[result.Cost] = true
	}
	if len(seen) != 1 {
		t.Errorf("costs %v", seen)
	}
}
