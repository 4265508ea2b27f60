// Package crd knows CustomResourceDefinitions: it reads them, says of their
// schemas and rules what an API server says on creation, and validates objects
// by their rules.
//
// The reference is the API server of Kubernetes 1.37. Where that visits maps in
// random order, this package visits them in sorted order.
package crd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/third_party/forked/golang/reflect"
	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/internal/typesystem"
)

const (
	kind       = "CustomResourceDefinition"
	apiVersion = "apiextensions.k8s.io/v1"
)

// Definition is what is needed of a CustomResourceDefinition.
type Definition struct {
	// Name is the name of the CRD itself, plural.group.
	Name string
	// Group, Kind and Plural name the resource that it defines.
	Group, Kind, Plural string
	// Versions are the versions in the order of the document.
	Versions []Version
}

// Version is one version of a custom resource.
type Version struct {
	Name string
	// Served tells whether the version is served, Storage whether objects are
	// stored in it.
	Served, Storage bool
	// Schema is the schema, nil if there is none.
	Schema *typesystem.OpenAPI
	// Status tells whether the status subresource is enabled.
	Status bool
}

// The errors of reading a CRD. A *SyntaxError, *KindError, *VersionError or
// *MissingSchemaError says more; each is one of these by errors.Is.
var (
	// ErrSyntax is the error of a document that is neither YAML nor JSON, or in
	// which a field has the wrong type.
	ErrSyntax = errors.New("not a readable document")
	// ErrNotCRD is the error of a document that is no CRD of apiextensions.k8s.io/v1.
	ErrNotCRD = errors.New("not a CustomResourceDefinition of " + apiVersion)
	// ErrNoVersion is the error of asking for a version that the CRD does not have.
	ErrNoVersion = errors.New("no such version")
	// ErrNoSchema is the error of asking for the schema of a version that has none.
	ErrNoSchema = errors.New("version has no schema")
	// ErrNotStructural is the error of a schema that is not structural.
	ErrNotStructural = errors.New("schema is not structural")
)

// SyntaxError is the error of a document that cannot be read.
type SyntaxError struct {
	// Document is the index of the document in a stream of several.
	Document int
	// Err says what is wrong.
	Err error
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("document %d: %v: %v", e.Document+1, ErrSyntax, e.Err)
}

// Unwrap returns ErrSyntax and the cause.
func (e *SyntaxError) Unwrap() []error { return []error{ErrSyntax, e.Err} }

// KindError is the error of a document that is something else than a CRD.
type KindError struct {
	// Document is the index of the document in a stream of several, -1 if none
	// of them is a CRD.
	Document int
	// APIVersion and Kind are what the document says that it is.
	APIVersion, Kind string
}

func (e *KindError) Error() string {
	if e.Document < 0 {
		return "no document is a CustomResourceDefinition of " + apiVersion
	}
	hint := ""
	if e.Kind == kind {
		hint = " (Kubernetes serves only " + apiVersion + " since 1.22)"
	}
	return fmt.Sprintf("document %d: %v: it is %q of %q%s", e.Document+1, ErrNotCRD, e.Kind, e.APIVersion, hint)
}

// Is tells that the error is ErrNotCRD.
func (e *KindError) Is(target error) bool { return target == ErrNotCRD }

// VersionError is the error of asking for what a CRD does not have.
type VersionError struct {
	// Name is the name of the version.
	Name string
	// Versions are the names of the versions that there are.
	Versions []string
	// Err is ErrNoVersion or ErrNoSchema.
	Err error
}

func (e *VersionError) Error() string {
	if e.Err == ErrNoSchema {
		return fmt.Sprintf("version %q has no schema", e.Name)
	}
	return fmt.Sprintf("no version %q, there are %q", e.Name, e.Versions)
}

// Unwrap returns ErrNoVersion or ErrNoSchema.
func (e *VersionError) Unwrap() error { return e.Err }

// ErrSeveral is the error of Read for a stream with more than one CRD.
var ErrSeveral = errors.New("several CustomResourceDefinitions, expected one")

// Read reads the one CRD in a YAML or JSON document. Every document of a stream
// must be a CRD, and there must be exactly one.
func Read(data []byte) (*Definition, error) {
	all, others, err := read(data)
	switch {
	case err != nil:
		return nil, err
	case len(others) > 0:
		return nil, others[0]
	case len(all) == 0:
		return nil, &KindError{Document: -1}
	case len(all) > 1:
		return nil, ErrSeveral
	}
	return all[0], nil
}

// ReadAll reads every CRD in a stream of YAML or JSON documents, also those in
// lists, and passes over documents of other kinds. It is an error if there is
// no CRD.
func ReadAll(data []byte) ([]*Definition, error) {
	all, _, err := read(data)
	if err == nil && len(all) == 0 {
		err = &KindError{Document: -1}
	}
	return all, err
}

// header is what tells the kind of a document.
type header struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// read reads all CRDs of a stream, and reports the documents of other kinds.
func read(data []byte) (all []*Definition, others []*KindError, err error) {
	for i, document := range documents(data) {
		raw, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, nil, &SyntaxError{Document: i, Err: err}
		}
		if bytes.Equal(raw, []byte("null")) { // nothing but comments
			continue
		}
		if raw[0] != '{' {
			return nil, nil, &SyntaxError{Document: i, Err: errors.New("it is not an object")}
		}
		items := []json.RawMessage{raw}
		for len(items) > 0 {
			item := items[0]
			items = items[1:]
			var h header
			if err := utiljson.Unmarshal(item, &h); err != nil {
				return nil, nil, &SyntaxError{Document: i, Err: err}
			}
			switch {
			case h.APIVersion == apiVersion && h.Kind == kind:
				d, err := decode(item)
				if err != nil {
					return nil, nil, &SyntaxError{Document: i, Err: err}
				}
				all = append(all, d)
			case h.APIVersion == "v1" && h.Kind == "List", h.APIVersion == apiVersion && h.Kind == kind+"List":
				items = append(items, h.Items...)
			default:
				others = append(others, &KindError{Document: i, APIVersion: h.APIVersion, Kind: h.Kind})
			}
		}
	}
	return all, others, nil
}

// documents splits a stream of YAML documents at the lines that begin with ---.
func documents(data []byte) [][]byte {
	var all [][]byte
	from := 0
	prologue := true // nothing but comments and directives so far
	for at := 0; at < len(data); {
		line, _, _ := bytes.Cut(data[at:], []byte("\n"))
		switch {
		case bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r"), line[3]) >= 0):
			if !prologue {
				all = append(all, data[from:at])
				from = at
			}
			prologue = false
		case !isPrologue(line):
			prologue = false
		}
		at += len(line) + 1
	}
	return append(all, data[from:])
}

func isPrologue(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#' || line[0] == '%'
}

// decode decodes a CRD from JSON. As an API server does, it ignores fields that
// it does not know.
func decode(data []byte) (*Definition, error) {
	var d struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
				Kind   string `json:"kind"`
			} `json:"names"`
			Versions []struct {
				Name    string `json:"name"`
				Served  bool   `json:"served"`
				Storage bool   `json:"storage"`
				Schema  *struct {
					OpenAPIV3Schema json.RawMessage `json:"openAPIV3Schema"`
				} `json:"schema"`
				Subresources *struct {
					Status *struct{} `json:"status"`
				} `json:"subresources"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := utiljson.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	out := &Definition{
		Name:     d.Metadata.Name,
		Group:    d.Spec.Group,
		Kind:     d.Spec.Names.Kind,
		Plural:   d.Spec.Names.Plural,
		Versions: make([]Version, len(d.Spec.Versions)),
	}
	for i, v := range d.Spec.Versions {
		out.Versions[i] = Version{
			Name: v.Name, Served: v.Served, Storage: v.Storage,
			Status: v.Subresources != nil && v.Subresources.Status != nil,
		}
		if v.Schema == nil || len(v.Schema.OpenAPIV3Schema) == 0 || bytes.Equal(v.Schema.OpenAPIV3Schema, []byte("null")) {
			continue
		}
		schema, err := typesystem.ParseOpenAPI(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, fmt.Errorf("spec.versions[%d].schema.openAPIV3Schema: %w", i, err)
		}
		out.Versions[i].Schema = schema
	}
	return out, nil
}

// Version returns the version of a name, or a *VersionError if there is none or
// it has no schema.
func (d *Definition) Version(name string) (*Version, error) {
	for i := range d.Versions {
		if v := &d.Versions[i]; v.Name == name {
			if v.Schema == nil {
				return nil, &VersionError{Name: name, Err: ErrNoSchema}
			}
			return v, nil
		}
	}
	names := make([]string, len(d.Versions))
	for i, v := range d.Versions {
		names[i] = v.Name
	}
	return nil, &VersionError{Name: name, Versions: names, Err: ErrNoVersion}
}

// shared tells whether all versions have the same schema. An API server moves
// such a schema from the versions to the top of its internal type, so that its
// errors speak of spec.validation.
func (d *Definition) shared() bool {
	equalities := reflect.Equalities{}
	for _, v := range d.Versions {
		if !equalities.DeepEqual(v.Schema, d.Versions[0].Schema) {
			return false
		}
	}
	return len(d.Versions) > 0
}

// schemaPath is the path of the schema of the version at index i, as an API
// server names it in errors.
func (d *Definition) schemaPath(i int, shared bool) *field.Path {
	spec := field.NewPath("spec")
	if shared {
		return spec.Child("validation", "openAPIV3Schema")
	}
	return spec.Child("versions").Index(i).Child("schema", "openAPIV3Schema")
}
