package admission

import (
	"fmt"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// Option is an option of compilation. A nil option does nothing.
type Option func(*config)

type config struct{ release release.Release }

// ForRelease chooses the release of the API server. The default is the newest. An older
// one has its functions and prices; texts are those of the newest. Servers before 1.32
// did not charge admission policies for the libraries of Kubernetes: they are charged
// here.
func ForRelease(r release.Release) Option { return func(c *config) { c.release = r } }

func newConfig(opts []Option) (config, error) {
	c := config{release: release.Newest()}
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	if err := c.release.Check(); err != nil {
		return c, &diag.InputError{Code: diag.ReleaseUnknown, Detail: err.Error(), Cause: err}
	}
	return c, nil
}

// stored is the environment in which the server evaluates.
func (c config) stored() server.Environment { return server.StoredIn(c.release) }

// written is the environment in which the server compiles what is written to it.
func (c config) written() server.Environment { return server.WrittenTo(c.release) }

func argumentError(format string, args ...any) error {
	return &diag.InputError{Code: diag.ArgumentInvalid, Detail: fmt.Sprintf(format, args...)}
}
