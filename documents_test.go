package kubecel_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kubecel/kubecel/release"
)

// documents are the Markdown files, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text)
		}
	}
	if len(texts) < 5 {
		t.Fatalf("found %d documents", len(texts))
	}
	return texts
}

var (
	fences   = regexp.MustCompile("(?ms)^```.*?^```$")
	links    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	targets  = regexp.MustCompile("(?:^|`|\n)make ([a-z-]+)")
)

// TestDocumentLinks holds that links between documents lead somewhere.
func TestDocumentLinks(t *testing.T) {
	texts := documents(t)
	anchors := func(file string) (names []string) {
		for _, h := range headings.FindAllStringSubmatch(fences.ReplaceAllString(texts[file], ""), -1) {
			names = append(names, anchor(h[1]))
		}
		return names
	}
	for file, text := range texts {
		for _, link := range links.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
			path, fragment, _ := strings.Cut(link[1], "#")
			if strings.HasPrefix(path, "https:") {
				continue
			}
			to := file
			if path != "" {
				to = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", file, link[1])
			} else if fragment != "" && !slices.Contains(anchors(to), fragment) {
				t.Errorf("%s links to %s, which has no such heading", file, link[1])
			}
		}
	}
}

// TestReadme holds that the README is short, and names the newest release and the
// version of Go in go.mod.
func TestReadme(t *testing.T) {
	readme := documents(t)["README.md"]
	if lines := strings.Count(readme, "\n"); lines > 250 {
		t.Errorf("README.md has %d lines, want at most 250", lines)
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	for _, want := range []string{
		fmt.Sprintf("are those of Kubernetes %v", release.Newest()),
		fmt.Sprintf("from %v to %v", release.Oldest(), release.Newest()),
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
	if version == nil || !strings.Contains(readme, "Go "+version[1]+".\n") {
		t.Errorf("README.md does not name the version of Go in go.mod, %q", version)
	}
}

// TestRootNames holds that the names of the root package fit on three screens of 24
// lines.
func TestRootNames(t *testing.T) {
	out, err := exec.Command("go", "doc", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^ *(?:func|type|var|const) `).FindAllString(string(out), -1)
	if n := len(names); n == 0 || n > 3*24 {
		t.Errorf("go doc lists %d names, want at most %d", n, 3*24)
	}
}

// anchor is the name by which a heading is linked to.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestDocumentedPaths holds that files and commands that documents name exist.
func TestDocumentedPaths(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	folders := regexp.MustCompile(`^(?:\.github|cost|diag|docs|escaping|examples|internal|library|release|report|testdata)/[\w./-]+$`)
	for file, text := range documents(t) {
		for _, q := range quoted.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
			if folders.MatchString(q[1]) {
				if _, err := os.Stat(q[1]); err != nil {
					t.Errorf("%s names %s, which is not there", file, q[1])
				}
			}
		}
		for _, target := range targets.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+target[1]+":") {
				t.Errorf("%s names make %s, which is not in the Makefile", file, target[1])
			}
		}
	}
}

// TestDocumentedExamples holds that the code of documents is that of the
// examples that it names.
func TestDocumentedExamples(t *testing.T) {
	bodies := exampleBodies(t)
	marker := regexp.MustCompile("(?s)<!-- example: (\\w+) -->\n```go\n(.*?)```\n")
	for file, text := range documents(t) {
		found := marker.FindAllStringSubmatch(text, -1)
		for _, m := range found {
			if body := bodies[m[1]]; body != m[2] {
				t.Errorf("%s: the code of %s is not that of the example, which is\n%s", file, m[1], body)
			}
		}
		if n := strings.Count(text, "```go\n"); n > len(found) && file != "README.md" {
			t.Errorf("%s has %d blocks of Go, of which %d name an example", file, n, len(found))
		}
	}
}

// exampleBodies are the bodies of the examples, by their names, without their
// output and without the handling of errors.
func exampleBodies(t *testing.T) map[string]string {
	t.Helper()
	fatal := regexp.MustCompile(`(?m)^\t*if err != nil \{\n\t*log\.Fatal\(err\)\n\t*\}\n`)
	files, err := filepath.Glob("example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			body := string(source[set.Position(f.Body.Lbrace).Offset+2 : set.Position(f.Body.Rbrace).Offset])
			body, _, _ = strings.Cut(body, "\t// Output:")
			body = strings.ReplaceAll("\n"+fatal.ReplaceAllString(body, ""), "\n\t", "\n")
			bodies[f.Name.Name] = strings.TrimPrefix(body, "\n")
		}
	}
	return bodies
}
