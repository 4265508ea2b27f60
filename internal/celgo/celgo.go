// Package celgo tells tests which release of cel-go they run with.
package celgo

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strconv"

	"github.com/google/cel-go/cel"
)

// Reference is the minor of cel-go v0 that Kubernetes 1.37 has. kubecel answers the
// same with others. The interpreter and the libraries of cel-go itself, with which
// some tests compare, do not.
const Reference = 29

var release = regexp.MustCompile(`github\.com/google/cel-go@v0\.(\d+)\.`)

// Minor returns the minor of the linked release of cel-go v0. It reads the path of
// the source, because a test has no other record of its modules. The error says that
// the path names no release, as in a vendor folder.
func Minor() (int, error) {
	fn := runtime.FuncForPC(reflect.ValueOf(cel.NewEnv).Pointer())
	file, _ := fn.FileLine(fn.Entry())
	found := release.FindStringSubmatch(file)
	if found == nil {
		return 0, fmt.Errorf("no release of cel-go in %s", file)
	}
	return strconv.Atoi(found[1])
}

// T is the part of testing.T that Newer needs.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Newer tells whether the linked cel-go is newer than that of Kubernetes 1.37.
func Newer(t T) bool {
	t.Helper()
	minor, err := Minor()
	if err != nil {
		t.Fatal(err)
	}
	return minor > Reference
}
