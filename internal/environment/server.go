package environment

import (
	"sync"

	"github.com/kubecel/kubecel/library"
)

// The minors of the servers that are known, all of major 1.
const (
	Oldest = 25
	Newest = 37
	// versioned is the first server that has versions of its environment. Older
	// ones are taken for it: nothing tells them apart but what their modules,
	// which no longer build, would tell.
	versioned = 28
	// lazySince is the first server that evaluates the value of an optional for
	// optMap and optFlatMap only if it is needed (cel-go 0.22).
	lazySince = 32
	// optionalOldSelfSince is the first server that does not drop the field
	// optionalOldSelf of a rule (feature gate CRDValidationRatcheting).
	optionalOldSelfSince = 30
)

// Server is an environment of an API server.
type Server struct {
	// Minor is the minor of the server, at least versioned.
	Minor int
	// Version is the minor of the version of the environment.
	Version int
}

// WrittenTo is the environment in which a server compiles what is written to
// it: that of the release before, so that a cluster can be rolled back.
func WrittenTo(minor int) Server {
	minor = max(minor, versioned)
	return Server{Minor: minor, Version: minor - 1}
}

// StoredIn is the environment in which a server evaluates what it has accepted:
// everything that it knows.
func StoredIn(minor int) Server {
	if minor < versioned {
		return WrittenTo(minor)
	}
	return Server{Minor: minor, Version: minor}
}

// CompatibleWith is the environment in which a server compiles what is written
// to it if it is told to be compatible with another release than the one before
// its own.
func CompatibleWith(minor, version int) Server {
	return Server{Minor: max(minor, versioned), Version: version}
}

// Libraries are the libraries of the environment.
func (s Server) Libraries() []library.Library {
	return library.Of(library.Introduced(1, s.Minor), library.Introduced(1, s.Version))
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
	for minor := versioned; minor <= Newest; minor++ {
		for version := Oldest; version <= minor; version++ {
			s := Server{Minor: minor, Version: version}
			all[s] = sync.OnceValues(s.build)
		}
	}
	return all
}()

// Stored returns the environment in which a server of the newest release
// evaluates what it has accepted.
func Stored() (*Env, error) { return StoredIn(Newest).Env() }

// Written returns the environment in which a server of the newest release
// compiles what is written to it.
func Written() (*Env, error) { return WrittenTo(Newest).Env() }
