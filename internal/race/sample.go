package race

// Sample returns the cases of a comparison: all of them, or every n-th under the
// race detector. Tests that sample are named Exhaustive, and `make test` runs
// them a second time without the detector.
func Sample[T any](cases []T, n int) []T {
	if !Enabled {
		return cases
	}
	var sample []T
	for i := 0; i < len(cases); i += n {
		sample = append(sample, cases[i])
	}
	return sample
}
