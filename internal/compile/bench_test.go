package compile

import (
	"testing"

	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Config{Libraries: library.For(release.Newest(), release.Minor(36))}); err != nil {
			b.Fatal(err)
		}
	}
}
