package policy

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// Names of variables.
const (
	ObjectName          = "object"
	OldObjectName       = "oldObject"
	ParamsName          = "params"
	RequestName         = "request"
	NamespaceName       = "namespaceObject"
	AuthorizerName      = "authorizer"
	RequestResourceName = "authorizer.requestResource"
	VariablesName       = "variables"
)

// variablesType is the name of the type of `variables`.
const variablesType = "kubernetes.variables"

// decl is a type that the server declares for policies.
type decl struct {
	cel *types.Type
	// fields are those of an object, nil for any other type.
	fields map[string]*decl
	// elem is the type of the elements of a list or of the values of a map.
	elem *decl
}

func scalar(t *types.Type) *decl { return &decl{cel: t} }

func list(elem *decl) *decl { return &decl{cel: types.NewListType(elem.cel), elem: elem} }

func mapOf(elem *decl) *decl {
	return &decl{cel: types.NewMapType(types.StringType, elem.cel), elem: elem}
}

func object(name string, fields map[string]*decl) *decl {
	return &decl{cel: types.NewObjectType(name), fields: fields}
}

// requestType is the type of `request`.
func requestType() *decl {
	text := scalar(types.StringType)
	kind := object("kubernetes.GroupVersionKind", map[string]*decl{"group": text, "version": text, "kind": text})
	resource := object("kubernetes.GroupVersionResource", map[string]*decl{"group": text, "version": text, "resource": text})
	return object("kubernetes.AdmissionRequest", map[string]*decl{
		"kind":               kind,
		"resource":           resource,
		"subResource":        text,
		"requestKind":        kind,
		"requestResource":    resource,
		"requestSubResource": text,
		"name":               text,
		"namespace":          text,
		"operation":          text,
		"userInfo": object("kubernetes.UserInfo", map[string]*decl{
			"username": text, "uid": text, "groups": list(text), "extra": mapOf(list(text)),
		}),
		"dryRun":  scalar(types.BoolType),
		"options": scalar(types.DynType),
	})
}

// namespaceType is the type of `namespaceObject`. It is the server's: it declares UID,
// which no value has, and times, which are strings in every value.
func namespaceType() *decl {
	text, time, number := scalar(types.StringType), scalar(types.TimestampType), scalar(types.IntType)
	condition := object("kubernetes.NamespaceCondition", map[string]*decl{
		"status": text, "type": text, "lastTransitionTime": time, "message": text, "reason": text,
	})
	return object("kubernetes.Namespace", map[string]*decl{
		"metadata": object("kubernetes.NamespaceMetadata", map[string]*decl{
			"name": text, "generateName": text, "namespace": text, "labels": mapOf(text), "annotations": mapOf(text), "UID": text,
			"creationTimestamp": time, "deletionGracePeriodSeconds": number, "deletionTimestamp": time, "generation": number,
			"resourceVersion": text, "finalizers": list(text),
		}),
		"spec":   object("kubernetes.NamespaceSpec", map[string]*decl{"finalizers": list(text)}),
		"status": object("kubernetes.NamespaceStatus", map[string]*decl{"conditions": list(condition), "phase": text}),
	})
}

// provider declares types beside those of another provider.
type provider struct {
	types.Provider
	named map[string]*decl
}

// newProvider declares the types that are in the given ones. An object has its own
// name. Lists and maps are named after the place where they stand, as in a server,
// which makes kubernetes.AdmissionRequest.userInfo.groups an identifier.
func newProvider(base types.Provider, roots ...*decl) *provider {
	p := &provider{Provider: base, named: map[string]*decl{}}
	for _, root := range roots {
		p.add(root.cel.TypeName(), root)
	}
	return p
}

func (p *provider) add(place string, d *decl) {
	switch {
	case d.fields != nil:
		p.named[d.cel.TypeName()] = d
		for name, field := range d.fields {
			p.add(place+"."+name, field)
		}
	case d.elem != nil && d.cel.Kind() == types.MapKind:
		p.add(place+".@elem", d.elem)
		p.named[place] = d
	case d.elem != nil:
		p.add(place+".@idx", d.elem)
		p.named[place] = d
	}
}

// FindStructType returns the type of a name.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if d := p.named[name]; d != nil {
		return types.NewTypeTypeWithParam(d.cel), true
	}
	if t := typesystem.WellKnown(name); t != nil {
		return types.NewTypeTypeWithParam(t), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames finds nothing: expressions cannot make these objects.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if p.named[name] == nil {
		return p.Provider.FindStructFieldNames(name)
	}
	return nil, false
}

// FindStructFieldType returns the type of a field of an object.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	d := p.named[name]
	if d == nil {
		return p.Provider.FindStructFieldType(name, field)
	}
	if f := d.fields[field]; f != nil {
		return &types.FieldType{Type: f.cel}, true
	}
	if d.elem != nil && d.cel.Kind() == types.MapKind {
		return &types.FieldType{Type: d.elem.cel}, true
	}
	return nil, false
}

// PropertyNames returns the sorted names of the fields of an object type.
func (p *provider) PropertyNames(name string) []string {
	if d := p.named[name]; d != nil {
		return slices.Sorted(maps.Keys(d.fields))
	}
	if base, ok := p.Provider.(interface{ PropertyNames(string) []string }); ok {
		return base.PropertyNames(name)
	}
	return nil
}

// variableType is the type that other expressions see a variable have: only scalars,
// lists and maps keep theirs (convertCelTypeToDeclType).
func variableType(t *types.Type) *types.Type {
	if t == nil {
		return types.DynType
	}
	params := t.Parameters()
	switch t.Kind() {
	case types.AnyKind, types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind, types.NullTypeKind,
		types.StringKind, types.TimestampKind, types.UintKind:
		if slices.Contains(scalars, t) {
			return t
		}
	case types.ListKind:
		if len(params) == 1 {
			return types.NewListType(variableType(params[0]))
		}
	case types.MapKind:
		if len(params) == 2 {
			return types.NewMapType(variableType(params[0]), variableType(params[1]))
		}
	}
	return types.DynType
}

// scalars are the types that a server compares by identity: a nullable wrapper of one
// is another type.
var scalars = []*types.Type{
	types.AnyType, types.BoolType, types.BytesType, types.DoubleType, types.DurationType, types.IntType, types.NullType,
	types.StringType, types.TimestampType, types.UintType,
}
