package compile

import (
	"sync"

	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// ForServer returns the environment of a server. It is built once, when it is
// first asked for, because it is immutable and costs milliseconds.
func ForServer(s server.Environment) (*Env, error) {
	if build, ok := environments[s]; ok {
		return build()
	}
	return New(Config{Libraries: s.Libraries(), Server: s})
}

// environments holds a builder for each environment of the known servers, so
// that no more of them are kept than there are.
var environments = func() map[server.Environment]func() (*Env, error) {
	all := map[server.Environment]func() (*Env, error){}
	for _, r := range release.All() {
		for _, version := range release.All() {
			s := server.CompatibleWith(r, version)
			if !s.Release.Before(version) {
				all[s] = sync.OnceValues(func() (*Env, error) { return New(Config{Libraries: s.Libraries(), Server: s}) })
			}
		}
	}
	return all
}()
