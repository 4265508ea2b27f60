package kubecel

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// ParseObject reads an object in YAML or JSON as an API server does: whole
// numbers are int64 and others float64, which decides whether a field of type
// integer is valid.
func ParseObject(data []byte) (map[string]any, error) {
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	if object == nil {
		return nil, errors.New("object: the document is empty")
	}
	return object, nil
}
