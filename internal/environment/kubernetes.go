package environment

import "github.com/kubecel/kubecel/library"

// Compatibility is the environment version in which a server of Kubernetes
// 1.37 compiles the expressions that are written to it: that of the release
// before, so that a cluster can be rolled back.
var compatibility = library.Introduced(1, 36)

// Stored returns the libraries with which a server of Kubernetes 1.37 evaluates
// what is stored: whatever any release up to this one knows. Those that no
// server has in the environment of a CRD are added for embedding.
func Stored(embedding bool) []library.Library {
	return nil
}
