package library_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel/internal/celgo"
	"github.com/kubecel/kubecel/release"
)

// TestManyNodes parses an expression of the permitted length with more nodes
// than a newer cel-go permits by default.
func TestManyNodes(t *testing.T) {
	expr := "[" + strings.Repeat("a.map(x,1,1),", 7600) + "]"
	if len(expr) > 100_000 {
		t.Fatal("too long")
	}
	if _, issues := newServer(t, release.Minor(37)).env.Parse(expr); issues.Err() != nil {
		t.Error(issues.Err())
	}
	if celgo.Newer(t) {
		plain, err := cel.NewEnv()
		if err != nil {
			t.Fatal(err)
		}
		if _, issues := plain.Parse(expr); issues.Err() == nil {
			t.Error("a newer cel-go parses the expression by itself")
		}
	}
}

// FuzzTime compares with cel-go's own functions, as far as the linked release has
// those of Kubernetes 1.37.
func FuzzTime(f *testing.F) {
	for _, text := range []string{
		"", "UTC", "Z", "Local", "Asia/Kolkata", "-", ":", "-:", ":-", "1:2", "-1:2", "-0:30", "+1:-90", "24:00", "-100:99", "1:2:3", "0x1:1",
		"9223372036854775807:1", "153722867:0", "-9223372036854775808:59", "１:２", "\xff:1",
		"2024-01-02T03:04:05Z", "2024-01-02T3:4:5,5+99:99", "0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "9999-12-31T23:59:59.9999999999-00:00",
		"2024-01-02T03:04:05.Z", "2024-02-30T00:00:00Z", "2024-01-02t03:04:05z",
	} {
		f.Add(text)
	}
	newer := celgo.Newer(f)
	if newer {
		f.Log("a newer cel-go: only that nothing panics is tested")
	}
	plain, err := cel.NewEnv()
	if err != nil {
		f.Fatal(err)
	}
	var programs [2][]cel.Program
	for i, base := range []*cel.Env{newServer(f, release.Minor(37)).env, plain} {
		env, err := base.Extend(cel.Variable("s", cel.StringType), cel.Variable("t", cel.TimestampType))
		if err != nil {
			f.Fatal(err)
		}
		for _, expr := range []string{
			`timestamp(s)`, `t.getFullYear(s)`, `t.getMonth(s)`, `t.getDayOfYear(s)`, `t.getDayOfMonth(s)`, `t.getDate(s)`,
			`t.getDayOfWeek(s)`, `t.getHours(s)`, `t.getMinutes(s)`, `t.getSeconds(s)`, `t.getMilliseconds(s)`,
		} {
			tree, issues := env.Compile(expr)
			if issues.Err() != nil {
				f.Fatal(issues.Err())
			}
			program, err := env.Program(tree)
			if err != nil {
				f.Fatal(err)
			}
			programs[i] = append(programs[i], program)
		}
	}
	at := time.Date(2024, time.February, 29, 13, 14, 15, 678e6, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		vars := map[string]any{"s": s, "t": at}
		for i, ours := range programs[0] {
			got, _, err := ours.Eval(vars)
			want, _, wantErr := programs[1][i].Eval(vars)
			if newer {
				continue
			}
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() || err == nil && got.Equal(want) != want.Equal(want) {
				t.Errorf("%q, function %d: %v, %v, want %v, %v", s, i, got, err, want, wantErr)
			}
		}
	})
}
