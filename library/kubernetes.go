package library

// Kubernetes returns the libraries that Kubernetes owns, in the order in which
// an API server adds them to its base environment. The versions are those of
// k8s.io/apiserver v0.37.2, pkg/cel/environment. [JSONPatch] is not among them:
// only mutating admission policies have it.
func Kubernetes() []Library {
	return []Library{
		URLs(),
		Regex(),
		ListsV0(),
		Quantity(),
		IP(),
		CIDR(),
		Semver(),
		Lists(),
	}
}
