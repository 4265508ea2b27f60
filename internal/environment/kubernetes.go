package environment

import (
	"sync"

	"github.com/kubecel/kubecel/library"
)

// compatibility is the environment version in which a server of Kubernetes 1.37
// compiles what is written to it: that of the release before, so that a cluster
// can be rolled back.
var compatibility = library.Introduced(1, 36)

// Stored returns the environment in which a server of Kubernetes 1.37 evaluates
// what it has accepted.
var Stored = sync.OnceValues(func() (*Env, error) {
	return New(Config{Libraries: library.Stored()})
})

// Written returns the environment in which a server of Kubernetes 1.37 compiles
// what is written to it.
var Written = sync.OnceValues(func() (*Env, error) {
	return New(Config{Libraries: library.Environment(compatibility), Known: library.Stored()})
})
