package compile

import (
	"sync"

	"github.com/kubecel/kubecel/internal/server"
)

// ForServer returns the environment of a server. It is built once, when it is
// first asked for, because it is immutable and costs milliseconds.
func ForServer(s server.Environment) (*Env, error) {
	build, _ := environments.LoadOrStore(s, sync.OnceValues(func() (*Env, error) {
		return New(Config{Libraries: s.Libraries(), Server: s})
	}))
	return build.(func() (*Env, error))()
}

// environments are builders by server. Callers ask only for known releases.
var environments sync.Map
