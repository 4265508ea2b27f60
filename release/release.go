// Package release names the releases of the Kubernetes API server.
//
// A server of release N has two environments. It compiles what is written to it
// in the environment of N-1, so that a cluster can be rolled back. It evaluates
// what is stored in the environment of N. For example, ip() entered the
// environment at 1.30. Servers of 1.31 are the first that accept it in new
// expressions, and 1.31 is the release that the documentation of Kubernetes names.
//
// Servers of 1.25 to 1.27 have only one environment. They are taken to accept
// what 1.28 accepts, which the documentation calls "all Kubernetes versions".
// Nothing was compared with them, because their modules no longer build.
package release

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// The releases that are known. A new one is the line of newest, and nothing else
// in the product: everything that depends on releases is derived from here.
const (
	oldest = 25
	newest = 37
)

// Release is a release of the API server, such as 1.31. Releases are comparable;
// the zero value is none.
type Release struct{ minor int }

// Minor returns the release 1.n. It need not be a known one, see [Release.Check].
func Minor(n int) Release { return Release{n} }

// All returns the known releases, the oldest first.
func All() []Release {
	all := make([]Release, 0, newest-oldest+1)
	for minor := oldest; minor <= newest; minor++ {
		all = append(all, Release{minor})
	}
	return all
}

// Newest returns the newest known release, which is the default everywhere.
func Newest() Release { return Release{newest} }

// Oldest returns the oldest known release.
func Oldest() Release { return Release{oldest} }

// version matches the major, the minor, and perhaps the rest of a version. No number
// has leading zeros.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\Av?(0|[1-9]\d*)\.(0|[1-9]\d*)(\.(0|[1-9]\d*)([-+].*)?)?\z`)
})

// Parse reads a release, as in 1.31, or the version of a server, as in v1.31.4 or
// v1.31.4-gke.100. The error is an *Error.
func Parse(s string) (Release, error) {
	found := version().FindStringSubmatch(s)
	if found == nil {
		return Release{}, &Error{Text: s, Malformed: true}
	}
	minor, err := strconv.Atoi(found[2])
	if r := (Release{minor}); err == nil && found[1] == "1" && r.Check() == nil {
		return r, nil
	}
	return Release{}, &Error{Text: s}
}

// Check returns an *Error for a release that is not one of [All].
func (r Release) Check() error {
	if r.minor < oldest || r.minor > newest {
		return &Error{Text: r.String()}
	}
	return nil
}

// Add returns the release that is n releases after r.
func (r Release) Add(n int) Release { return Release{r.minor + n} }

// Compare returns -1 if r is older than o, 0 if they are the same and 1 if r is newer.
func (r Release) Compare(o Release) int { return cmp.Compare(r.minor, o.minor) }

// Before tells whether r is older than o.
func (r Release) Before(o Release) bool { return r.minor < o.minor }

// IsZero tells whether r is the zero value, which is no release.
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

// UnmarshalText reads a release as [Parse] does.
func (r *Release) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// Error is the error of asking for a release that is not known.
type Error struct {
	// Text is what was asked for.
	Text string
	// Malformed is true if Text is not the name of any release.
	Malformed bool
}

// Error says which releases there are.
func (e *Error) Error() string {
	if e.Malformed {
		return fmt.Sprintf("%q is not a Kubernetes release such as %v", e.Text, Newest())
	}
	return fmt.Sprintf("Kubernetes %s is not known here: releases go from %v to %v", e.Text, Oldest(), Newest())
}
