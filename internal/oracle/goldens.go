package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"sigs.k8s.io/yaml"
)

// golden is a file of answers that stand beside or among hand-written cases.
type golden struct {
	// file is its path below testdata.
	file string
	// record takes the file and gives it with the answers asked again. Comments
	// and cases stay as they are.
	record func(old []byte) ([]byte, error)
}

// goldens are all such files.
func goldens() ([]golden, error) {
	all := []golden{
		{"crd/schemas.golden.json", recordChecks("crd/schemas.yaml")},
		{"crd/rules.golden.json", recordChecks("crd/rules.yaml")},
		{"crd/updates.golden.json", recordUpdates},
		{"crd/objects.golden.json", recordObjects},
		{"crd/fieldpaths.golden.json", recordFieldPaths},
		{"typesystem/typesystem.yaml", recordTypes},
		{"typesystem/values.yaml", recordValues},
	}
	files, err := filepath.Glob(filepath.Join(testdata, "cases", "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no cases: %w", err)
	}
	asked, err := newCaseRecorder()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		all = append(all, golden{"cases/" + filepath.Base(f), asked.record})
	}
	return all, nil
}

// recordGoldens writes all of them.
func recordGoldens() error {
	all, err := goldens()
	if err != nil {
		return err
	}
	for _, g := range all {
		file := filepath.Join(testdata, filepath.FromSlash(g.file))
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		now, err := g.record(old)
		if err != nil {
			return fmt.Errorf("%s: %w", g.file, err)
		}
		if changed := changedLines(old, now); len(changed) > 0 {
			fmt.Printf("%s: %d lines change\n", g.file, len(changed))
		}
		if err := os.WriteFile(file, now, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d files of hand-written cases\n", len(all))
	return nil
}

// changedLines are the lines of now that old does not have at the same place,
// and the number of the first that only old has.
func changedLines(old, now []byte) []string {
	was, is := strings.Split(string(old), "\n"), strings.Split(string(now), "\n")
	var changed []string
	for i, line := range is {
		if i >= len(was) || was[i] != line {
			changed = append(changed, fmt.Sprintf("line %d: %s", i+1, line))
		}
	}
	if len(was) > len(is) {
		changed = append(changed, fmt.Sprintf("line %d and more are gone", len(is)+1))
	}
	return changed
}

// readInputs reads a file of hand-written cases below testdata.
func readInputs(file string, into any) error {
	data, err := os.ReadFile(filepath.Join(testdata, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// structuralOf reads a schema. Its numbers must not become float64 on the way.
func structuralOf(schema []byte) (*structuralschema.Structural, error) {
	document, err := parity.Decode(schema)
	if err != nil {
		return nil, err
	}
	m, ok := document.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: not a mapping", schema)
	}
	return reference.Structural(m)
}

// writeJSON is the form of the goldens that are JSON.
func writeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// quoteYAML writes a text in single quotes, or in double quotes where it has
// characters that need an escape.
func quoteYAML(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r > 0x7e }) {
		j, _ := json.Marshal(s)
		return unescapeHTML(string(j))
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// quoteJSON writes a text in double quotes.
func quoteJSON(s string) string {
	j, _ := json.Marshal(s)
	return unescapeHTML(string(j))
}

func unescapeHTML(s string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(s)
}

// editLines puts a file together again from its lines: each keeps its place, and
// edit gives what stands there instead.
func editLines(old []byte, edit func(line string) ([]string, error)) ([]byte, error) {
	var out []string
	for line := range strings.Lines(string(old)) {
		line = strings.TrimSuffix(line, "\n")
		lines, err := edit(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		out = append(out, lines...)
	}
	return []byte(strings.Join(out, "\n") + "\n"), nil
}
