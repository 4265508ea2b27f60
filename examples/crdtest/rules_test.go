// Package crdtest shows how to test the rules of a CustomResourceDefinition: objects, and what a server says of them.
package crdtest

import (
	_ "embed"
	"slices"
	"testing"

	"github.com/kubecel/kubecel"
)

//go:embed crd.yaml
var document []byte

// TestRules creates objects, or updates old ones.
func TestRules(t *testing.T) {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := crd.Check()
	for _, f := range findings {
		t.Errorf("crd.yaml:%v: %v", f.Place, f)
	}
	rules, compileErr := crd.Compile("v1")
	if err != nil || compileErr != nil {
		t.Fatal(err, compileErr)
	}
	for _, tt := range []struct {
		name, old, object string
		violations        []string
	}{
		{name: "smallest", object: "{spec: {}}"},
		{name: "the default is within the limit", object: "{spec: {limit: 1}}"},
		{name: "the default is over the limit", object: "{spec: {limit: 0}}", violations: []string{"spec.size: the size is over the limit"}},
		{name: "over the limit", object: "{spec: {size: 7, limit: 5}}", violations: []string{"spec.size: the size is over the limit"}},
		{name: "a storage class is set", old: "{spec: {}}", object: "{spec: {storageClass: fast}}"},
		{
			name: "a storage class is changed", old: "{spec: {storageClass: fast}}", object: "{spec: {storageClass: slow}}",
			violations: []string{"spec: the storage class fast cannot be changed"},
		},
		{
			name: "a storage class is removed", old: "{spec: {storageClass: fast}}", object: "{spec: {}}",
			violations: []string{"spec: the storage class fast cannot be changed"},
		},
		{name: "what was wrong before stays", old: "{spec: {size: 7, limit: 5}}", object: "{spec: {size: 7, limit: 5}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result, err := rules.Validate(t.Context(), parse(t, tt.object), parse(t, tt.old))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range result.Violations {
				got = append(got, v.Error())
			}
			if !slices.Equal(got, tt.violations) {
				t.Errorf("violations %q, want %q", got, tt.violations)
			}
		})
	}
}

// parse reads an object, nil if there is none.
func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	object, err := kubecel.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return object
}
