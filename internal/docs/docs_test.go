package docs

import (
	"os"
	"strings"
	"testing"
)

func TestREADMEIsCurrent(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Replace(string(readme))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(readme) {
		t.Error("the table of functions in README.md is not current: run make generate")
	}
}

func TestReplaceNeedsItsLines(t *testing.T) {
	for _, document := range []string{"", Begin, End, End + Begin} {
		if _, err := Replace(document); err == nil {
			t.Errorf("Replace(%q): no error", document)
		}
	}
}

func TestFunctionsNameEveryLibrary(t *testing.T) {
	table := Functions()
	for _, want := range []string{"`isIP(", ".isSorted()", "`format.named(", ".escapeKey(", "| 1.31 |", "documented only"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q", want)
		}
	}
}
