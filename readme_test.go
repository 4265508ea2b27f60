package kubecel_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadmeQuickStart holds that the first program of the README is one of the
// examples, is short, and prints what the README says.
func TestReadmeQuickStart(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("examples/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "<!-- quick start")
	section, _, found := strings.Cut(section, "<!-- end of quick start -->")
	if !found {
		t.Fatal("README.md lacks the markers of the quick start")
	}
	if block(section, "go") != string(program) {
		t.Error("the program of README.md is not examples/quickstart/main.go")
	}
	crd, err := os.ReadFile("examples/quickstart/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if block(section, "yaml") != string(crd) {
		t.Error("the CRD of README.md is not examples/quickstart/crd.yaml")
	}
	if lines := strings.Count(string(program), "\n"); lines > 25 {
		t.Errorf("the quick start has %d lines, want at most 25", lines)
	}
	printed, err := exec.Command("go", "run", "./examples/quickstart").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := block(section, "text"); string(printed) != want {
		t.Errorf("the quick start prints\n%swhere README.md says\n%s", printed, want)
	}
}

// block is the first code block of a language.
func block(markdown, language string) string {
	_, rest, _ := strings.Cut(markdown, "```"+language+"\n")
	code, _, _ := strings.Cut(rest, "```\n")
	return code
}
