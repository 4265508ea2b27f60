// Command recorder prints what the release whose modules it was built with
// answers to the whole corpus.
//
// It is built in a module of its own for every release, since the requirements
// of releases exclude each other: see releases.go of the oracle.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: recorder testdata [release=folder of CRDs]...")
	}
	if err := record(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func record(testdata string, folders []string) error {
	c, err := parity.LoadCorpus(testdata)
	if err != nil {
		return err
	}
	var crds []parity.CRDCase
	var schemas []parity.SchemaCase
	for _, f := range folders {
		release, dir, ok := strings.Cut(f, "=")
		if !ok {
			return fmt.Errorf("%q is not of the form release=folder", f)
		}
		more, err := parity.ReadCRDs(release, dir)
		if err != nil {
			return err
		}
		for _, crd := range more {
			s, err := parity.SchemasOf(crd)
			if err != nil {
				return err
			}
			schemas = append(schemas, s...)
		}
		crds = append(crds, more...)
	}
	answers := parity.Ask(reference.New(reference.Stored), reference.New(reference.Written), c, schemas, crds)
	out := bufio.NewWriter(os.Stdout)
	if err := parity.WriteAnswers(out, answers, nil); err != nil {
		return err
	}
	return out.Flush()
}
