package library

import (
	"slices"

	"github.com/kubecel/kubecel/release"
)

// Kubernetes returns the libraries that Kubernetes owns, in the order in which
// an API server adds them to its base environment. The versions are those of
// k8s.io/apiserver v0.37.2, pkg/cel/environment. [JSONPatch] is not among them:
// only mutating admission policies have it.
func Kubernetes() []Library {
	return []Library{
		URLs(),
		Regex(),
		ListsV0(),
		Authz(),
		Quantity(),
		IP(),
		CIDR(),
		Format(),
		AuthzSelectors(),
		Semver(),
		Lists(),
	}
}

// Environment returns the libraries of the environment version v, as a server
// of Kubernetes 1.37 has it.
func Environment(v release.Release) []Library { return Of(release.Newest(), v) }

// Stored returns the libraries with which a server of Kubernetes 1.37 evaluates
// what it has accepted: the newest of each, whatever the version.
func Stored() []Library {
	return slices.DeleteFunc(all(), func(l Library) bool { return !l.Until.IsZero() || !l.knownTo(release.Newest()) })
}

func all() []Library { return append(Extensions(), Kubernetes()...) }
