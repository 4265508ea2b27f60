package docs

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/release"
)

func TestFilesAreCurrent(t *testing.T) {
	const root = "../../"
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(root + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current: run make generate; %v", name, err)
		}
	}
	if stored, err := os.ReadDir(root + "testdata/capabilities"); err != nil || len(stored) != len(release.All()) {
		t.Errorf("%d files of capabilities, want one for each release; %v", len(stored), err)
	}
}

func TestFunctionsNameEveryLibrary(t *testing.T) {
	table := string(Functions())
	for _, want := range []string{"`isIP(", ".isSorted()", "`format.named(", ".escapeKey(", "| 1.31 |", "documented only"} {
		if !strings.Contains(table, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
}
