package environment

import (
	"testing"

	"github.com/kubecel/kubecel/library"
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Config{Libraries: library.Environment(library.Introduced(1, 36))}); err != nil {
			b.Fatal(err)
		}
	}
}
