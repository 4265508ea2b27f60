// Lint checks the CRDs in files or in the standard input, prints a line for each finding, and exits with 1 if there are any (2 on errors).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"
)

func main() {
	findings, err := run(os.Args[1:], os.Stdin, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case findings > 0:
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) (findings int, err error) {
	flags := flag.NewFlagSet("lint", flag.ExitOnError)
	name := flags.String("release", release.Newest().String(), "the release of Kubernetes that is to accept the CRDs")
	lowest := flags.Bool("lowest", false, "print the lowest release that accepts each CRD")
	_ = flags.Parse(args) // it exits on errors
	server, err := release.Parse(*name)
	if err != nil {
		return 0, err
	}
	files := flags.Args()
	if len(files) == 0 {
		return lint(out, "-", in, server, *lowest)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		found, err := lint(out, name, file, server, *lowest)
		if err := errors.Join(err, file.Close()); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		findings += found
	}
	return findings, nil
}

func lint(out io.Writer, file string, in io.Reader, server release.Release, lowest bool) (count int, err error) {
	crds, err := kubecel.ReadCRDs(in)
	for _, crd := range crds {
		findings, checkErr := crd.Check(kubecel.ForRelease(server), kubecel.AllFindings())
		accepted, acceptErr := crd.AcceptedBy()
		if err := errors.Join(checkErr, acceptErr); err != nil {
			return 0, err
		}
		for _, f := range findings {
			var expression *kubecel.CompileError
			if !errors.As(f, &expression) {
				fmt.Fprintf(out, "%s:%v: %s: %s\n", file, f.Place, f.Code, f.Server.Detail)
				continue
			}
			for _, issue := range expression.Issues {
				message := strings.TrimSuffix(issue.Message+" ("+issue.Hint+")", " ()")
				fmt.Fprintf(out, "%s:%v: %s: %s\n", file, issue.Place, f.Code, message)
			}
		}
		if r, ok := accepted.Lowest(); lowest && ok {
			fmt.Fprintf(out, "%s: %s: Kubernetes %v\n", file, crd.Name(), r)
		}
		count += len(findings)
	}
	return count, err
}
