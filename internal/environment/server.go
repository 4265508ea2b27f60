package environment

import (
	"sync"

	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

var (
	// lazySince is the first server that evaluates the value of an optional for
	// optMap and optFlatMap only if it is needed (cel-go 0.22).
	lazySince = release.Minor(32)
	// optionalOldSelfSince is the first server that does not drop the field
	// optionalOldSelf of a rule (feature gate CRDValidationRatcheting).
	optionalOldSelfSince = release.Minor(30)
)

// Server is an environment of an API server.
type Server struct {
	// Release is the release of the server, at least release.Versioned.
	Release release.Release
	// Version is the version of the environment.
	Version release.Release
}

// WrittenTo is the environment in which a server compiles what is written to
// it: that of the release before, so that a cluster can be rolled back.
func WrittenTo(r release.Release) Server {
	r = versioned(r)
	return Server{Release: r, Version: r.Previous()}
}

// versioned returns the release that a release behaves as.
func versioned(r release.Release) release.Release {
	if r.Before(release.Versioned()) {
		return release.Versioned()
	}
	return r
}

// StoredIn is the environment in which a server evaluates what it has accepted:
// everything that it knows.
func StoredIn(r release.Release) Server {
	if r.Before(release.Versioned()) {
		return WrittenTo(r)
	}
	return Server{Release: r, Version: r}
}

// CompatibleWith is the environment in which a server compiles what is written
// to it if it is told to be compatible with another release than the one before
// its own.
func CompatibleWith(r, version release.Release) Server {
	return Server{Release: versioned(r), Version: version}
}

// Libraries are the libraries of the environment.
func (s Server) Libraries() []library.Library {
	return library.For(s.Release, s.Version)
}

// Env returns the environment, which is built once.
func (s Server) Env() (*Env, error) {
	if build, ok := environments[s]; ok {
		return build()
	}
	return s.build()
}

func (s Server) build() (*Env, error) {
	return New(Config{Libraries: s.Libraries(), Server: s})
}

// environments builds each environment when it is first asked for.
var environments = func() map[Server]func() (*Env, error) {
	all := map[Server]func() (*Env, error){}
	for _, r := range release.All() {
		for _, version := range release.All() {
			if s := (Server{Release: r, Version: version}); r == versioned(r) && !version.After(r) {
				all[s] = sync.OnceValues(s.build)
			}
		}
	}
	return all
}()

// Stored returns the environment in which a server of the newest release
// evaluates what it has accepted.
func Stored() (*Env, error) { return StoredIn(release.Newest()).Env() }

// Written returns the environment in which a server of the newest release
// compiles what is written to it.
func Written() (*Env, error) { return WrittenTo(release.Newest()).Env() }
