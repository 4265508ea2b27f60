package typesystem

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/diag"
)

// trail collects the steps to the place of an error, the innermost first.
type trail []string

// in adds a step if there is an error.
func (t *trail) in(step string, err error) error {
	if err != nil {
		*t = append(*t, step)
	}
	return err
}

// path is the place of the error.
func (t trail) path() string {
	slices.Reverse(t)
	return strings.TrimPrefix(strings.Join(t, ""), ".")
}

// CheckStructural says what keeps a document from becoming a structural schema. Its
// error is a *diag.InputError, whose cause is worded as by schema.NewStructural of an
// API server. A schema that passes can still fail schema.ValidateStructural.
func CheckStructural(doc *OpenAPI) error {
	err := errors.New("no schema")
	var at trail
	if doc != nil {
		err = at.check(doc)
	}
	if err == nil {
		return nil
	}
	return &diag.InputError{Code: diag.NotStructural, Path: at.path(), Detail: "schema is not structural: " + err.Error(), Cause: err}
}

// check checks a schema and all below it.
func (t *trail) check(doc *OpenAPI) error {
	if doc == nil {
		return nil
	}
	for _, field := range [...]struct {
		name string
		set  bool
	}{
		{"id", doc.ID != ""},
		{"schema", doc.Schema != ""},
		{"$ref", deref(doc.Ref) != ""},
		{"patternProperties", len(doc.PatternProperties) > 0},
		{"dependencies", len(doc.Dependencies) > 0},
		{"additionalItems", doc.AdditionalItems != nil},
		{"definitions", len(doc.Definitions) > 0},
	} {
		if field.set {
			return fmt.Errorf("OpenAPIV3Schema '%s' is not supported", field.name)
		}
	}
	if err := t.check(doc.Not); err != nil {
		return t.in(".not", err)
	}
	for _, junctor := range [...]struct {
		name    string
		clauses []OpenAPI
	}{{"allOf", doc.AllOf}, {"anyOf", doc.AnyOf}, {"oneOf", doc.OneOf}} {
		for i := range junctor.clauses {
			if err := t.check(&junctor.clauses[i]); err != nil {
				return t.in(fmt.Sprintf(".%s[%d]", junctor.name, i), err)
			}
		}
	}
	if doc.PreserveUnknownFields != nil && !*doc.PreserveUnknownFields {
		return errors.New("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined")
	}
	if doc.Items != nil && len(doc.Items.Array) > 0 {
		return errors.New("OpenAPIV3Schema 'items' must be a schema, but is an array")
	}
	if err := t.check(doc.Elements()); err != nil {
		return t.in(".items", err)
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		if err := t.check(doc.Property(name)); err != nil {
			return t.in(".properties["+name+"]", err)
		}
	}
	return t.in(".additionalProperties", t.check(doc.Values()))
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
