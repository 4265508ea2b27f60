package pricing

import (
	"testing"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// TestStandardOf holds the prices of evaluated calls that changed, as cel-go's
// trackers of cost have them in the release of each Kubernetes.
func TestStandardOf(t *testing.T) {
	long, short := types.String("abcdefghijabcdefghijabcdefghij"), types.String("^a")
	optional := types.OptionalOf(long)
	for _, test := range []struct {
		function, overload string
		args               []ref.Val
		since              int
		before, after      uint64
	}{
		{overloads.Matches, overloads.Matches, []ref.Val{long, short}, 37, 1, 4},
		{overloads.Matches, overloads.MatchesString, []ref.Val{long, short}, 0, 4, 4},
		{overloads.StartsWith, overloads.StartsWithString, []ref.Val{long, short}, 37, 3, 1},
		{overloads.EndsWith, overloads.EndsWithString, []ref.Val{long, short}, 37, 3, 1},
		{operators.Equals, overloads.Equals, []ref.Val{optional, optional}, 33, 1, 3},
		{operators.In, overloads.InList, []ref.Val{long, types.NewStringList(types.DefaultTypeAdapter, []string{"a", "b"})}, 0, 2, 2},
	} {
		for minor := 28; minor <= 38; minor++ {
			want := test.after
			if minor < test.since {
				want = test.before
			}
			if got := NewTable(Standard(release.Minor(minor))).Runtime(test.function, test.overload)(test.args, types.True); got != want {
				t.Errorf("1.%d: %s costs %d, want %d", minor, test.overload, got, want)
			}
		}
	}
}

// TestRulesOf holds that the newest release has the rules of the zero value, and
// that a table takes them from the standard prices alone.
func TestRulesOf(t *testing.T) {
	if Standard(release.Newest()).rules != (rules{}) || Standard(release.Minor(37)).rules != (rules{}) {
		t.Error("the newest release has other rules")
	}
	for minor := 28; minor < 33; minor++ {
		table := NewTable(Standard(release.Minor(minor)), Prices{Overloads: map[string]cost.Model{"x": cost.Fixed(2)}})
		if table.rules != rulesOf(release.Minor(minor)) || table.rules == (rules{}) {
			t.Errorf("1.%d: %+v", minor, table.rules)
		}
	}
}
