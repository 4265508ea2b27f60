// Generate rewrites what is derived from the registry of functions: the list of
// functions in docs/functions.md, and the capabilities of each release.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/kubecel/kubecel/internal/docs"
	"github.com/kubecel/kubecel/release"
)

func main() {
	log.SetFlags(0)
	if err := generate(); err != nil {
		log.Fatal(err)
	}
}

func generate() error {
	if err := os.WriteFile(docs.FunctionsFile, docs.Functions(), 0o644); err != nil {
		return err
	}
	if err := generateCodes(); err != nil {
		return err
	}
	if err := os.MkdirAll(docs.CapabilitiesDir, 0o755); err != nil {
		return err
	}
	for _, release := range release.All() {
		content, err := docs.Capabilities(release)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs.CapabilitiesDir, release.String()+".json"), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func generateCodes() error {
	source, err := os.ReadFile(docs.CodesSource)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(docs.CodesDocument)
	if err != nil {
		return err
	}
	updated, err := docs.ReplaceCodes(old, source)
	if err != nil {
		return err
	}
	return os.WriteFile(docs.CodesDocument, updated, 0o644)
}
