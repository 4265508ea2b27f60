package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRecordedGoldens holds that recording gives exactly the files that are
// committed.
func TestRecordedGoldens(t *testing.T) {
	all, err := goldens()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		t.Run(g.file, func(t *testing.T) {
			old, err := os.ReadFile(filepath.Join(testdata, filepath.FromSlash(g.file)))
			if err != nil {
				t.Fatal(err)
			}
			now, err := g.record(old)
			if err != nil {
				t.Fatal(err)
			}
			changed := changedLines(old, now)
			for i, line := range changed {
				if i == 10 {
					t.Errorf("and %d more", len(changed)-i)
					break
				}
				t.Error(line)
			}
		})
	}
}
