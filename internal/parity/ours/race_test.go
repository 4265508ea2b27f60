package ours

import (
	"testing"

	"github.com/kubecel/kubecel/internal/race"
)

// withoutRace leaves a test to the run without the race detector: it has only one
// goroutine, and takes minutes with it.
func withoutRace(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("one goroutine, and slow under the race detector: run without it")
	}
}
