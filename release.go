package kubecel

import (
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
