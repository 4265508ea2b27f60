package crd

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// spot is the path of a violation as text, made once. It is the text of a field.Path.
type spot struct {
	text string
	// known is false for the root of an object without a path of its own.
	known bool
}

// spot is at as text, with a name below it if that is not empty.
func (w *walk) spot(at *step, below string) spot {
	text := w.spotText[:0]
	if w.path != nil {
		text = append(text, w.path.String()...)
	}
	known := w.path != nil || at != nil || below != ""
	text = at.appendText(text)
	if below != "" {
		text = appendName(text, below)
	}
	w.spotText = text
	return spot{string(text), known}
}

func (s *step) appendText(text []byte) []byte {
	if s == nil {
		return text
	}
	text = s.up.appendText(text)
	switch {
	case s.kind == indexStep:
		return append(strconv.AppendInt(append(text, '['), int64(s.index), 10), ']')
	case s.kind == keyStep:
		return append(append(append(text, '['), s.name...), ']')
	}
	return appendName(text, s.name)
}

// appendName adds a field. Field.Path shows one without a name as an index.
func appendName(text []byte, name string) []byte {
	if name == "" {
		return append(text, "[]"...)
	}
	if len(text) > 0 {
		text = append(text, '.')
	}
	return append(text, name...)
}

// on gives an error the place.
func (s spot) on(err *field.Error) *field.Error {
	if s.known {
		err.Field = s.text
	}
	return err
}
