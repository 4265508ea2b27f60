package library

import (
	"slices"

	"github.com/kubecel/kubecel/release"
)

// Accepted is the release of the first API server that accepts the library in
// new expressions: by default, the one after the version that introduced it.
func (l Library) Accepted() release.Release {
	first := release.Oldest()
	if !l.Since.Before(release.Versioned()) {
		first = l.Since.Next()
	}
	if l.FirstServer.After(first) {
		first = l.FirstServer
	}
	return first
}

// knownTo tells whether a server knows the library at all.
func (l Library) knownTo(server release.Release) bool {
	return !l.FirstServer.After(server) && (l.LastServer.IsZero() || !l.LastServer.Before(server))
}

// Of returns the libraries of the environment version v of a server. That is
// what a server compiles new expressions in with the version before its own, and
// evaluates stored ones in with its own.
func Of(server, v release.Release) []Library {
	return slices.DeleteFunc(all(), func(l Library) bool {
		return l.Since.After(v) || !l.Until.IsZero() && !l.Until.After(v) || !l.knownTo(server)
	})
}

// Retired returns the libraries that only servers before the newest have, and
// that no newer version of them has replaced.
func Retired() []Library {
	newest := Stored()
	return slices.DeleteFunc(all(), func(l Library) bool {
		return l.LastServer.IsZero() || slices.ContainsFunc(newest, func(other Library) bool { return other.Name == l.Name })
	})
}
