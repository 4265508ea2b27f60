package kubecel_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFictionalRelease holds that a release is one line and a function one value:
// it changes these two places of the source, and looks everywhere that depends on
// them.
func TestFictionalRelease(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	replaced := func(path, old, new string) string {
		source := read(path)
		if strings.Count(source, old) != 1 {
			t.Fatalf("%s has %q %d times, want once", path, old, strings.Count(source, old))
		}
		source = strings.Replace(source, old, new, 1)
		for _, missing := range []string{"cel-go/cel", "cel-go/common/types"} {
			if strings.Contains(new, "Library{") && !strings.Contains(source, missing+`"`) {
				source = strings.Replace(source, "import (", "import (\n\t\"github.com/google/"+missing+"\"", 1)
			}
		}
		return source
	}
	sources := map[string]string{
		"release/release.go":         replaced("release/release.go", "\tnewest = 37\n", "\tnewest = 38\n"),
		"library/releases.go":        replaced("library/releases.go", "\t\tJSONPatch(),\n", read("testdata/fictional/library.txt")+"\t\tJSONPatch(),\n"),
		"internal/fictional/main.go": read("testdata/fictional/probe.txt"),
	}
	overlay := map[string]string{}
	for path, source := range sources {
		file := filepath.Join(t.TempDir(), filepath.Base(path))
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, filepath.FromSlash(path))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := exec.Command("go", "run", "-overlay", file, "./internal/fictional").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	const want = `newest: 1.38
capabilities 1.38: fictional(string) → string costs 7·size(argument), written true
environment 1.38: abc, estimated at {21 21}, cost 21
capabilities 1.37: fictional(string) → string costs 7·size(argument), written false
environment 1.37: fictional needs Kubernetes 1.38
accepted by: [1.38] [fictional at 1:1: Kubernetes 1.38]
`
	got := string(printed)
	table, ok := strings.CutPrefix(got, want)
	if !ok || !strings.Contains(table, "fictional(string)") || !strings.Contains(table, "1.38") || !strings.Contains(table, "7·size(argument)") {
		t.Errorf("printed\n%s\nwant\n%sand a row of functions.md", got, want)
	}
}
