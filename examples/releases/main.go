// Releases prints for each rule of a CustomResourceDefinition the lowest release
// of Kubernetes that accepts it, and why.
//
// Its arguments are files with CRDs. Without arguments it reads a CRD of its own, and
// those of the Gateway API from the Go module sigs.k8s.io/gateway-api.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"
)

const (
	module = "sigs.k8s.io/gateway-api@v1.4.1"
	crds   = "config/crd/experimental/*_*.yaml"
)

//go:embed crd.yaml
var own []byte

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, files []string) error {
	if len(files) > 0 {
		return printFiles(out, files, true)
	}
	if err := printCRD(out, "examples/releases/crd.yaml", own, true); err != nil {
		return err
	}
	dir, err := download(module)
	if err != nil {
		return err
	}
	files, err = filepath.Glob(filepath.Join(dir, filepath.FromSlash(crds)))
	if err != nil {
		return err
	}
	return printFiles(out, files, false)
}

func printFiles(out io.Writer, files []string, every bool) error {
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := printCRD(out, filepath.Base(file), document, every); err != nil {
			return err
		}
	}
	return nil
}

// printCRD prints the rules of one CRD: every one, or those that not every
// release accepts.
func printCRD(out io.Writer, name string, document []byte, every bool) error {
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return err
	}
	accepted, err := crd.AcceptedBy()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(out, "%s\n  the CRD: %s; rules: %d\n", name, releases(&accepted.Acceptance), len(accepted.Rules))
	oldest := release.All()[0]
	for _, rule := range accepted.Rules {
		if lowest, ok := rule.Lowest(); !every && ok && lowest == oldest {
			continue
		}
		fmt.Fprintf(out, "  %-12s %s\n", releases(&rule.Acceptance), oneLine(rule.Rule))
		for _, r := range rule.Deciding() {
			fmt.Fprintf(out, "    %v\n", r)
		}
		if len(rule.Deciding()) == 0 {
			printRejections(out, rule)
		}
	}
	fmt.Fprintln(out)
	return nil
}

// printRejections prints what a release says if it is not a feature that it
// lacks: a cost, a type.
func printRejections(out io.Writer, rule kubecel.RuleAcceptance) {
	for _, v := range rule.Verdicts {
		if v.Err != nil {
			fmt.Fprintf(out, "    Kubernetes %v: %s\n", v.Release, oneLine(v.Err.Error()))
		}
	}
}

// releases names the releases that accept something.
func releases(a *kubecel.Acceptance) string {
	accepting := a.Releases()
	switch {
	case len(accepting) == 0:
		return "none"
	case len(accepting) == len(release.All()):
		return "all"
	}
	last := accepting[len(accepting)-1]
	if last == release.Newest() {
		return accepting[0].String() + "+"
	}
	return fmt.Sprintf("%v to %v", accepting[0], last)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// download finds the directory of a module, which the go command fetches if it
// is not there.
func download(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	return m.Dir, nil
}
