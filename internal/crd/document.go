// Package crd knows CustomResourceDefinitions: it reads them, says of their
// schemas and rules what an API server says on creation or on an update, and
// validates objects by their rules.
//
// The reference is the API server of Kubernetes 1.37. Where that visits maps in
// random order, this package visits them in sorted order.
package crd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/third_party/forked/golang/reflect"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
	"github.com/kubecel/kubecel/internal/typesystem"
)

const (
	kind       = "CustomResourceDefinition"
	group      = "apiextensions.k8s.io/"
	apiVersion = group + "v1"
)

// Definition is what is needed of a CustomResourceDefinition.
type Definition struct {
	// Name is the name of the CRD itself, plural.group.
	Name string
	// PreserveUnknownFields tells whether unknown fields are kept everywhere, as they
	// can be in a CRD that was stored before v1.
	PreserveUnknownFields bool
	// Versions are the versions in the order of the document.
	Versions []Version
	origin   origin
}

// Version is one version of a custom resource.
type Version struct {
	Name string
	// Storage tells whether objects are stored in the version, Served whether they are
	// served in it.
	Storage, Served bool
	// Schema is the schema, nil if there is none.
	Schema *typesystem.OpenAPI
	// Status tells whether the status subresource is enabled.
	Status bool
}

// Read reads the one CRD in a YAML or JSON text, alone or in a List. Its error is a
// *diag.InputError: if the text is unreadable, or holds anything else than one CRD.
func Read(data []byte) (*Definition, error) {
	var other error
	found, err := read(data, func(o object) error {
		if other == nil {
			other = o.notCRD()
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case other != nil:
		return nil, other
	case len(found) == 0:
		return nil, notCRD(diag.Place{}, "no document is a CustomResourceDefinition of %s", apiVersion)
	case len(found) > 1:
		return nil, notCRD(diag.Place{}, "several CustomResourceDefinitions, expected one")
	}
	return found[0], nil
}

// ReadAll reads all CRDs in a YAML or JSON text, alone or in Lists, and passes over other objects. Its error is a
// *diag.InputError: if a document is unreadable, or a CRD of another version.
func ReadAll(data []byte) ([]*Definition, error) {
	return read(data, func(o object) error {
		if o.Kind == kind && strings.HasPrefix(o.APIVersion, group) {
			return o.notCRD()
		}
		return nil
	})
}

// object is an object of a document.
type object struct {
	header
	in document.Document
}

// notCRD says that the object is no CRD of the version that servers have.
func (o object) notCRD() error {
	hint := ""
	if o.Kind == kind {
		hint = " (Kubernetes serves only " + apiVersion + " since 1.22)"
	}
	return notCRD(o.in.Place(), "document %d at line %d: not a CustomResourceDefinition of %s: it is %q of %q%s",
		o.in.Number, o.in.Line, apiVersion, o.Kind, o.APIVersion, hint)
}

// header is what tells which object it is, and the items of a List.
type header struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []typesystem.JSON `json:"items"`
}

// read reads all CRDs in a text, and shows other objects to a visitor. The error is that of the first document that is
// no object or no CRD that can be read.
func read(data []byte, other func(object) error) (found []*Definition, err error) {
	documents, unread, broken := document.Read(data, readJSON)
	for _, d := range documents {
		if crd, ok := d.Value.(*Definition); ok {
			crd.origin = origin{source: d.Source()}
			found = append(found, crd)
			continue
		}
		var source *document.Source // of all CRDs in the document
		items := []typesystem.JSON{{Value: d.Value}}
		paths := []diag.Segments{nil}
		for ; len(items) > 0; items, paths = items[1:], paths[1:] {
			tree, ok := items[0].Value.(map[string]any)
			if !ok {
				return nil, unreadable(d, errors.New("it is not an object"))
			}
			o := object{in: d}
			if err := typesystem.Decode(tree, &o.header); err != nil {
				return nil, unreadable(d, err)
			}
			switch {
			case o.APIVersion == apiVersion && o.Kind == kind:
				crd, err := decode(tree)
				if err != nil {
					return nil, unreadable(d, err)
				}
				if source == nil {
					text := d.Source()
					source = &text
				}
				crd.origin = origin{*source, paths[0]}
				found = append(found, crd)
			case o.APIVersion == "v1" && o.Kind == "List", o.APIVersion == apiVersion && o.Kind == kind+"List":
				items = append(items, o.Items...)
				for i := range o.Items {
					paths = append(paths, slices.Concat(paths[0], diag.Segments{"items", i}))
				}
			default:
				if err := other(o); err != nil {
					return nil, err
				}
			}
		}
	}
	if broken != nil {
		return nil, unreadable(unread, broken)
	}
	return found, nil
}

// unreadable is the error of a document.
func unreadable(d document.Document, err error) error {
	detail := fmt.Sprintf("document %d at line %d: not a readable document: %v", d.Number, d.Line, err)
	return &diag.InputError{Code: diag.DocumentUnreadable, Place: d.Place(), Detail: detail, Cause: err}
}

func notCRD(at diag.Place, format string, args ...any) error {
	return &diag.InputError{Code: diag.NotCRD, Place: at, Detail: fmt.Sprintf(format, args...)}
}

// decode decodes a CRD. As an API server does, it ignores fields that it does not know.
func decode(tree any) (*Definition, error) {
	var d struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			PreserveUnknownFields bool `json:"preserveUnknownFields"`

			Versions []struct {
				Name    string `json:"name"`
				Storage bool   `json:"storage"`
				Served  bool   `json:"served"`
				Schema  struct {
					OpenAPIV3Schema typesystem.JSON `json:"openAPIV3Schema"`
				} `json:"schema"`
				Subresources struct {
					Status *struct{} `json:"status"`
				} `json:"subresources"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := typesystem.Decode(tree, &d); err != nil {
		return nil, err
	}
	out := &Definition{
		Name: d.Metadata.Name, PreserveUnknownFields: d.Spec.PreserveUnknownFields, Versions: make([]Version, len(d.Spec.Versions)),
	}
	for i, v := range d.Spec.Versions {
		out.Versions[i] = Version{Name: v.Name, Storage: v.Storage, Served: v.Served, Status: v.Subresources.Status != nil}
		if v.Schema.OpenAPIV3Schema.Value == nil {
			continue
		}
		schema := &typesystem.OpenAPI{}
		if err := typesystem.Decode(v.Schema.OpenAPIV3Schema.Value, schema); err != nil {
			return nil, fmt.Errorf("spec.versions[%d].schema.openAPIV3Schema: %w", i, err)
		}
		out.Versions[i].Schema = schema
	}
	return out, nil
}

// Version returns the index of the version of a name, or of the stored version if the
// name is empty. Its error is a *diag.InputError: if there is no such version, or it
// has no schema.
func (d *Definition) Version(name string) (int, error) {
	is := func(v Version) bool { return v.Name == name }
	if name == "" {
		is = func(v Version) bool { return v.Storage }
	}
	switch i := slices.IndexFunc(d.Versions, is); {
	case i >= 0 && d.Versions[i].Schema != nil:
		return i, nil
	case i >= 0:
		return 0, &diag.InputError{Code: diag.SchemaMissing, Detail: fmt.Sprintf("version %q has no schema", d.Versions[i].Name)}
	case name == "":
		return 0, &diag.InputError{Code: diag.VersionMissing, Detail: "no version has storage: true"}
	}
	names := make([]string, len(d.Versions))
	for i, v := range d.Versions {
		names[i] = v.Name
	}
	return 0, &diag.InputError{Code: diag.VersionMissing, Detail: fmt.Sprintf("no version %q, there are %q", name, names)}
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

// Schema returns the path by which an API server names the schema of a version, and whether it has a
// status subresource. If all versions have the same schema, one status suffices.
func (d *Definition) Schema(i int) (path *field.Path, status bool) { return d.schema(i, d.shared()) }

func (d *Definition) schema(i int, shared bool) (path *field.Path, status bool) {
	path = field.NewPath("spec")
	if shared {
		return path.Child("validation", "openAPIV3Schema"), slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Status })
	}
	return path.Child("versions").Index(i).Child("schema", "openAPIV3Schema"), d.Versions[i].Status
}
