// Command oracle asks the API server's own packages every case of the corpus.
//
// "go run . record" writes their answers as goldens, which the parity module and
// the tests of the packages replay without them. "go test ./..." compares live,
// adds the rules of the Gateway API CRDs, and holds that recording again changes
// nothing. "go run . releases" records what every release answers, from its own
// modules.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/release"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// testdata is the main module's, seen from this folder.
var testdata = filepath.Join("..", "..", "testdata")

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "record":
		return record()
	case len(args) > 0 && args[0] == "releases":
		releases := parity.Releases()
		if len(args) > 1 {
			releases = nil
			for _, name := range args[1:] {
				r, err := release.Parse(name)
				if err != nil {
					return err
				}
				releases = append(releases, r)
			}
		}
		for _, r := range releases {
			if err := recordRelease(r); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("usage: go run . record | releases [1.37...]")
}

// record writes the list of overloads, on which the corpus stands, and then
// the answers to the corpus.
func record() error {
	if err := recordOverloads(); err != nil {
		return err
	}
	c, err := parity.LoadCorpus(testdata)
	if err != nil {
		return err
	}
	if err := parity.Record(reference.New(reference.Versioned), c, testdata); err != nil {
		return err
	}
	n := 0
	for _, g := range c.Expressions {
		fmt.Printf("%6d %s\n", len(g.Cases), g.Name)
		n += len(g.Cases)
	}
	for _, release := range gatewayReleases {
		if err := recordGateway(release); err != nil {
			return err
		}
	}
	if err := recordGoldens(); err != nil {
		return err
	}
	fmt.Printf("%d expressions, %d schemas, %d CRDs\n", n, len(c.Schemas), len(c.CRDs))
	return nil
}

func recordOverloads() error {
	env := environment.MustBaseEnvSet(version.MustParseGeneric(release.Newest().String())).NewExpressionsEnv()
	var lines []string
	for name, f := range env.Functions() {
		for _, o := range f.OverloadDecls() {
			l := parity.Overload{Function: name, ID: o.ID(), Member: o.IsMemberFunction(), Result: o.ResultType().String()}
			for _, a := range o.ArgTypes() {
				l.Args = append(l.Args, a.String())
			}
			lines = append(lines, l.String())
		}
	}
	slices.Sort(lines)
	dir := parity.Goldens(testdata)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overloads.txt"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
