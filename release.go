package kubecel

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kubecel/kubecel/internal/environment"
)

// Release is a release of the Kubernetes API server, such as 1.31. The zero
// value is none.
//
// A server of release N compiles what is written to it in the environment of
// N-1, so that a cluster can be rolled back, and evaluates what is stored with
// all that it knows, the environment of N. So a feature that entered the
// environment at 1.30, such as ip(), is accepted by servers from 1.31 on, and
// 1.31 is the release that the documentation of Kubernetes names. Releases here
// are always those of servers. See [ForRelease], [StoredExpressions] and
// [Compatibility].
//
// Servers of 1.25 to 1.27 have no such rule yet. They are held to accept what
// 1.28 accepts, which the documentation calls "all Kubernetes versions". They
// are the only ones that nothing was compared with, since their modules no
// longer build.
type Release struct{ minor int }

// Releases returns all releases that are known, the oldest first: 1.25 to 1.37.
func Releases() []Release {
	releases := make([]Release, 0, environment.Newest-environment.Oldest+1)
	for minor := environment.Oldest; minor <= environment.Newest; minor++ {
		releases = append(releases, Release{minor})
	}
	return releases
}

// Newest returns the newest release that is known, which is the default
// everywhere.
func Newest() Release { return Release{environment.Newest} }

// ParseRelease reads a release, as in 1.31, or the version of a server, as in
// v1.31.4 or v1.31.4-gke.100. The error is a *ReleaseError.
func ParseRelease(s string) (Release, error) {
	fail := &ReleaseError{Text: s}
	major, rest, _ := strings.Cut(strings.TrimPrefix(s, "v"), ".")
	digits, patch, patched := strings.Cut(rest, ".")
	if major == "" || !number(major) || !number(digits) || patched && !startsWithNumber(patch) {
		fail.Malformed = true
		return Release{}, fail
	}
	minor, err := strconv.Atoi(digits)
	if r := (Release{minor}); err == nil && major == "1" && r.known() {
		return r, nil
	}
	return Release{}, fail
}

// MustParseRelease is like [ParseRelease] and panics if there is an error.
func MustParseRelease(s string) Release {
	r, err := ParseRelease(s)
	if err != nil {
		panic(err)
	}
	return r
}

// number tells whether a string is a number in decimal digits, without leading
// zeros.
func number(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && (s == "0" || s[0] != '0')
}

func startsWithNumber(s string) bool {
	end := strings.IndexAny(s, "-+")
	if end < 0 {
		end = len(s)
	}
	return number(s[:end])
}

func (r Release) known() bool {
	return r.minor >= environment.Oldest && r.minor <= environment.Newest
}

// check returns a *ReleaseError for a value that is no release.
func (r Release) check() error {
	if !r.known() {
		return &ReleaseError{Text: r.String()}
	}
	return nil
}

// Compare returns -1 if r is older than o, 0 if they are the same and 1 if r is newer.
func (r Release) Compare(o Release) int {
	switch {
	case r.minor < o.minor:
		return -1
	case r.minor > o.minor:
		return 1
	}
	return 0
}

// IsZero tells whether r is no release.
func (r Release) IsZero() bool { return r == Release{} }

// String returns the release as 1.31, and "none" for the zero value.
func (r Release) String() string {
	if r.IsZero() {
		return "none"
	}
	return "1." + strconv.Itoa(r.minor)
}

// MarshalText writes the release as String does.
func (r Release) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a release as [ParseRelease] does.
func (r *Release) UnmarshalText(text []byte) error {
	parsed, err := ParseRelease(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// ReleaseError is the error of asking for a release that is not known.
type ReleaseError struct {
	// Text is what was asked for.
	Text string
	// Malformed tells whether it is not the name of a release at all.
	Malformed bool
}

// Error says what releases there are.
func (e *ReleaseError) Error() string {
	if e.Malformed {
		return fmt.Sprintf("%q is not a Kubernetes release such as %v", e.Text, Newest())
	}
	releases := Releases()
	return fmt.Sprintf("Kubernetes %s is not known here: releases go from %v to %v", e.Text, releases[0], releases[len(releases)-1])
}

// serverConfig says which environment of an API server to use.
type serverConfig struct {
	release, compatible Release
	stored              bool
	err                 error
}

// env is the environment, and whether one was asked for.
func (c serverConfig) env() (environment.Server, bool, error) {
	release := c.release
	if release.IsZero() {
		release = Newest()
	}
	server := environment.StoredIn(release.minor)
	switch {
	case c.err != nil:
		return server, false, c.err
	case c.stored && !c.compatible.IsZero():
		return server, false, errors.New("stored expressions are evaluated whatever the server is compatible with")
	case c.compatible.Compare(release) > 0:
		return server, false, fmt.Errorf("a server of Kubernetes %v cannot be compatible with %v: it does not know it", release, c.compatible)
	case c.stored:
		return server, true, nil
	case !c.compatible.IsZero():
		return environment.CompatibleWith(release.minor, c.compatible.minor), true, nil
	case !c.release.IsZero():
		return environment.WrittenTo(release.minor), true, nil
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
		server = environment.WrittenTo(Newest().minor)
	}
	return server.Env()
}

// evaluating is the environment in which the server evaluates what it has
// stored, whatever it is compatible with.
func (c serverConfig) evaluating() (*environment.Env, error) {
	if _, _, err := c.env(); err != nil {
		return nil, err
	}
	c.compatible, c.stored = Release{}, true
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
// Other releases than the newest have the same verdicts of compilation. A value
// that is no release is a *ReleaseError.
func ForRelease(r Release) ReleaseOption {
	return ReleaseOption{func(c *serverConfig) { c.release, c.err = r, errors.Join(c.err, r.check()) }}
}

// Compatibility sets with which older release a server stays compatible: it
// accepts on write what that release evaluates. By default it is the release
// before its own. A server that emulates an older version is compatible with the
// one before that, and one that will not be rolled back with its own release.
func Compatibility(r Release) ReleaseOption {
	return ReleaseOption{func(c *serverConfig) { c.compatible, c.err = r, errors.Join(c.err, r.check()) }}
}

// StoredExpressions gives the environment in which a server evaluates what it
// has accepted earlier, or what a newer release had accepted before a rollback:
// everything that it knows.
func StoredExpressions() EnvOption {
	return envOption(func(c *envConfig) { c.server.stored, c.rebuild = true, true })
}
