package typesystem

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/document"
)

// Resolve returns a schema without references: in the place of each $ref stands the schema
// that find knows by that name. It takes what k8s.io/kube-openapi generates for built-in kinds
// and what a server publishes, and keeps only what types, values and bounds need:
//
//   - A reference may also stand in allOf, beside a description or a default.
//   - What refers to a schema that it is part of is an object of unknown fields there. That is
//     the type of an API server (k8s.io/apiserver v0.37.2, pkg/cel/openapi/resolver).
//   - An object that declares nothing has unknown fields, and the format int-or-string counts.
//
// The error is a *diag.InputError.
func Resolve(doc *OpenAPI, find func(ref string) (*OpenAPI, error)) (*OpenAPI, error) {
	r := resolver{find: find, open: map[string]bool{}}
	resolved, err := r.resolve(doc)
	if err != nil {
		input := &diag.InputError{Code: diag.DocumentUnreadable, Path: r.path(), Detail: "schema: " + err.Error(), Cause: err}
		return nil, input
	}
	return resolved, nil
}

// maxResolved is how many places a schema may have after its references are replaced. The
// largest built-in kinds have some thousand.
const maxResolved = 100_000

type resolver struct {
	trail
	find func(ref string) (*OpenAPI, error)
	// open are the references above.
	open map[string]bool
	// places counts what was made.
	places int
}

func (r *resolver) resolve(doc *OpenAPI) (*OpenAPI, error) {
	if r.places++; r.places > maxResolved {
		return nil, fmt.Errorf("it has more than %d places once its references are replaced", maxResolved)
	}
	for ref := doc.reference(); ref != ""; ref = doc.reference() {
		if r.open[ref] {
			unknown := true
			return &OpenAPI{Type: "object", PreserveUnknownFields: &unknown}, nil
		}
		r.open[ref] = true
		defer delete(r.open, ref)
		found, err := r.find(ref)
		if err != nil {
			return nil, err
		}
		doc = found
	}
	resolved := doc.described()
	return resolved, r.below(doc, resolved)
}

// below resolves what is below a schema.
func (r *resolver) below(doc, to *OpenAPI) error {
	if elements := doc.Elements(); elements != nil {
		of, err := r.resolve(elements)
		if err != nil {
			return r.in(".items", err)
		}
		to.Items = &SchemaOrArray{Schema: of}
	}
	if values := doc.Values(); values != nil {
		of, err := r.resolve(values)
		if err != nil {
			return r.in(".additionalProperties", err)
		}
		to.AdditionalProperties = &SchemaOrBool{Allows: true, Schema: of}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		of, err := r.resolve(doc.Properties[name])
		if err != nil {
			return r.in(".properties["+name+"]", err)
		}
		to.Properties[name] = of
	}
	return nil
}

// reference is what the schema refers to, empty if it does not.
func (o *OpenAPI) reference() string {
	if ref := deref(o.Ref); ref != "" {
		return ref
	}
	for i := range o.AllOf {
		if ref := o.AllOf[i].reference(); ref != "" {
			return ref
		}
	}
	return ""
}

// described is a copy of the schema itself, without what no structural schema has and
// without what is below it.
func (o *OpenAPI) described() *OpenAPI {
	to := &OpenAPI{
		Description: o.Description, Type: o.Type, Nullable: o.Nullable, Format: o.Format, Title: o.Title, Default: o.Default,
		Maximum: o.Maximum, ExclusiveMaximum: o.ExclusiveMaximum, Minimum: o.Minimum, ExclusiveMinimum: o.ExclusiveMinimum,
		MaxLength: o.MaxLength, MinLength: o.MinLength, Pattern: o.Pattern, MaxItems: o.MaxItems, MinItems: o.MinItems,
		UniqueItems: o.UniqueItems, MultipleOf: o.MultipleOf, Enum: o.Enum, MaxProperties: o.MaxProperties, MinProperties: o.MinProperties,
		Required: o.Required, EmbeddedResource: o.EmbeddedResource, IntOrString: o.IntOrString || o.Format == "int-or-string",
		ListMapKeys: o.ListMapKeys, ListType: o.ListType, MapType: o.MapType, Validations: o.Validations,
	}
	for _, alternatives := range [][]OpenAPI{o.OneOf, o.AnyOf} {
		if onlyTypes(alternatives) {
			to.OneOf = alternatives
		}
	}
	unknown := o.Type == "object" && len(o.Properties) == 0 && o.AdditionalProperties == nil
	if unknown = unknown || o.PreserveUnknownFields != nil && *o.PreserveUnknownFields; unknown {
		to.PreserveUnknownFields = &unknown
	}
	if o.Properties != nil {
		to.Properties = make(map[string]*OpenAPI, len(o.Properties))
	}
	return to
}

// onlyTypes tells whether alternatives say nothing but a type, as those of quantities do.
func onlyTypes(alternatives []OpenAPI) bool {
	return len(alternatives) > 0 && !slices.ContainsFunc(alternatives, func(a OpenAPI) bool {
		return a.Type == "" || a.Ref != nil || a.Properties != nil || a.Items != nil || a.AdditionalProperties != nil
	})
}

// Components are the schemas of an OpenAPI v3 document. They refer to each other. They are
// read-only and safe for concurrent use.
type Components struct {
	trees map[string]any
	kinds map[Kind]string
}

// Kind is a kind of a group and version.
type Kind struct {
	// APIVersion is the group and the version, such as apps/v1, or v1 for the core group.
	APIVersion string
	// Name is the kind, such as Deployment.
	Name string
}

// refPrefix begins a reference to a component.
const refPrefix = "#/components/schemas/"

// ParseComponents reads the schemas of an OpenAPI v3 document, as a cluster publishes it for
// each group and version. The error is a *diag.InputError.
func ParseComponents(data []byte) (*Components, error) {
	unreadable := func(err error) error {
		return &diag.InputError{Code: diag.DocumentUnreadable, Detail: "OpenAPI document: " + err.Error(), Cause: err}
	}
	tree, err := document.One(data, nil)
	if err != nil {
		return nil, unreadable(err)
	}
	root, _ := tree.(map[string]any)
	components, _ := root["components"].(map[string]any)
	schemas, ok := components["schemas"].(map[string]any)
	if !ok {
		return nil, unreadable(errors.New("it has no components.schemas"))
	}
	c := &Components{trees: schemas, kinds: map[Kind]string{}}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		for _, kind := range kindsOf(schemas[name]) {
			if _, known := c.kinds[kind]; !known {
				c.kinds[kind] = name
			}
		}
	}
	return c, nil
}

// kindsOf are the kinds that a component says it is the schema of.
func kindsOf(component any) (kinds []Kind) {
	schema, _ := component.(map[string]any)
	list, _ := schema["x-kubernetes-group-version-kind"].([]any)
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		group, _ := fields["group"].(string)
		version, _ := fields["version"].(string)
		kind, _ := fields["kind"].(string)
		if group != "" {
			version = group + "/" + version
		}
		kinds = append(kinds, Kind{version, kind})
	}
	return kinds
}

// Kinds are the kinds that components say they are the schemas of, in order.
func (c *Components) Kinds() []Kind {
	return slices.SortedFunc(maps.Keys(c.kinds), func(a, b Kind) int {
		return strings.Compare(a.APIVersion+" "+a.Name, b.APIVersion+" "+b.Name)
	})
}

// Names are the names of the components, in order.
func (c *Components) Names() []string { return slices.Sorted(maps.Keys(c.trees)) }

// Kind returns the schema of a kind, without references.
func (c *Components) Kind(kind Kind) (*OpenAPI, error) {
	name, ok := c.kinds[kind]
	if !ok {
		err := fmt.Errorf("no schema of kind %s of %s in the OpenAPI document", kind.Name, kind.APIVersion)
		return nil, &diag.InputError{Code: diag.SchemaMissing, Detail: err.Error(), Cause: err}
	}
	return c.Schema(name)
}

// Schema returns the schema of a name or a reference, without references.
func (c *Components) Schema(name string) (*OpenAPI, error) {
	ref := refPrefix + strings.TrimPrefix(name, refPrefix)
	read := map[string]*OpenAPI{}
	return Resolve(&OpenAPI{Ref: &ref}, func(ref string) (*OpenAPI, error) {
		if doc := read[ref]; doc != nil {
			return doc, nil
		}
		tree, ok := c.trees[strings.TrimPrefix(ref, refPrefix)]
		if !ok {
			return nil, fmt.Errorf("%s refers to no schema", ref)
		}
		doc := &OpenAPI{}
		read[ref] = doc
		return doc, Decode(tree, doc)
	})
}

// OpenAPIOf reads a schema from a Go value whose JSON is one: a *spec.Schema of
// k8s.io/kube-openapi, JSONSchemaProps of k8s.io/apiextensions-apiserver, a map. It tells
// whether the schema says that it is one of a kind. The error is a *diag.InputError.
func OpenAPIOf(value any) (doc *OpenAPI, ofKind bool, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		err = fmt.Errorf("schema: a %T has no JSON: %w", value, err)
		return nil, false, &diag.InputError{Code: diag.DocumentUnreadable, Detail: err.Error(), Cause: err}
	}
	if doc, err = ParseOpenAPI(data); err != nil {
		return nil, false, err
	}
	tree, err := document.One(data, nil)
	return doc, len(kindsOf(tree)) > 0, err
}
