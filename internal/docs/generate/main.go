// Generate rewrites what is derived from the registry of functions and from the codes.
package main

import (
	"log"
	"os"

	"github.com/kubecel/kubecel/internal/docs"
)

func main() {
	log.SetFlags(0)
	files, err := docs.Files(".")
	if err != nil {
		log.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
