package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/internal/parity"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// testdata is the main module's, seen from this folder.
var testdata = filepath.Join("..", "..", "testdata")

func main() {
	if len(os.Args) != 2 || os.Args[1] != "record" {
		log.Fatal("usage: go run . record")
	}
	if err := record(); err != nil {
		log.Fatal(err)
	}
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
	if err := parity.Record(NewReference(), c, testdata); err != nil {
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
	fmt.Printf("%d expressions, %d schemas, %d CRDs\n", n, len(c.Schemas), len(c.CRDs))
	return nil
}

func recordOverloads() error {
	env := environment.MustBaseEnvSet(version.MustParseGeneric(parity.Release)).NewExpressionsEnv()
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
