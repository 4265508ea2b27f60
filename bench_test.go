package kubecel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/race"
)

// The expressions and objects of the benchmarks and of the limits on
// allocations.
const (
	smallExpression = "replicas >= 1 && replicas <= 5 && name.startsWith('web-')"
	loopExpression  = "names.all(n, n.size() <= 63 && !n.startsWith('kube-'))"
)

func small(t testing.TB) (*kubecel.Expression, map[string]any) {
	env, err := kubecel.NewEnv(kubecel.Variable("replicas", cel.IntType), kubecel.Variable("name", cel.StringType))
	if err != nil {
		t.Fatal(err)
	}
	return mustCompile(t, env, smallExpression), map[string]any{"replicas": int64(3), "name": "web-1"}
}

func loop(t testing.TB) (*kubecel.Expression, map[string]any) {
	env, err := kubecel.NewEnv(kubecel.Variable("names", cel.ListType(cel.StringType)))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 100)
	for i := range names {
		names[i] = strings.Repeat("a", i%63)
	}
	return mustCompile(t, env, loopExpression), map[string]any{"names": names}
}

func widget(size int64) map[string]any {
	return map[string]any{"spec": map[string]any{"size": size, "host": "a.example", "tags": []any{"round", "large"}}}
}

// TestAllocations holds how often the hot paths allocate.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that allocations cannot be counted")
	}
	rules, err := compileCRD([]byte(widgets), "v1")
	if err != nil {
		t.Fatal(err)
	}
	small, vars := small(t)
	object, old := widget(5), widget(4)
	for _, test := range []struct {
		name  string
		limit float64
		run   func() bool
	}{
		{"Eval", 2, func() bool { r, err := small.Eval(t.Context(), vars); return err == nil && r.Bool() }},
		{"Validate", 4, func() bool { r, err := rules.Validate(t.Context(), object, nil); return err == nil && r.Valid() }},
		{"Validate with old", 4, func() bool { r, err := rules.Validate(t.Context(), object, old); return err == nil && r.Valid() }},
	} {
		if !test.run() {
			t.Fatalf("%s fails", test.name)
		}
		if got := testing.AllocsPerRun(200, func() { test.run() }); got > test.limit {
			t.Errorf("%s allocates %v times, want at most %v", test.name, got, test.limit)
		} else {
			t.Logf("%s allocates %v times", test.name, got)
		}
	}
}

func benchmarkEval(b *testing.B, x *kubecel.Expression, vars map[string]any) {
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if r, err := x.Eval(ctx, vars); err != nil || !r.Bool() {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkEvalSmall(b *testing.B) {
	x, vars := small(b)
	benchmarkEval(b, x, vars)
}

func BenchmarkEvalLoop100(b *testing.B) {
	x, vars := loop(b)
	benchmarkEval(b, x, vars)
}

func BenchmarkNewEnv(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := kubecel.NewEnv(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileExpression(b *testing.B) {
	env, err := kubecel.NewEnv(kubecel.Variable("names", cel.ListType(cel.StringType)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		mustCompile(b, env, loopExpression)
	}
}

func benchmarkValidate(b *testing.B, crd []byte, object, old map[string]any) {
	rules, err := compileCRD(crd, "v1")
	if err != nil {
		b.Fatal(err)
	}
	object = rules.ApplyDefaults(object) // as a server returns it
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if r, err := rules.Validate(ctx, object, old, kubecel.AlreadyDefaulted()); err != nil || !r.Valid() {
			b.Fatal(r, err)
		}
	}
}

func benchmarkCompile(b *testing.B, crd []byte) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compileCRD(crd, "v1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateSmall(b *testing.B) { benchmarkValidate(b, []byte(widgets), widget(5), nil) }
func BenchmarkValidateUpdate(b *testing.B) {
	benchmarkValidate(b, []byte(widgets), widget(5), widget(4))
}
func BenchmarkCompileCRDSmall(b *testing.B) {
	benchmarkCompile(b, []byte(widgets))
}

// httproutes is the CRD of the Gateway API's HTTPRoute, if its module is there.
func httproutes(b *testing.B) []byte {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		b.Skip(err)
	}
	crd, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(cache)), "sigs.k8s.io", "gateway-api@v1.4.1",
		"config", "crd", "experimental", "gateway.networking.k8s.io_httproutes.yaml"))
	if err != nil {
		b.Skip("the module sigs.k8s.io/gateway-api is not there: ", err)
	}
	return crd
}

func BenchmarkValidateHTTPRoute(b *testing.B) {
	crd := httproutes(b)
	data, err := os.ReadFile("examples/httproute/objects/1-accepted.yaml")
	if err != nil {
		b.Fatal(err)
	}
	object, err := kubecel.ParseObject(data)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkValidate(b, crd, object, nil)
}

func BenchmarkCompileCRDHTTPRoute(b *testing.B) { benchmarkCompile(b, httproutes(b)) }

func BenchmarkCheckCRDHTTPRoute(b *testing.B) {
	crd := httproutes(b)
	b.ReportAllocs()
	for b.Loop() {
		if findings, err := checkCRD(crd); err != nil || len(findings) > 0 {
			b.Fatal(findings, err)
		}
	}
}
