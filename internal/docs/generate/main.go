// Generate rewrites the table of functions in README.md.
package main

import (
	"log"
	"os"

	"github.com/kubecel/kubecel/internal/docs"
)

const readme = "README.md"

func main() {
	log.SetFlags(0)
	old, err := os.ReadFile(readme)
	if err != nil {
		log.Fatal(err)
	}
	updated, err := docs.Replace(string(old))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(readme, []byte(updated), 0o644); err != nil {
		log.Fatal(err)
	}
}
