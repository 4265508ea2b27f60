// Package server knows which environments the releases of the API server have:
// the libraries of each, and the release from which on a server accepts what.
package server

import (
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// Releases in which servers changed something that no library declares.
var (
	// Versioned is the first server with two environments. Older ones behave as it
	// does.
	Versioned = release.Minor(28)
	// LazySince is the first server that evaluates the value of an optional for
	// optMap and optFlatMap only if it is needed (cel-go 0.22).
	LazySince = release.Minor(32)
	// OptionalOldSelfSince is the first server that does not drop the field
	// optionalOldSelf of a rule (feature gate CRDValidationRatcheting).
	OptionalOldSelfSince = release.Minor(30)
	// UnchangedCostSince is the first server that does not limit the cost of each
	// expression in a version whose schema an update does not change.
	UnchangedCostSince = release.Minor(29)
	// FormatPanics is the server that cannot compile a call of format on a text
	// that is no literal: the check of these calls panics. It came with cel-go
	// v0.20 and was mended in v0.22.
	FormatPanics = release.Minor(31)
	// FormatUnchecked is the last server that checks no calls of format.
	FormatUnchecked = release.Minor(30)
)

// Environment is an environment of an API server. It is comparable.
type Environment struct {
	// Release is the release of the server, at least [Versioned].
	Release release.Release
	// Version is the version of the environment.
	Version release.Release
}

// WrittenTo is the environment in which a server compiles what is written to
// it: that of the release before, so that a cluster can be rolled back.
func WrittenTo(r release.Release) Environment {
	r = versioned(r)
	return Environment{Release: r, Version: r.Add(-1)}
}

// StoredIn is the environment in which a server evaluates what it has accepted:
// everything that it knows.
func StoredIn(r release.Release) Environment {
	if r.Before(Versioned) {
		return WrittenTo(r)
	}
	return Environment{Release: r, Version: r}
}

// CompatibleWith is the environment in which a server compiles what is written
// to it if it is told to be compatible with another release than the one before
// its own.
func CompatibleWith(r, version release.Release) Environment {
	return Environment{Release: versioned(r), Version: version}
}

// versioned returns the release that a release behaves as.
func versioned(r release.Release) release.Release {
	if r.Before(Versioned) {
		return Versioned
	}
	return r
}

// Libraries are the libraries of the environment.
func (e Environment) Libraries() []library.Library { return library.For(e.Release, e.Version) }
