package diag

import (
	"encoding/json"
	"fmt"
)

// Place is a place in a stream of YAML or JSON documents. The zero value is no place.
type Place struct {
	// Document is the number of the document, from 1. Documents without content do
	// not count.
	Document int `json:"document"`
	// Line is the line in the stream, from 1.
	Line int `json:"line"`
	// Column counts code points, from 1.
	Column int `json:"column"`
}

// String returns line:column.
func (p Place) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// IsZero tells whether no place is known.
func (p Place) IsZero() bool { return p.Line == 0 }

// Segments are the steps of a path: a string is the name of a field or the key of a
// map, an int the index in a list, and nil, where it occurs, each element of a list or map.
type Segments []any

// UnmarshalJSON is part of json.Unmarshaler. Whole numbers become int.
func (s *Segments) UnmarshalJSON(data []byte) error {
	var steps []json.RawMessage
	if err := json.Unmarshal(data, &steps); err != nil {
		return err
	}
	*s = Segments{}
	for _, step := range steps {
		var index int
		var name string
		if string(step) == "null" {
			*s = append(*s, nil)
		} else if err := json.Unmarshal(step, &index); err == nil {
			*s = append(*s, index)
		} else if err := json.Unmarshal(step, &name); err == nil {
			*s = append(*s, name)
		} else {
			return fmt.Errorf("a step of a path is neither a string nor a whole number: %s", step)
		}
	}
	return nil
}
