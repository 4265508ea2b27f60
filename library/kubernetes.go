package library

import "slices"

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

// Environment returns all libraries of the environment version v. Stored is the
// environment in which a server evaluates what was accepted earlier: everything
// that any version has.
func Environment(v Version) []Library {
	return slices.DeleteFunc(all(), func(l Library) bool {
		return l.Since.Compare(v) > 0 || !l.Until.IsZero() && l.Until.Compare(v) <= 0
	})
}

// Stored returns the libraries with which a server evaluates what it has
// accepted: the newest of each, whatever the version.
func Stored() []Library {
	return slices.DeleteFunc(all(), func(l Library) bool { return !l.Until.IsZero() })
}

func all() []Library { return append(Extensions(), Kubernetes()...) }
