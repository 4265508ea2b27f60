package kubecel

import (
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
)

// ParseObject reads the one object in a YAML or JSON document as an API server
// does: whole numbers are int64 and others float64, which decides whether a
// field of type integer is valid. Data may nest up to 10,000 deep.
//
// The error is a *InputError with diag.DocumentUnreadable.
func ParseObject(data []byte) (map[string]any, error) {
	value, err := document.One(data)
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
