package policy

import (
	"context"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/library"
)

// Inputs are the values of the variables of a request. They belong to one request, and
// must not change while they are used.
type Inputs struct {
	// Object, OldObject, Request and Namespace are unstructured; nil is null.
	Object, OldObject, Request, Namespace ref.Val
	// WholeNamespace is what audit annotations see instead of Namespace.
	WholeNamespace ref.Val
	// Params is nil if there are none.
	Params ref.Val
	// Authorizer and RequestResource are nil if there is no authorizer.
	Authorizer, RequestResource ref.Val
}

// Value makes a CEL value of unstructured data, null of nil.
func Value(data map[string]any) ref.Val {
	if data == nil {
		return types.NullValue
	}
	return types.DefaultTypeAdapter.NativeToValue(data)
}

// Authorize sets the authorizer of a user.
func (in *Inputs) Authorize(ctx context.Context, a library.Authorizer, user library.UserInfo, resource library.RequestResource) (err error) {
	if in.Authorizer, err = library.NewAuthorizerValue(ctx, a, &user); err != nil {
		return err
	}
	in.RequestResource, err = library.NewResourceAuthorizerValue(ctx, a, &user, resource)
	return err
}

// activation resolves the variables of the expressions of a group.
type activation struct {
	values    map[string]ref.Val
	variables *variables
}

// bind chooses the values that expressions of a kind see.
func (in *Inputs) bind(kind KindTraits) *activation {
	a := &activation{values: map[string]ref.Val{
		ObjectName: in.Object, OldObjectName: in.OldObject, RequestName: in.Request, ParamsName: in.Params, NamespaceName: types.NullValue,
	}}
	switch {
	case kind.Whole:
		a.values[NamespaceName] = in.WholeNamespace
	case kind.Namespace:
		a.values[NamespaceName] = in.Namespace
	}
	for name, value := range a.values {
		if value == nil {
			a.values[name] = types.NullValue
		}
	}
	if kind.Bound && in.Authorizer != nil {
		a.values[AuthorizerName], a.values[RequestResourceName] = in.Authorizer, in.RequestResource
	}
	return a
}

// ResolveName returns the value of a variable.
func (a *activation) ResolveName(name string) (any, bool) {
	if name == VariablesName && a.variables != nil {
		return a.variables, true
	}
	value, ok := a.values[name]
	return value, ok
}
