package library

import (
	"slices"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/release"
)

// All returns every library of this package in every version, older versions
// first: settings of the language, the extension libraries of cel-go, and the
// libraries that Kubernetes owns, in the order in which an API server adds them to
// its environment. The releases are those of k8s.io/apiserver v0.37.2,
// pkg/cel/environment. [JSONPatch] is the last. Each call returns new values.
//
// An environment takes one version of a library: [For] and [Newest] return those.
func All() []Library {
	return slices.Concat(settings(), optionals(), []Library{
		integerDurations(),
		comprehensionsLibrary(),
		stringsV0(),
		stringsLibrary(),
		setsLibrary(),
		extListsLibrary(),
		urlLibrary(),
		regexLibrary(),
		listsV0(),
		authzLibrary(),
		quantityLibrary(),
		ipLibrary(),
		cidrLibrary(),
		formatLibrary(),
		selectorsLibrary(),
		semverLibrary(),
		listsLibrary(),
		JSONPatch(),
	})
}

// For returns the libraries of the environment version v of a server, in the
// newest version that both have. A server compiles new expressions with the version
// before its own, and evaluates stored ones with its own. [JSONPatch], which only
// mutating admission policies have, is not among them.
func For(server, v release.Release) []Library {
	return slices.DeleteFunc(All(), func(l Library) bool {
		return l.trait == declare.Policies || v.Before(l.since) || !l.until.IsZero() && !v.Before(l.until) ||
			server.Before(l.firstServer) || !l.lastServer.IsZero() && l.lastServer.Before(server)
	})
}

// Newest returns the newest version of every library, also of those that only
// servers before the newest have.
func Newest() []Library {
	var newest []Library
	for _, l := range All() {
		if i := slices.IndexFunc(newest, func(older Library) bool { return older.Name == l.Name }); i >= 0 {
			newest[i] = l
		} else {
			newest = append(newest, l)
		}
	}
	return newest
}

// Releases returns the first and the last release of the API server that accepts
// the library in new expressions: by default, a server accepts what the version
// before its own has. Last is zero if the newest release accepts the library.
func (l Library) Releases() (first, last release.Release) {
	first = release.Oldest()
	// Servers before 1.28 are taken to accept what 1.28 does: the environment of 1.27.
	if release.Minor(27).Before(l.since) {
		first = l.since.Add(1)
	}
	if first.Before(l.firstServer) {
		first = l.firstServer
	}
	last = l.lastServer
	if !l.until.IsZero() && (last.IsZero() || l.until.Before(last)) {
		last = l.until
	}
	return first, last
}

// Trait returns what sets the library apart for those who build environments.
func (l Library) Trait() declare.Trait { return l.trait }

// Regexes returns how constant regular expressions in calls of the library's
// functions are compiled.
func (l Library) Regexes() []declare.Regex { return slices.Clone(l.regexes) }

// costOn is the price on a release.
func (o Overload) costOn(server release.Release) cost.Model {
	for _, e := range o.earlier {
		if !e.last.Before(server) {
			return e.cost
		}
	}
	return o.Cost
}
