package library

import "slices"

// The servers that are known.
var (
	oldestServer = Introduced(1, 25)
	newestServer = Introduced(1, 37)
	// firstVersioned is the first server that compiles what is written to it in
	// the environment of the release before.
	firstVersioned = Introduced(1, 28)
)

// Accepted is the release of the first API server that accepts the library in
// new expressions: by default, the one after the version that introduced it.
func (l Library) Accepted() Version {
	first := oldestServer
	if l.Since.Compare(firstVersioned) >= 0 {
		first = Introduced(l.Since.Major, l.Since.Minor+1)
	}
	if l.FirstServer.Compare(first) > 0 {
		first = l.FirstServer
	}
	return first
}

// knownTo tells whether a server knows the library at all.
func (l Library) knownTo(server Version) bool {
	return l.FirstServer.Compare(server) <= 0 && (l.LastServer.IsZero() || l.LastServer.Compare(server) >= 0)
}

// Of returns the libraries of the environment version v of a server. That is
// what a server compiles new expressions in with the version before its own, and
// evaluates stored ones in with its own.
func Of(server, v Version) []Library {
	return slices.DeleteFunc(all(), func(l Library) bool {
		return l.Since.Compare(v) > 0 || !l.Until.IsZero() && l.Until.Compare(v) <= 0 || !l.knownTo(server)
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
