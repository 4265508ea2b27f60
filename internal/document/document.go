// Package document reads YAML and JSON as kubectl and an API server do: whole
// numbers become int64 and others float64, and data nests at most 10,000 deep. It
// finds the places of values in their text.
package document

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Document is a document of a stream.
type Document struct {
	// Value is what it holds.
	Value any
	// Number counts the documents with content from 1. Line is the line in the stream
	// where the document begins.
	Number, Line int
	text         []byte
}

// Read reads every document of a YAML stream or of a stream of JSON objects, and leaves out
// documents without content. On an error it returns the documents before it too, and
// the number and the line of the one that it cannot read. The value of a document that the
// decoder can read is what that says. It may be nil.
//
// JSON is decoded as such, because not all of it is YAML.
func Read(data []byte, decode Decoder) (all []Document, unread Document, err error) {
	if !utilyaml.IsJSONBuffer(data) {
		return yamlStream(data, decode)
	}
	value, notJSON := unmarshal(data, decode)
	if notJSON == nil {
		return []Document{{Value: value, Number: 1, Line: 1, text: data}}, unread, nil
	}
	if all, unread, err = jsonStream(data, decode); err != nil {
		all, unread, err = yamlStream(data, decode)
	}
	if err != nil {
		err = notJSON
	}
	return all, unread, err
}

func jsonStream(data []byte, decode Decoder) (all []Document, d Document, err error) {
	d = Document{Number: 1, Line: 1}
	end := 0
	for stream := stdjson.NewDecoder(bytes.NewReader(data)); ; {
		var text stdjson.RawMessage
		if err = stream.Decode(&text); err == nil {
			d.Value, err = unmarshal(text, decode)
		}
		switch err {
		case io.EOF:
			return all, d, nil
		case nil:
			begin := int(stream.InputOffset()) - len(text)
			d.Line += bytes.Count(data[end:begin], []byte("\n"))
			d.text = data[begin : begin+len(text)]
			all = append(all, d)
			d = Document{Number: d.Number + 1, Line: d.Line + bytes.Count(text, []byte("\n"))}
			end = begin + len(text)
		default:
			return all, d, err
		}
	}
}

func yamlStream(data []byte, decode Decoder) (all []Document, d Document, err error) {
	for rest := (splitter{rest: data, line: 1}); ; {
		text, line, err := rest.next()
		if err == io.EOF {
			return all, d, nil
		}
		d = Document{Number: len(all) + 1, Line: line, text: text}
		if err == nil {
			text, err = yaml.YAMLToJSON(complete(text))
		}
		if err == nil {
			d.Value, err = unmarshal(text, decode)
		}
		if err != nil {
			return all, d, err
		}
		if d.Value != nil {
			all = append(all, d)
		}
	}
}

// One decodes the only document of a JSON or YAML text, and returns nil if no
// document has content. The decoder is that of [Read].
func One(data []byte, decode Decoder) (any, error) {
	all, _, err := Read(data, decode)
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, errors.New("there are several documents, expected one")
	case len(all) == 0:
		return nil, nil
	}
	return all[0].Value, nil
}
