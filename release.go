package kubecel

import (
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/internal/environment"
	"github.com/kubecel/kubecel/release"
)

// serverConfig says which environment of an API server to use.
type serverConfig struct {
	release, compatible release.Release
	stored              bool
	err                 error
}

// env is the environment, and whether one was asked for.
func (c serverConfig) env() (environment.Server, bool, error) {
	r := c.release
	if r.IsZero() {
		r = release.Newest()
	}
	server := environment.StoredIn(r)
	switch {
	case c.err != nil:
		return server, false, c.err
	case c.stored && !c.compatible.IsZero():
		return server, false, errors.New("stored expressions are evaluated whatever the server is compatible with")
	case c.compatible.After(r):
		return server, false, fmt.Errorf("a server of Kubernetes %v cannot be compatible with %v: it does not know it", r, c.compatible)
	case c.stored:
		return server, true, nil
	case !c.compatible.IsZero():
		return environment.CompatibleWith(r, c.compatible), true, nil
	case !c.release.IsZero():
		return environment.WrittenTo(r), true, nil
	}
	return server, false, nil
}

// ReleaseOption chooses the release of the API server. It is an option of
// environments and of the functions for CRDs.
type ReleaseOption struct{ apply func(*serverConfig) }

func (o ReleaseOption) applyEnv(c *envConfig) {
	if o.apply != nil {
		o.apply(&c.server)
		c.err, c.rebuild = c.server.err, true
	}
}

func (o ReleaseOption) applyCRD(c *crdConfig) {
	if o.apply != nil {
		o.apply(&c.server)
	}
}

// written is the environment in which the server compiles what is written.
func (c serverConfig) written() (*environment.Env, error) {
	server, given, err := c.env()
	if err != nil {
		return nil, err
	}
	if !given {
		server = environment.WrittenTo(release.Newest())
	}
	return server.Env()
}

// evaluating is the environment in which the server evaluates what it has
// stored, whatever it is compatible with.
func (c serverConfig) evaluating() (*environment.Env, error) {
	if _, _, err := c.env(); err != nil {
		return nil, err
	}
	c.compatible, c.stored = release.Release{}, true
	server, _, err := c.env()
	if err != nil {
		return nil, err
	}
	return server.Env()
}

// ForRelease gives what an API server of a release gives, without what is only
// documented: an environment is that of expressions that are written to the
// server, new or changed. In [CheckCRD] a server of the release gets the CRD, in
// [CompileCRD] it evaluates the rules of one that it has stored.
//
// For older releases, verdicts of compilation and costs match that server; texts are
// those of the newest. A release that is not known is a *release.Error.
func ForRelease(r release.Release) ReleaseOption {
	return ReleaseOption{func(c *serverConfig) { c.release, c.err = r, errors.Join(c.err, r.Check()) }}
}

// Compatibility sets with which older release a server stays compatible: it
// accepts on write what that release evaluates. By default it is the release
// before its own. A server that emulates an older version is compatible with the
// one before that, and one that will not be rolled back with its own release.
func Compatibility(r release.Release) ReleaseOption {
	return ReleaseOption{func(c *serverConfig) { c.compatible, c.err = r, errors.Join(c.err, r.Check()) }}
}

// StoredExpressions gives the environment in which a server evaluates what it
// has accepted earlier, or what a newer release had accepted before a rollback:
// everything that it knows.
func StoredExpressions() EnvOption {
	return envOption(func(c *envConfig) { c.server.stored, c.rebuild = true, true })
}
