// Costreport explains why an API server rejects the rules of a CRD for their
// estimated cost, and which bounds of the schema would change that.
//
// The first argument, if there is one, names the file for the page of the report. The
// second names a CRD to read instead of the example's.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/report/html"
)

//go:embed crd.yaml
var example []byte

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	document := example
	if len(args) > 1 {
		var err error
		if document, err = os.ReadFile(args[1]); err != nil {
			return err
		}
	}
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		return err
	}
	report, err := crd.Report("")
	if err != nil {
		return err
	}
	fmt.Print(report.Text(2, 0))
	if len(args) == 0 {
		return nil
	}
	page, err := os.Create(args[0])
	if err != nil {
		return err
	}
	if err := html.Write(page, report); err != nil {
		return err
	}
	return page.Close()
}
