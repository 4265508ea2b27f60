package kubecel_test

import (
	"encoding/json"
	"errors"
	"fmt"
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
	}{{".", 125}, {"./library", 120}, {"./admission", 160}} {
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
		"github.com/google/cel-go", "golang.org/x/mod", "k8s.io/apimachinery", "k8s.io/kube-openapi", "sigs.k8s.io/yaml", "go.yaml.in/yaml/v3",
		// The native types of cel-go's timestamps and of its checked expressions.
		"google.golang.org/protobuf",
		// How an API server applies the patches of mutating policies.
		"gopkg.in/evanphx/json-patch.v4", "sigs.k8s.io/structured-merge-diff/v6",
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

// outside are the packages that are no layer: commands, generators and what
// only tests import.
var outside = []string{"examples/", "internal/docs", "internal/celgo", "internal/errs", "internal/matrix", "internal/race", "internal/testauthz", "internal/parity", "internal/parse/judge"}

// ownImports are the packages of the layers with those of them that they import.
func ownImports(t *testing.T) map[string][]string {
	t.Helper()
	name := func(path string) string {
		if path == modulePath {
			return "kubecel"
		}
		return strings.TrimPrefix(path, modulePath+"/")
	}
	imports := map[string][]string{}
	for _, p := range listPackages(t, false, "./...") {
		from := name(p.ImportPath)
		if slices.ContainsFunc(outside, func(o string) bool { return strings.HasPrefix(from, o) }) {
			continue
		}
		imports[from] = nil
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, modulePath) {
				imports[from] = append(imports[from], name(imported))
			}
		}
	}
	return imports
}

// TestLayers holds that packages import only packages that stand above them in
// the table of docs/architecture.md, and that the table names every package.
func TestLayers(t *testing.T) {
	layers, imports := layers(t), ownImports(t)
	for from, all := range imports {
		rank := slices.Index(layers, from)
		if rank < 0 {
			t.Errorf("docs/architecture.md lacks a row for %s", from)
		}
		for _, to := range all {
			if !slices.Contains(layers[:max(rank, 0)], to) {
				t.Errorf("%s imports %s, which does not stand above it in docs/architecture.md", from, to)
			}
		}
	}
	if len(imports) != len(layers) {
		t.Errorf("docs/architecture.md has %d packages, of which %d exist", len(layers), len(imports))
	}
}

// TestDiagram holds that the diagram of docs/architecture.md shows who imports
// whom. It leaves out what follows from other arrows.
func TestDiagram(t *testing.T) {
	layers, imports := layers(t), ownImports(t)
	reached := map[string][]string{}
	var edges strings.Builder
	for _, from := range layers {
		for _, to := range imports[from] {
			reached[from] = append(append(reached[from], to), reached[to]...)
		}
	}
	for _, from := range slices.Backward(layers) {
		slices.SortFunc(imports[from], func(a, b string) int { return slices.Index(layers, b) - slices.Index(layers, a) })
		for _, to := range imports[from] {
			indirect := slices.ContainsFunc(imports[from], func(over string) bool { return slices.Contains(reached[over], to) })
			if !indirect {
				fmt.Fprintf(&edges, "  %s --> %s\n", from, to)
			}
		}
	}
	document, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, diagram, _ := strings.Cut(string(document), "```mermaid\nflowchart TD\n")
	if diagram, _, _ = strings.Cut(diagram, "```\n"); diagram != edges.String() {
		t.Errorf("the edges of the diagram in docs/architecture.md should be\n%s", edges.String())
	}
}
