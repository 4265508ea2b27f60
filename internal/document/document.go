// Package document reads YAML and JSON as kubectl and an API server do: whole
// numbers become int64 and others float64, and data nests at most 10,000 deep.
package document

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// All decodes every document of a YAML stream or of a stream of JSON objects, and leaves
// out documents without content. On an error it returns the documents before it too.
//
// JSON is decoded as such, because not all of it is YAML.
func All(data []byte) (all []any, err error) {
	if !utilyaml.IsJSONBuffer(data) {
		return yamlStream(data)
	}
	var value any
	notJSON := json.Unmarshal(data, &value)
	if notJSON == nil {
		return []any{value}, nil
	}
	if all, err = jsonStream(data); err != nil {
		all, err = yamlStream(data)
	}
	if err != nil {
		err = notJSON
	}
	return all, err
}

func jsonStream(data []byte) (all []any, err error) {
	for stream := stdjson.NewDecoder(bytes.NewReader(data)); ; {
		var text stdjson.RawMessage
		var value any
		if err = stream.Decode(&text); err == nil {
			err = json.Unmarshal(text, &value)
		}
		switch err {
		case io.EOF:
			return all, nil
		case nil:
			all = append(all, value)
		default:
			return all, err
		}
	}
}

func yamlStream(data []byte) (all []any, err error) {
	for stream := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))); ; {
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
		if err != nil {
			return all, err
		}
		if value != nil {
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
