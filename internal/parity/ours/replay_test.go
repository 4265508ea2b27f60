package ours

import (
	"path/filepath"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
)

// TestReplay holds kubecel against every recorded answer of the API server.
func TestReplay(t *testing.T) {
	withoutRace(t)
	parity.Replay(t, filepath.Join("..", "..", "..", "testdata"), New(), true)
}
