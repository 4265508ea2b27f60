package main

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/release"
)

// TestPatches holds the modules that answer for releases: each release whose answers
// are recorded has them, and this module has those of the newest.
func TestPatches(t *testing.T) {
	want := parity.Releases()
	got := slices.SortedFunc(maps.Keys(patches), func(a, b release.Release) int { return b.Compare(a) })
	if !slices.Equal(got, want) {
		t.Errorf("modules of %v are known, answers are recorded of %v", got, want)
	}
	for r, version := range patches {
		if minor, _, _ := strings.Cut(strings.TrimPrefix(version, "v0."), "."); "1."+minor != r.String() {
			t.Errorf("%v has the modules %s", r, version)
		}
	}
	for _, module := range []string{"k8s.io/apiserver", "k8s.io/apiextensions-apiserver"} {
		t.Run(module, func(t *testing.T) {
			out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
			if err != nil {
				t.Fatal(err)
			}
			if version := strings.TrimSpace(string(out)); version != patches[release.Newest()] {
				t.Errorf("go.mod requires %s, releases.go has %s for %v", version, patches[release.Newest()], release.Newest())
			}
		})
	}
}
