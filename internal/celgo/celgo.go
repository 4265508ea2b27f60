// Package celgo tells tests which release of cel-go they run with.
package celgo

import (
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
)

var release = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`github\.com/google/cel-go@v0\.(\d+)\.`) })

// Newer tells whether the linked cel-go is newer than v0.29, which Kubernetes 1.37
// has. kubecel answers the same with others. The interpreter and the libraries of
// cel-go itself, with which some tests compare, do not. The release is read from the
// path of the source, because a test has no other record of its modules.
func Newer(t testing.TB) bool {
	t.Helper()
	fn := runtime.FuncForPC(reflect.ValueOf(cel.NewEnv).Pointer())
	file, _ := fn.FileLine(fn.Entry())
	found := release().FindStringSubmatch(file)
	if found == nil {
		t.Fatal("no release of cel-go in", file)
	}
	minor, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return minor > 29
}
