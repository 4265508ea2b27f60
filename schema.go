package kubecel

import (
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Schema is an OpenAPI schema. It types variables, see [SchemaVariable], may have rules,
// see [Schema.Compile], and says what may be assigned to a field, see
// [Expression.AssignableTo]. It is read-only and safe for concurrent use. The zero value
// is empty: its methods return errors.
type Schema struct {
	document *typesystem.OpenAPI
	options  typesystem.Options
	// path is the place in the schema that it was taken from.
	path string
	// server is what a server makes of the schema, and embedding the same with all
	// that resources declare of their metadata.
	server    *typesystem.Schema
	embedding func() *typesystem.Schema
}

func (s *Schema) isZero() bool { return s == nil || s.server == nil }

func errZeroSchema() error { return argumentError("the schema is empty: ParseSchema reads one") }

// ParseSchema reads a schema of any data, in YAML or JSON, with the keywords of
// CRDs. The error is an *InputError.
func ParseSchema(document []byte) (*Schema, error) { return parseSchema(document, false) }

// ParseResourceSchema reads the schema of a resource, in YAML or JSON: what stands
// below openAPIV3Schema in a CRD. Expressions also see apiVersion, kind,
// metadata.name and metadata.generateName, as in an API server. The error is an
// *InputError.
func ParseResourceSchema(document []byte) (*Schema, error) { return parseSchema(document, true) }

func parseSchema(document []byte, resource bool) (*Schema, error) {
	parsed, err := typesystem.ParseOpenAPI(document)
	if err != nil {
		return nil, err
	}
	return newSchema(parsed, resource)
}

// SchemaOf reads a schema from a Go value whose JSON is one: a *spec.Schema of
// k8s.io/kube-openapi, JSONSchemaProps of k8s.io/apiextensions-apiserver, a map. It takes
// the keywords of built-in kinds, as [OpenAPI] does. Find returns the schema that a $ref
// names, in the same form; without references it may be nil. The schema is that of a
// resource if it has x-kubernetes-group-version-kind.
//
// The error is an *InputError. If find returned an error, it unwraps to that.
func SchemaOf(schema any, find func(ref string) (any, error)) (*Schema, error) {
	doc, resource, err := typesystem.OpenAPIOf(schema)
	if err != nil {
		return nil, err
	}
	resolved, err := typesystem.Resolve(doc, func(ref string) (*typesystem.OpenAPI, error) {
		if find == nil {
			return nil, errors.New(ref + " refers to a schema, and there is nothing to find it with")
		}
		found, err := find(ref)
		if err != nil {
			return nil, err
		}
		doc, _, err := typesystem.OpenAPIOf(found)
		return doc, err
	})
	if err != nil {
		return nil, err
	}
	return newSchema(resolved, resource)
}

func newSchema(document *typesystem.OpenAPI, resource bool) (*Schema, error) {
	return compileSchema(document, typesystem.Options{Root: resource})
}

func compileSchema(document *typesystem.OpenAPI, options typesystem.Options) (*Schema, error) {
	compiled, err := typesystem.CompileAs(document, options)
	if err != nil {
		return nil, err
	}
	s := &Schema{document: document, options: options, server: compiled}
	s.embedding = sync.OnceValue(func() *typesystem.Schema {
		options.DeclaredMeta = true
		if full, err := typesystem.CompileAs(document, options); err == nil && document.DeclaresMeta(options.Root) {
			return full
		}
		return compiled
	})
	return s, nil
}

// in returns the schema as an environment has it: that of a server, or one for embedding.
func (s *Schema) in(server bool) *typesystem.Schema {
	if server {
		return s.server
	}
	return s.embedding()
}

// UnknownAsDyn returns the schema for variables whose unknown data expressions select as
// dyn: fields of objects with x-kubernetes-preserve-unknown-fields, and data without a
// type. An object of which nothing is declared is a map of dyn. In an API server, such
// data cannot be selected: [Schema.Compile] compiles the rules as before.
func (s *Schema) UnknownAsDyn() *Schema {
	if s.isZero() {
		return s
	}
	options := s.options
	options.UnknownAsDyn = true
	dyn, err := compileSchema(s.document, options)
	if err != nil {
		return s // what compiled once compiles again
	}
	dyn.path = s.path
	return dyn
}

// At returns the schema of the data at a path, such as spec.listeners[*].port. Elements of
// lists are [*] or an index, values of maps are {*}, ['a.b'] or .name. Resources have the
// usual metadata, even where the schema does not declare it. The error is an *InputError
// that says which step leads nowhere.
func (s *Schema) At(path string) (*Schema, error) {
	if s.isZero() {
		return nil, errZeroSchema()
	}
	document, place, err := s.document.At(path, s.options.Root)
	if err != nil {
		return nil, &InputError{Code: diag.FieldPathInvalid, Path: path, Detail: err.Error(), Cause: err}
	}
	options := s.options
	options.Root = options.Root && document == s.document
	below, err := compileSchema(document, options)
	if err != nil {
		return nil, err
	}
	below.path = typesystem.JoinPaths(s.path, place)
	return below, nil
}

// FieldPath reads the fieldPath of a rule that stands at the root of the schema: .name
// and ['name']. It accepts what an API server accepts, and returns the path as violations
// have it. The error is an *InputError: its detail is the text of the server, its cause
// says more.
func (s *Schema) FieldPath(path string) (*field.Path, error) {
	if s.isZero() {
		return nil, errZeroSchema()
	}
	parsed, err := crd.FieldPath(path, s.document)
	if problems := crd.FieldPathProblems(path, s.document); len(problems) > 0 {
		return nil, &InputError{Code: diag.FieldPathInvalid, Path: path, Detail: problems[0], Cause: err}
	}
	return parsed, nil
}

// Compile compiles the rules of the schema, as [CRD.Compile] does.
func (s *Schema) Compile(opts ...CRDOption) (*RuleSet, error) {
	if s.isZero() {
		return nil, errZeroSchema()
	}
	return compileRules(s.document, s.options.Root, opts)
}
