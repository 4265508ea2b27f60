// Package document reads YAML and JSON as kubectl and an API server do: whole
// numbers become int64 and others float64, and data nests at most 10,000 deep.
package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// All decodes a JSON text or every document of a YAML stream, and leaves out
// documents without content. On an error it returns the documents before it too.
//
// JSON is decoded as such, because not all of it is YAML.
func All(data []byte) (all []any, err error) {
	var value any
	notJSON := json.Unmarshal(data, &value)
	if notJSON == nil {
		if value != nil {
			all = append(all, value)
		}
		return all, nil
	}
	stream := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		text, err := stream.Read()
		if err == io.EOF {
			return all, nil
		}
		if err == nil {
			text, err = yaml.YAMLToJSON(text)
		}
		var value any
		if err == nil {
			err = json.Unmarshal(text, &value)
		}
		switch {
		case err != nil && utilyaml.IsJSONBuffer(data):
			return all, notJSON
		case err != nil:
			return all, err
		case value != nil:
			all = append(all, value)
		}
	}
}

// One decodes the only document of a JSON or YAML text, and returns nil if no
// document has content.
func One(data []byte) (any, error) {
	all, err := All(data)
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, errors.New("there are several documents, expected one")
	case len(all) == 0:
		return nil, nil
	}
	return all[0], nil
}
