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
	// Object and OldObject are unstructured; nil is null.
	Object, OldObject ref.Val
	// Request returns the request as [Shown] does.
	Request func() ref.Val
	// Namespace is unstructured, nil if there is none.
	Namespace map[string]any
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
	in        *Inputs
	kind      KindTraits
	variables *variables
}

// resolvers return the values of variables, nil for null.
var resolvers = map[string]func(*activation) ref.Val{
	ObjectName:    func(a *activation) ref.Val { return a.in.Object },
	OldObjectName: func(a *activation) ref.Val { return a.in.OldObject },
	ParamsName:    func(a *activation) ref.Val { return a.in.Params },
	RequestName:   func(a *activation) ref.Val { return a.in.Request() },
	NamespaceName: func(a *activation) ref.Val {
		if !a.kind.Namespace {
			return nil
		}
		return shownNamespace(a.in.Namespace, a.kind.Whole)
	},
	VariablesName: func(a *activation) ref.Val {
		if a.variables == nil {
			return nil
		}
		return a.variables
	},
	AuthorizerName:      func(a *activation) ref.Val { return a.in.Authorizer },
	RequestResourceName: func(a *activation) ref.Val { return a.in.RequestResource },
}

// ResolveName returns the value of a variable.
func (a *activation) ResolveName(name string) (any, bool) {
	resolve := resolvers[name]
	bound := a.kind.Bound && a.in.Authorizer != nil
	if resolve == nil || !bound && (name == AuthorizerName || name == RequestResourceName) {
		return nil, false
	}
	if value := resolve(a); value != nil {
		return value, true
	}
	return types.NullValue, true
}
