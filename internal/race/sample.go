// Package race tells tests whether the race detector is on: it makes sync.Pool
// forget at random, so that allocations cannot be counted.
package race

// Sample returns the cases of a comparison: all of them, or every n-th under the
// race detector. Tests that sample are named Exhaustive, and `make test` runs
// them a second time without the detector.
func Sample[T any](cases []T, n int) (sample []T) {
	if !Enabled {
		n = 1
	}
	for i := 0; i < len(cases); i += n {
		sample = append(sample, cases[i])
	}
	return sample
}
