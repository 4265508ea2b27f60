package docs

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/release"
)

func TestFunctionsAreCurrent(t *testing.T) {
	got, err := os.ReadFile("../../" + FunctionsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, Functions()) {
		t.Errorf("%s is not current: run make generate", FunctionsFile)
	}
}

func TestCodesAreCurrent(t *testing.T) {
	source, err := os.ReadFile("../../" + CodesSource)
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../" + CodesDocument)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := ReplaceCodes(document, source); err != nil || !bytes.Equal(document, want) {
		t.Errorf("%s is not current: run make generate; %v", CodesDocument, err)
	}
}

func TestCapabilitiesAreCurrent(t *testing.T) {
	files, err := os.ReadDir("../../" + CapabilitiesDir)
	if err != nil || len(files) != len(release.All()) {
		t.Fatalf("%d files, want one for each release; %v", len(files), err)
	}
	for _, release := range release.All() {
		got, err := os.ReadFile("../../" + CapabilitiesDir + "/" + release.String() + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if want, err := Capabilities(release); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the capabilities of %v are not current: run make generate; %v", release, err)
		}
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
