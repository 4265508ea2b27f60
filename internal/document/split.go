package document

import (
	"bytes"
	"fmt"
	"io"
)

// splitter splits a YAML stream into documents, as the YAMLReader of
// k8s.io/apimachinery does. Unlike that, it knows where they stand.
type splitter struct {
	rest []byte
	line int
}

// next returns a document and the line where it begins. The error is io.EOF at the end.
func (s *splitter) next() (text []byte, line int, err error) {
	line = s.line
	end := 0
	for end < len(s.rest) {
		current, after := s.rest[end:], len(s.rest)
		if i := bytes.IndexByte(current, '\n'); i >= 0 {
			current, after = current[:i], end+i+1
		}
		s.line++
		if tail, ok := bytes.CutPrefix(current, []byte("---")); ok {
			if tail = bytes.TrimSpace(tail); len(tail) > 0 && tail[0] != '#' {
				return nil, s.line - 1, fmt.Errorf("invalid Yaml document separator: %s", tail)
			}
			if end > 0 {
				text, s.rest = s.rest[:end], s.rest[after:]
				return text, line, nil
			}
		}
		end = after
	}
	text, s.rest = s.rest, nil
	if len(text) == 0 {
		err = io.EOF
	}
	return text, line, err
}

// complete is a document as the YAMLReader gives it: each line ends with a line feed alone.
func complete(text []byte) []byte {
	if bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), '\n')
	}
	return text
}
