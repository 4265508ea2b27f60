package kubecel_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/kubecel/kubecel"

type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Module     *struct{ Path string }
}

func (p goPackage) own() bool { return p.Module != nil && p.Module.Path == modulePath }

// listPackages asks the go command for packages and, with deps, all they import.
func listPackages(t *testing.T, deps bool, patterns ...string) []goPackage {
	t.Helper()
	command := []string{"list", "-json=ImportPath,Standard,Imports,Module"}
	if deps {
		command = append(command, "-deps")
	}
	out, err := exec.Command("go", append(command, patterns...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestImportClosure holds the size of what an importer gets, and what must
// never be in it.
func TestImportClosure(t *testing.T) {
	forbidden := []string{
		"k8s.io/apiserver", "k8s.io/apiextensions-apiserver", "k8s.io/client-go", "k8s.io/component-base",
		"go.etcd.io", "go.opentelemetry.io", "google.golang.org/grpc",
	}
	counts := map[string]int{}
	for _, limit := range []struct {
		pkg string
		max int
	}{{".", 125}, {"./library", 120}} {
		for _, p := range listPackages(t, true, limit.pkg) {
			if p.Standard || p.own() {
				continue
			}
			counts[limit.pkg]++
			for _, path := range forbidden {
				if p.ImportPath == path || strings.HasPrefix(p.ImportPath, path+"/") {
					t.Errorf("%s imports %s", limit.pkg, p.ImportPath)
				}
			}
		}
		t.Logf("%s: %d third-party packages", limit.pkg, counts[limit.pkg])
		if n := counts[limit.pkg]; n == 0 || n > limit.max {
			t.Errorf("%s: %d third-party packages, want 1 to %d", limit.pkg, n, limit.max)
		}
	}
	if counts["./library"] >= counts["."] {
		t.Errorf("library alone has %d third-party packages, want fewer than the %d of the whole", counts["./library"], counts["."])
	}
}

// TestDirectDependencies holds the list of modules that the packages import.
func TestDirectDependencies(t *testing.T) {
	allowed := []string{
		"github.com/google/cel-go", "golang.org/x/mod", "k8s.io/apimachinery", "k8s.io/kube-openapi", "sigs.k8s.io/yaml",
		// The native types of cel-go's timestamps and of its checked expressions.
		"google.golang.org/protobuf",
	}
	module := map[string]string{}
	for _, p := range listPackages(t, true, "./...") {
		if p.Module != nil {
			module[p.ImportPath] = p.Module.Path
		}
	}
	for _, p := range listPackages(t, false, "./...") {
		for _, imported := range p.Imports {
			if m := module[imported]; m != "" && m != modulePath && !slices.Contains(allowed, m) {
				t.Errorf("%s imports %s of module %s, which is not on the list", p.ImportPath, imported, m)
			}
		}
	}
}

// layers are the packages in the order of docs/architecture.md, the lowest first.
func layers(t *testing.T) (names []string) {
	t.Helper()
	document, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(document), "<!-- layers:")
	table, _, found := strings.Cut(table, "<!-- end of layers -->")
	if !found {
		t.Fatal("docs/architecture.md lacks the table of layers")
	}
	for line := range strings.Lines(table) {
		if name, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ = strings.Cut(name, "`")
			names = append(names, name)
		}
	}
	return names
}

// TestLayers holds that packages import only packages that stand above them in
// the table of docs/architecture.md, and that the table names every package.
func TestLayers(t *testing.T) {
	layers := layers(t)
	rank := func(path string) int {
		if path == modulePath {
			path = "kubecel"
		}
		return slices.Index(layers, strings.TrimPrefix(path, modulePath+"/"))
	}
	outside := []string{"examples/", "internal/docs", "internal/celgo", "internal/race", "internal/testauthz"}
	seen := 0
	for _, p := range listPackages(t, false, "./...") {
		from := rank(p.ImportPath)
		if from < 0 {
			if path := strings.TrimPrefix(p.ImportPath, modulePath+"/"); !slices.ContainsFunc(outside, func(o string) bool { return strings.HasPrefix(path, o) }) {
				t.Errorf("docs/architecture.md lacks a row for %s", path)
			}
			continue
		}
		seen++
		for _, imported := range p.Imports {
			if to := rank(imported); to >= from && strings.HasPrefix(imported, modulePath) {
				t.Errorf("%s imports %s, which does not stand above it in docs/architecture.md", p.ImportPath, imported)
			}
		}
	}
	if seen != len(layers) || seen == 0 {
		t.Errorf("docs/architecture.md has %d packages, of which %d exist", len(layers), seen)
	}
}
