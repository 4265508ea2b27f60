//go:build !race

// Package race tells tests whether the race detector is on: it makes sync.Pool
// forget at random, so that allocations cannot be counted.
package race

// Enabled tells whether the race detector is on.
const Enabled = false
