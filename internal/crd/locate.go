package crd

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// origin is the text that a CRD was read from.
type origin struct {
	source document.Source
	// within is the path of the CRD in its document.
	within diag.Segments
}

// Locate adds to findings their places in the document. It parses the document again, unless there are none.
func (d *Definition) Locate(findings []diag.Finding) []diag.Finding { return d.Locator()(findings) }

// Locator returns a Locate that parses the document no more than once. It is not safe for concurrent use.
func (d *Definition) Locator() func([]diag.Finding) []diag.Finding {
	tree, shared := sync.OnceValue(d.origin.source.Tree), sync.OnceValue(d.shared)
	return func(findings []diag.Finding) []diag.Finding {
		for i := range findings {
			d.locate(&findings[i], tree(), shared())
		}
		return findings
	}
}

// locate adds the place of a finding, and those of the issues of its expression.
func (d *Definition) locate(f *diag.Finding, tree *document.Tree, shared bool) {
	f.Segments = slices.Concat(d.origin.within, d.segments(f.Path, shared))
	f.Place = tree.Place(f.Segments)
	var failed *diag.CompileError
	if !errors.As(f.Err, &failed) {
		return
	}
	// Rules with the same expression share the error.
	located := *failed
	located.Issues = slices.Clone(failed.Issues)
	for j := range located.Issues {
		located.Issues[j].Place = tree.Inside(f.Segments, located.Issues[j].Position)
	}
	if len(located.Issues) > 0 {
		f.Place = located.Issues[0].Place
	}
	f.Err = &located
}

// segments are the steps of the path of a finding.
func (d *Definition) segments(path string, shared bool) diag.Segments {
	for i, v := range d.Versions {
		schema, _ := d.schema(i, shared)
		if rest, ok := strings.CutPrefix(path, schema.String()); ok && (rest == "" || rest[0] == '.') {
			return appendSteps(diag.Segments{"spec", "versions", i, "schema", "openAPIV3Schema"}, v.Schema, rest)
		}
	}
	return appendOther(nil, path)
}

// appendSteps splits a path below a schema.
func appendSteps(steps diag.Segments, s *typesystem.OpenAPI, path string) diag.Segments {
	for s != nil && strings.HasPrefix(path, ".") {
		keyword, rest := cut(path[1:])
		steps = append(steps, keyword)
		if part := named(s, keyword); part != nil && rest != "" {
			var name string
			name, s, rest = key(rest, part)
			steps, path = append(steps, name), rest
			continue
		}
		list := listed(s, keyword)
		s, path = single(s, keyword), rest
		if strings.HasPrefix(rest, "[") && len(list) > 0 {
			index, after := cut(rest[1:])
			if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && i < len(list) {
				steps, s, path = append(steps, i), &list[i], after
			}
		}
	}
	return appendOther(steps, path)
}

// cut takes a name from the front of a path.
func cut(path string) (name, rest string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// maxBrackets bounds how many brackets in a key are looked at.
const maxBrackets = 100

// key takes a key in brackets from the front of a path, and gives the part of that name. A key may look like more of the path:
// the shortest is taken that is there, and otherwise the shortest.
func key(path string, part func(string) *typesystem.OpenAPI) (name string, next *typesystem.OpenAPI, rest string) {
	shortest := len(path)
	for end, n := 0, 0; n < maxBrackets; n++ {
		more := strings.IndexByte(path[end+1:], ']')
		if more < 0 {
			break
		}
		end += 1 + more
		if rest := path[end+1:]; rest == "" || rest[0] == '.' {
			if next := part(path[1:end]); next != nil {
				return path[1:end], next, rest
			}
			shortest = min(shortest, end)
		}
	}
	return path[1:shortest], nil, strings.TrimPrefix(path[shortest:], "]")
}

// named gives the parts below a keyword by their names. It is nil for other keywords.
func named(s *typesystem.OpenAPI, keyword string) func(string) *typesystem.OpenAPI {
	parts := s.Properties
	switch keyword {
	case "properties":
	case "patternProperties":
		parts = s.PatternProperties
	case "definitions":
		parts = s.Definitions
	case "dependencies":
		return func(name string) *typesystem.OpenAPI { return s.Dependencies[name].Schema }
	default:
		return nil
	}
	return func(name string) *typesystem.OpenAPI { return parts[name] }
}

// listed are the parts below a keyword in a list.
func listed(s *typesystem.OpenAPI, keyword string) []typesystem.OpenAPI {
	switch {
	case keyword == "allOf":
		return s.AllOf
	case keyword == "anyOf":
		return s.AnyOf
	case keyword == "oneOf":
		return s.OneOf
	case keyword == "items" && s.Items != nil:
		return s.Items.Array
	}
	return nil
}

// single is the only part below a keyword, nil if there is none.
func single(s *typesystem.OpenAPI, keyword string) *typesystem.OpenAPI {
	switch keyword {
	case "items":
		return s.Elements()
	case "additionalProperties":
		return s.Values()
	case "not":
		return s.Not
	}
	return nil
}

// appendOther splits a path whose names hold neither dots nor brackets.
func appendOther(steps diag.Segments, path string) diag.Segments {
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if index, err := strconv.Atoi(step); err == nil {
			steps = append(steps, index)
		} else {
			steps = append(steps, step)
		}
	}
	return steps
}
