package library

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

// CEL types of authorization checks.
var (
	// AuthorizerType is the type of what checks the permissions of a user.
	AuthorizerType = cel.ObjectType("kubernetes.authorization.Authorizer")
	// PathCheckType is the type of checks of a path.
	PathCheckType = cel.ObjectType("kubernetes.authorization.PathCheck")
	// GroupCheckType is the type of checks that have no resource yet.
	GroupCheckType = cel.ObjectType("kubernetes.authorization.GroupCheck")
	// ResourceCheckType is the type of checks of a resource.
	ResourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
	// DecisionType is the type of decisions.
	DecisionType = cel.ObjectType("kubernetes.authorization.Decision")
)

// Authorizer decides what a user may do. It is called during evaluation, once
// for each check.
type Authorizer interface {
	// Authorize decides about one request. An error does not undo the decision:
	// expressions see both. The reason is for people.
	Authorize(ctx context.Context, a Attributes) (decision Decision, reason string, err error)
}

// AuthorizerFunc is a function that is an [Authorizer].
type AuthorizerFunc func(ctx context.Context, a Attributes) (Decision, string, error)

// Authorize calls the function.
func (f AuthorizerFunc) Authorize(ctx context.Context, a Attributes) (Decision, string, error) {
	return f(ctx, a)
}

// Decision is what an authorizer says to a request. The zero value denies it.
type Decision int

// The decisions, with the numbers of an API server.
const (
	// Deny forbids the request.
	Deny Decision = iota
	// Allow allows the request.
	Allow
	// NoOpinion leaves the request to other authorizers. Expressions see it as
	// not allowed.
	NoOpinion
)

// UserInfo is who makes a request. It is not changed once it is part of a value.
type UserInfo struct {
	// Name identifies the user among all that are active.
	Name string
	// UID tells apart users who had the same name at different times.
	UID string
	// Groups are the groups of the user.
	Groups []string
	// Extra is what else the authenticator knows of the user.
	Extra map[string][]string
}

// RequestResource is the resource of a request.
type RequestResource struct {
	// Group is the API group, empty for the core group.
	Group string
	// Resource is the resource, as its lower case plural.
	Resource string
	// Subresource is the subresource, empty if there is none.
	Subresource string
	// Namespace is the namespace, empty for the whole cluster.
	Namespace string
	// Name is the name of the object, empty for any.
	Name string
}

// Attributes are what an authorizer decides about.
type Attributes struct {
	// User makes the request.
	User UserInfo
	// Verb is the API verb of a request of a resource, or the HTTP verb of a
	// path, as the expression spells it.
	Verb string
	// IsResource is true for a request of a resource; else it is of a path.
	IsResource bool
	// Path is the path of a request that is of no resource.
	Path string
	// RequestResource is the resource of a request that is of one.
	RequestResource
	// APIVersion is the version of the resource, always "*": expressions do not
	// name any.
	APIVersion string
	// FieldSelector are the requirements of the field selector of a request,
	// nil if it has none or if it is not valid.
	FieldSelector fields.Requirements
	// FieldSelectorError says why the field selector is not valid.
	FieldSelectorError error
	// LabelSelector are the requirements of the label selector of a request,
	// nil if it has none or if it is not valid.
	LabelSelector labels.Requirements
	// LabelSelectorError says why the label selector is not valid.
	LabelSelectorError error
}

// Errors of the constructors of authorizer values.
var (
	errNoAuthorizer = errors.New("authorizer must not be nil")
	errNoUser       = errors.New("user must not be nil")
)

// NewAuthorizerValue returns the value of an `authorizer` variable: it asks a
// what user may do. The context goes to each call of a; nil means
// context.Background(). The authorizer and the user must not be nil.
func NewAuthorizerValue(ctx context.Context, a Authorizer, user *UserInfo) (ref.Val, error) {
	v, err := newAuthorizer(ctx, a, user)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// NewResourceAuthorizerValue returns the value of an `authorizer.requestResource`
// variable, a check of the resource of a request. See [NewAuthorizerValue].
func NewResourceAuthorizerValue(ctx context.Context, a Authorizer, user *UserInfo, request RequestResource) (ref.Val, error) {
	v, err := newAuthorizer(ctx, a, user)
	if err != nil {
		return nil, err
	}
	return resourceCheckValue{receiver{ResourceCheckType}, v, request, "", ""}, nil
}

func newAuthorizer(ctx context.Context, a Authorizer, user *UserInfo) (authorizerValue, error) {
	if a == nil {
		return authorizerValue{}, errNoAuthorizer
	}
	if user == nil {
		return authorizerValue{}, errNoUser
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return authorizerValue{receiver{AuthorizerType}, &principal{ctx, a, *user}}, nil
}

// authorizerValue is comparable, as the values that are made of it must be to
// be keys of a map.
type authorizerValue struct {
	receiver
	*principal
}

// principal is who asks whom.
type principal struct {
	ctx        context.Context
	authorizer Authorizer
	user       UserInfo
}

func (v authorizerValue) path(path types.String) (pathCheckValue, error) {
	if strings.TrimSpace(string(path)) == "" {
		return pathCheckValue{}, errors.New("path must not be empty")
	}
	return pathCheckValue{receiver{PathCheckType}, v, string(path)}, nil
}

func (v authorizerValue) group(group types.String) (groupCheckValue, error) {
	return groupCheckValue{receiver{GroupCheckType}, v, string(group)}, nil
}

func (v authorizerValue) serviceAccount(namespace, name types.String) (authorizerValue, error) {
	if len(validation.IsDNS1123Subdomain(string(name))) > 0 {
		return authorizerValue{}, errors.New("Invalid service account name")
	}
	if len(validation.IsDNS1123Label(string(namespace))) > 0 {
		return authorizerValue{}, errors.New("Invalid service account namespace")
	}
	v.principal = &principal{v.ctx, v.authorizer, UserInfo{
		Name:   fmt.Sprintf("system:serviceaccount:%s:%s", namespace, name),
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + string(namespace)},
	}}
	return v, nil
}

func (v authorizerValue) decide(a Attributes) decisionValue {
	a.User = v.user
	decision, reason, err := v.authorizer.Authorize(v.ctx, a)
	return decisionValue{receiver{DecisionType}, decision, reason, err}
}

type pathCheckValue struct {
	receiver
	authorizer authorizerValue
	path       string
}

func (c pathCheckValue) check(verb types.String) (decisionValue, error) {
	return c.authorizer.decide(Attributes{Verb: string(verb), Path: c.path}), nil
}

type groupCheckValue struct {
	receiver
	authorizer authorizerValue
	name       string
}

func (c groupCheckValue) resource(resource types.String) (resourceCheckValue, error) {
	if strings.TrimSpace(string(resource)) == "" {
		return resourceCheckValue{}, errors.New("resource must not be empty")
	}
	request := RequestResource{Group: c.name, Resource: string(resource)}
	return resourceCheckValue{receiver{ResourceCheckType}, c.authorizer, request, "", ""}, nil
}

type resourceCheckValue struct {
	receiver
	authorizer    authorizerValue
	request       RequestResource
	fieldSelector string
	labelSelector string
}

// check parses the selectors at each check, as late as an API server does. A
// selector that is not valid is no error of the expression: the authorizer gets
// the error, and decides about the request as a wider one.
func (c resourceCheckValue) check(verb types.String) (decisionValue, error) {
	a := Attributes{Verb: string(verb), IsResource: true, RequestResource: c.request, APIVersion: "*"}
	if c.fieldSelector != "" {
		selector, err := fields.ParseSelector(c.fieldSelector)
		if err != nil {
			a.FieldSelectorError = err
		} else {
			a.FieldSelector = selector.Requirements()
		}
	}
	if c.labelSelector != "" {
		requirements, err := labels.ParseToRequirements(c.labelSelector)
		if err != nil {
			a.LabelSelectorError = err
		} else {
			a.LabelSelector = requirements
		}
	}
	return c.authorizer.decide(a), nil
}

type decisionValue struct {
	receiver
	decision Decision
	reason   string
	err      error
}

// receiver is the CEL side of a value of which expressions can only call
// functions.
type receiver struct {
	typ *cel.Type
}

// ConvertToNative implements ref.Val. There is no Go type to convert to.
func (r receiver) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", r.typ, t)
}

// ConvertToType implements ref.Val.
func (r receiver) ConvertToType(t ref.Type) ref.Val {
	return convert(r, r.typ, t)
}

// Equal implements ref.Val. On an API server such values equal nothing, not even
// themselves: == is an error and != is true.
func (r receiver) Equal(other ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(other) }

// Type implements ref.Val.
func (r receiver) Type() ref.Type { return r.typ }

// Value implements ref.Val. There is no Go value to show.
func (r receiver) Value() any { return types.NoSuchOverloadErr() }
