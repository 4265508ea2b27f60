package crd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// FieldPath reads the fieldPath of a rule: a JSON path of fields (.name) and
// quoted names (['name']) below a node of a schema.
//
// It accepts and rejects exactly what cel.ValidFieldPath does. Where that
// panics, because a path continues below a map of anything, it is an error.
func FieldPath(text string, s *typesystem.OpenAPI) (path *field.Path, err error) {
	// Like the reference, this takes a token that the buffer of the scanner cannot
	// hold for the end of the path.
	tokens := bufio.NewScanner(strings.NewReader(text))
	tokens.Split(pathToken)
	for tokens.Scan() {
		delimiter := tokens.Text()
		if delimiter != "[" && delimiter != "." {
			return nil, fmt.Errorf("expected [ or . but got: %s", delimiter)
		}
		if !tokens.Scan() {
			return nil, errPathEnds
		}
		name := tokens.Text()
		if delimiter == "[" {
			if len(name) < 2 || name[0] != '\'' || name[len(name)-1] != '\'' {
				return nil, fmt.Errorf("expected single quoted string but got %s", name)
			}
			if name, err = unescapeQuoted(name[1 : len(name)-1]); err != nil {
				return nil, fmt.Errorf("invalid string literal: %w", err)
			}
		}
		if path, s, err = descend(path, s, name); err != nil {
			return nil, err
		}
		if delimiter == "." {
			continue
		}
		if !tokens.Scan() {
			return nil, errPathEnds
		}
		if end := tokens.Text(); end != "]" {
			return nil, fmt.Errorf("expected ] but got %s", end)
		}
	}
	return path, nil
}

var (
	errPathEnds = errors.New("unexpected end of JSON path")
	errNoField  = errors.New("does not refer to a valid field")
)

// descend follows one name from a node of a schema. The node it leads to is nil
// below a map of anything.
func descend(path *field.Path, s *typesystem.OpenAPI, name string) (*field.Path, *typesystem.OpenAPI, error) {
	switch {
	case s == nil:
	case len(s.Properties) > 0:
		if p := s.Property(name); p != nil {
			return path.Child(name), p, nil
		}
	case s.AdditionalProperties != nil:
		return path.Key(name), s.AdditionalProperties.Schema, nil
	}
	return nil, nil, errNoField
}

// escapes matches an escape in a quoted string. No escape is a backslash before a line feed.
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\.`) })

// unescapeQuoted resolves the escapes of a single-quoted string.
func unescapeQuoted(s string) (text string, err error) {
	text = escapes().ReplaceAllStringFunc(s, func(escape string) string {
		at := strings.IndexByte(`abfnrtv'\`, escape[1])
		if at < 0 {
			err = fmt.Errorf("invalid escape char %s", escape)
			return ""
		}
		return "\a\b\f\n\r\t\v'\\"[at : at+1]
	})
	return text, err
}

// pathToken splits a JSON path into delimiters and what is between them. It is a bufio.SplitFunc.
func pathToken(data []byte, atEOF bool) (advance int, token []byte, err error) {
	end := bytes.IndexAny(data, ".[]")
	switch {
	case len(data) > 0 && data[0] == '\'':
		end = quotedEnd(data)
	case end == 0:
		end = 1
	}
	if end < 0 {
		if !atEOF || len(data) == 0 {
			return 0, nil, nil
		}
		end = len(data)
	}
	return end, data[:end], nil
}

// quotedEnd is the length of the quoted string that data begins with, -1 if it does not end.
func quotedEnd(data []byte) int {
	for i := 1; i < len(data); i++ {
		if data[i] == '\'' && data[i-1] != '\\' {
			return i + 1
		}
	}
	return -1
}
