package main

import (
	_ "embed"
	"fmt"

	"github.com/kubecel/kubecel/internal/parity"
)

//go:embed examples.yaml
var exampleFile []byte

// examplesOf are hand-written objects of a kind of the Gateway API that its
// rules accept once defaults are filled in.
func examplesOf(kind string) []map[string]any {
	doc, err := parity.Decode(exampleFile)
	if err != nil {
		panic(fmt.Sprintf("examples.yaml: %v", err))
	}
	var all []map[string]any
	for _, e := range doc.([]any) {
		if m := e.(map[string]any); m["kind"] == kind {
			all = append(all, m)
		}
	}
	return all
}
