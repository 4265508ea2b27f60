package typesystem

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// TestSizes takes from the API servers which release is the first to know a bound.
func TestSizes(t *testing.T) {
	doc, err := ParseOpenAPI([]byte(boundsDocument))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := Compile(doc, true)
	if err != nil {
		t.Fatal(err)
	}
	const all = 3<<20 - 2
	for _, test := range []struct {
		path          string
		since         int
		before, after uint64
		kind          cost.Source
		keyword       string
	}{
		{"self.metadata.name", 37, all, 80, cost.SourceImplicit, ""},
		{"self.metadata.generateName", 37, all, 252 * 4, cost.SourceImplicit, ""},
		{"self.pod.metadata.name", 37, all, 253 * 4, cost.SourceImplicit, ""},
		{"self.port", 34, all, 20, cost.SourceFixed, "maxLength"},
		{"self.kind__dash__of", 29, all, 3, cost.SourceMissing, "maxLength"},
		{"self.list.@items.id", 0, 28, 28, cost.SourceDeclared, "maxLength"},
		{"self.map.@keys", 0, 0, 0, cost.SourceNone, ""},
		{"self", 0, 0, 0, cost.SourceNone, ""},
	} {
		path := strings.Split(test.path, ".")
		for minor := 25; minor <= 38; minor++ {
			want := test.after
			if minor < test.since {
				want = test.before
			}
			size, ok := schema.Sizes(release.Minor(minor)).SizeOf(path)
			if !ok || size.Max != want || size.Min != 0 {
				t.Errorf("1.%d: %s is of size %v, want %d", minor, test.path, size, want)
			}
			b, ok := schema.Bound(doc, path, release.Minor(minor))
			if !ok || b.Size != want {
				t.Errorf("1.%d: %s is bound by %+v, want %d", minor, test.path, b, want)
			}
			if minor < max(test.since, 26) && (b.Kind != test.kind || b.Keyword != test.keyword) {
				t.Errorf("1.%d: %s is bound by %+v, want %+v", minor, test.path, b, test)
			}
		}
	}
	if _, ok := schema.Sizes(release.Minor(30)).SizeOf([]string{"self", "nope"}); ok {
		t.Error("a field that is not there has a size")
	}
	if _, ok := schema.Bound(doc, []string{"self", "nope"}, release.Minor(30)); ok {
		t.Error("a field that is not there has a bound")
	}
}
