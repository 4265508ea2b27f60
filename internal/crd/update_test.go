package crd

import (
	"testing"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// TestCheckUpdates checks updates as the API server did.
func TestCheckUpdates(t *testing.T) {
	var cases []struct {
		Name string     `json:"name"`
		Old  schemaCase `json:"old"`
		New  schemaCase `json:"new"`
	}
	load(t, "updates.yaml", &cases)
	golden := map[string]goldenErrors{}
	load(t, "updates.golden.json", &golden)
	if len(cases) != len(golden) {
		t.Errorf("%d cases, %d goldens", len(cases), len(golden))
	}
	newest := release.Newest()
	written, err := compile.ForServer(server.WrittenTo(newest))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			want, ok := golden[c.Name]
			if !ok {
				t.Fatal("no golden")
			}
			stored := NewStored(c.Old.definition(t), testRules(t), newest)
			want.compare(t, errorsOf(CheckUpdate(c.New.definition(t), stored, written.Rules(), false)))
		})
	}
}
