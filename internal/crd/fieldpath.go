package crd

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// fieldPath reads the fieldPath of a rule: a JSON path of fields (.name) and
// quoted names (['name']) below a node of a schema.
//
// It accepts and rejects exactly what cel.ValidFieldPath does. Where that
// panics, because a path continues below a map of anything, it is an error.
func fieldPath(text string, s *typesystem.OpenAPI) (*field.Path, error) {
	var path *field.Path
	tokens := pathTokens{rest: text}
	for {
		delimiter, ok := tokens.next()
		if !ok {
			return path, nil
		}
		if delimiter != "[" && delimiter != "." {
			return nil, fmt.Errorf("expected [ or . but got: %s", delimiter)
		}
		name, ok := tokens.next()
		if !ok {
			return nil, errPathEnds
		}
		var err error
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
		if end, ok := tokens.next(); !ok {
			return nil, errPathEnds
		} else if end != "]" {
			return nil, fmt.Errorf("expected ] but got %s", end)
		}
	}
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

// unescapeQuoted resolves the escapes of a single-quoted string.
func unescapeQuoted(s string) (string, error) {
	var out strings.Builder
	var err error
	for i := 0; i < len(s); i++ {
		// As in the reference, a backslash before a line feed or at the end
		// stands for itself.
		if s[i] != '\\' || i+1 == len(s) || s[i+1] == '\n' {
			out.WriteByte(s[i])
			continue
		}
		escaped := firstRune(s[i+1:])
		if at := strings.IndexByte(`abfnrtv'\`, s[i+1]); at >= 0 {
			out.WriteByte("\a\b\f\n\r\t\v'\\"[at])
		} else {
			err = fmt.Errorf("invalid escape char \\%s", escaped)
		}
		i += len(escaped)
	}
	return out.String(), err
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// maxPathToken is the number of bytes that the reference looks at to find the
// end of a token. It takes a longer token for the end of the path.
const maxPathToken = 64 * 1024

// pathTokens splits a JSON path into delimiters and what is between them.
type pathTokens struct {
	rest string
}

func (t *pathTokens) next() (token string, ok bool) {
	window := t.rest[:min(len(t.rest), maxPathToken)]
	end := tokenEnd(window)
	if end < 0 {
		if end = len(t.rest); end == 0 || end >= maxPathToken {
			t.rest = ""
			return "", false
		}
	}
	token, t.rest = t.rest[:end], t.rest[end:]
	return token, true
}

// tokenEnd is the length of the first token, -1 if it may continue at the end of s.
func tokenEnd(s string) int {
	if s == "" {
		return -1
	}
	if s[0] == '\'' {
		for i := 1; i < len(s); i++ {
			if s[i] == '\'' && s[i-1] != '\\' {
				return i + 1
			}
		}
		return -1
	}
	end := strings.IndexAny(s, ".[]")
	if end == 0 {
		return 1
	}
	return end
}
