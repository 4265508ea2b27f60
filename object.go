package kubecel

import (
	"errors"
	"fmt"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/data"
	"github.com/kubecel/kubecel/internal/document"
)

// ParseObject reads the one object in a YAML or JSON document as an API server
// does: whole numbers are int64 and others float64, which decides whether a
// field of type integer is valid. Data may nest up to 10,000 deep.
//
// The error is a *InputError with diag.DocumentUnreadable.
func ParseObject(data []byte) (map[string]any, error) {
	value, err := document.One(data, nil)
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

// objects are the objects of a validation. Old is nil if there is no old object.
type objects struct {
	object, old any
}

// prepare takes objects as [RuleSet.Validate] says.
func prepare(v *crd.Validator, object, old any, options crd.DataOptions) (o objects, err error) {
	if o.object, err = v.Prepare(object, "object", options); err != nil {
		return o, dataError(err, diag.DataInvalid)
	}
	if o.object == nil {
		return o, errNilObject()
	}
	before, err := v.Prepare(old, "old object", options)
	if before != nil {
		o.old = before
	}
	return o, dataError(err, diag.DataInvalid)
}

func errNilObject() error { return argumentError("the object is nil") }

// dataError is the error of data that cannot be converted, nil if err is nil.
func dataError(err error, code diag.Code) error {
	if err == nil {
		return nil
	}
	var failed *data.Error
	if !errors.As(err, &failed) {
		return err
	}
	return &InputError{Code: code, Path: failed.Path, Detail: failed.Detail, Cause: failed.Cause}
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
