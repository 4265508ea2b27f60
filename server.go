package kubecel

import (
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// serverConfig says which environment of an API server to use.
type serverConfig struct {
	release, compatible release.Release
	stored              bool
	// libraries are those of the caller, which no server has.
	libraries []library.Library
	err       error
}

func newServerConfig(opts []CRDOption) (c serverConfig) {
	each(opts, func(opt CRDOption) { opt.applyCRD(&c) })
	return c
}

// of returns the release, the newest by default.
func (c serverConfig) of() release.Release {
	if c.release.IsZero() {
		return release.Newest()
	}
	return c.release
}

// env returns the server's environment; explicit tells whether the caller chose it.
func (c serverConfig) env() (s server.Environment, explicit bool, err error) {
	r := c.of()
	switch {
	case c.err != nil:
		return s, false, c.err
	case c.stored && !c.compatible.IsZero():
		return s, false, errors.New("stored expressions are evaluated whatever the server is compatible with")
	case r.Before(c.compatible):
		return s, false, fmt.Errorf("a server of Kubernetes %v cannot be compatible with %v: it does not know it", r, c.compatible)
	case c.stored:
		return server.StoredIn(r), true, nil
	case !c.compatible.IsZero():
		return server.CompatibleWith(r, c.compatible), true, nil
	case !c.release.IsZero():
		return server.WrittenTo(r), true, nil
	}
	return server.StoredIn(r), false, nil
}

// written returns the environment in which the server compiles what is written.
func (c serverConfig) written() (*compile.Env, error) {
	s, explicit, err := c.env()
	if err != nil {
		return nil, optionError(err)
	}
	if !explicit {
		s = server.WrittenTo(release.Newest())
	}
	return c.environment(s)
}

// evaluating returns the environment in which the server evaluates what it has
// stored, whatever it is compatible with.
func (c serverConfig) evaluating() (*compile.Env, error) {
	if _, _, err := c.env(); err != nil {
		return nil, optionError(err)
	}
	return c.environment(server.StoredIn(c.of()))
}

// environment returns the environment of a server, with the libraries of the caller.
func (c serverConfig) environment(s server.Environment) (*compile.Env, error) {
	build := func() (*compile.Env, error) { return compile.ForServer(s) }
	if len(c.libraries) > 0 {
		c.release, c.stored = c.of(), s == server.StoredIn(c.of())
		if c.stored {
			c.compatible = release.Release{}
		}
		build = func() (*compile.Env, error) { return buildBase(envConfig{libraries: c.libraries, server: c}) }
	}
	env, err := build()
	return env, optionError(err)
}
