// Package html makes a page of a report: a flame graph of the estimated cost of the
// rules of a CRD, or of one expression. Readers can follow it down to the part of an
// expression and to the bound of the schema that its cost rests on. The bounds that
// would help stand beside it.
//
// The page is one file. It loads nothing and opens from disk.
package html

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
	"math"

	"github.com/kubecel/kubecel/report"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style template.CSS
	//go:embed page.js
	script template.JS
)

// Write writes the page of a report.
func Write[R *report.CRD | *report.Expression](w io.Writer, r R) error {
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	data, err := exact(r)
	if err != nil {
		return err
	}
	title := "Cost of an expression"
	if crd, ok := any(r).(*report.CRD); ok {
		title = cmp.Or(crd.Name, "Cost of rules")
	}
	return t.Execute(w, map[string]any{"Title": title, "Style": style, "Script": script, "Data": data})
}

// maxSafe is the greatest number that JavaScript holds exactly.
const maxSafe = 1<<53 - 1

// exact turns a report into what JSON has, with numbers too large for JavaScript as
// strings.
func exact(r any) (any, error) {
	encoded, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return quoted(v), nil
}

func quoted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = quoted(value)
		}
	case []any:
		for i, value := range v {
			v[i] = quoted(value)
		}
	case json.Number:
		if f, err := v.Float64(); err != nil || math.Abs(f) > maxSafe {
			return v.String()
		}
	}
	return v
}
