package kubecel

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/kubecel/kubecel/diag"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// ParseObject reads the one object in a YAML or JSON document as an API server
// does: whole numbers are int64 and others float64, which decides whether a
// field of type integer is valid. Data may nest up to 10,000 deep.
//
// The error is a *InputError with diag.DocumentUnreadable.
func ParseObject(data []byte) (map[string]any, error) {
	value, err := parseDocument(data)
	if err != nil {
		return nil, objectError(err)
	}
	switch object := value.(type) {
	case map[string]any:
		return object, nil
	case nil:
		return nil, objectError(errors.New("the document is empty"))
	default:
		return nil, objectError(fmt.Errorf("the document is a %s and no object", jsonType(object)))
	}
}

func objectError(err error) error {
	return &InputError{Code: diag.DocumentUnreadable, Detail: "object: " + err.Error(), Cause: err}
}

// parseDocument parses JSON as such, because not all of it is YAML, and YAML
// only if nothing stands beside one document.
func parseDocument(data []byte) (value any, err error) {
	if json.Unmarshal(data, &value) == nil {
		return value, nil
	}
	stream := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := stream.Read()
		if err == io.EOF {
			return value, nil
		}
		if err != nil {
			return nil, err
		}
		raw, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, err
		}
		var next any
		if err := json.Unmarshal(raw, &next); err != nil {
			return nil, err
		}
		if next == nil {
			continue // nothing but comments
		}
		if value != nil {
			return nil, errors.New("there are several documents, expected one")
		}
		value = next
	}
}

func jsonType(value any) string {
	switch value.(type) {
	case []any:
		return "list"
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}
