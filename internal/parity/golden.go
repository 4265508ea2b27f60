package parity

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// exprLine is the golden of an expression: one line of JSON. The environment
// is left out where it is the usual one.
type exprLine struct {
	Env  string `json:"env,omitempty"`
	Expr string `json:"x"`
	ExprOutcome
}

const usualEnv = "vars"

// schemaLine is one line of a schema's golden: the schema's own error, a rule,
// a field error or warning that objects refer to by its number, or an object.
type schemaLine struct {
	Error      string       `json:"error,omitempty"`
	Rule       *RuleOutcome `json:"rule,omitempty"`
	FieldError *FieldError  `json:"err,omitempty"`
	Warning    string       `json:"warn,omitempty"`
	Object     *objectLine  `json:"object,omitempty"`
}

// objectLine is an ObjectOutcome that names its errors and warnings by number:
// mutations of one object share most of them.
type objectLine struct {
	Name     string       `json:"name,omitempty"`
	Errors   []int        `json:"e,omitempty"`
	Warnings []int        `json:"w,omitempty"`
	Left     int64        `json:"left"`
	Panic    string       `json:"panic,omitempty"`
	Others   []objectLine `json:"others,omitempty"`
}

type crdLine struct {
	Name string `json:"name"`
	CRDOutcome
}

// Record asks an implementation, which must be the reference, everything and
// writes the goldens. It removes the goldens of cases that are gone.
func Record(reference Implementation, c *Corpus, testdata string) error {
	dir := Goldens(testdata)
	for _, sub := range []string{"expressions", "schemas"} {
		if err := os.RemoveAll(filepath.Join(dir, sub)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	reference = guarded{reference}
	for _, g := range c.Expressions {
		var lines []any
		for _, e := range g.Cases {
			l := exprLine{Env: e.Env.Name, Expr: e.Expr, ExprOutcome: reference.Expression(e).normal()}
			if l.Env == usualEnv {
				l.Env = ""
			}
			lines = append(lines, l)
		}
		if err := writeLines(filepath.Join(dir, "expressions", g.Name+".jsonl"), lines); err != nil {
			return err
		}
	}
	for _, s := range c.Schemas {
		o := reference.Schema(s).normal()
		lines := schemaLines(o)
		if err := writeLines(filepath.Join(dir, "schemas", s.Name+".jsonl"), lines); err != nil {
			return err
		}
	}
	var lines []any
	for _, d := range c.CRDs {
		lines = append(lines, crdLine{d.Name, reference.CRD(d).normal()})
	}
	return writeLines(filepath.Join(dir, "crds.jsonl"), lines)
}

func writeLines(file string, lines []any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func readLines[T any](file string, each func(T)) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return decodeLines(file, data, each)
}

func decodeLines[T any](file string, data []byte, each func(T)) error {
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, len(data)+1)
	for n := 1; s.Scan(); n++ {
		var l T
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		each(l)
	}
	return s.Err()
}

// Recorded answers with the goldens, and knows which of them were asked for.
type Recorded struct {
	exprs   map[string]ExprOutcome
	schemas map[string]SchemaOutcome
	crds    map[string]CRDOutcome
	missing []string
}

// ReadRecorded reads all goldens below testdata.
func ReadRecorded(testdata string) (*Recorded, error) {
	r := &Recorded{exprs: map[string]ExprOutcome{}, schemas: map[string]SchemaOutcome{}, crds: map[string]CRDOutcome{}}
	dir := Goldens(testdata)
	files, err := filepath.Glob(filepath.Join(dir, "expressions", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		err := readLines(f, func(l exprLine) {
			if l.Env == "" {
				l.Env = usualEnv
			}
			r.exprs[l.Env+" "+l.Expr] = l.ExprOutcome
		})
		if err != nil {
			return nil, err
		}
	}
	files, err = filepath.Glob(filepath.Join(dir, "schemas", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		o, err := readSchema(f)
		if err != nil {
			return nil, err
		}
		r.schemas[strings.TrimSuffix(filepath.Base(f), ".jsonl")] = o
	}
	err = readLines(filepath.Join(dir, "crds.jsonl"), func(l crdLine) { r.crds[l.Name] = l.CRDOutcome })
	return r, err
}

// lookup takes a golden out, so that what is left at the end was not replayed.
// The same expression may stand in two groups: those are asked once.
func lookup[T any](r *Recorded, m map[string]T, kind, key string, asked map[string]T) T {
	if v, ok := m[key]; ok {
		delete(m, key)
		asked[key] = v
		return v
	}
	if v, ok := asked[key]; ok {
		return v
	}
	r.missing = append(r.missing, kind+" "+key)
	var zero T
	return zero
}
