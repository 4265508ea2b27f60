package library

import (
	"context"
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// AuthorizerType is the CEL type of what checks the permissions of a user. Its
// values are made by [NewAuthorizerValue].
func AuthorizerType() *cel.Type { return authorizerClass.typ }

// ResourceCheckType is the CEL type of checks of a resource. Its values are made
// by [NewResourceAuthorizerValue].
func ResourceCheckType() *cel.Type { return resourceCheckClass.typ }

// Authorizer decides what a user may do. It is called during evaluation, once for
// each check. Expressions see the decision even if there is an error. The reason is
// for people.
type Authorizer func(ctx context.Context, a Attributes) (decision Decision, reason string, err error)

// Decision is the answer of an authorizer. The zero value denies it.
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
	// Path is the path of a request that is of no resource. It is empty for a
	// request of a resource, and only then.
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

// NewAuthorizerValue returns the value of a variable `authorizer`, which asks a
// what the user may do. Each call of a gets the context; nil means
// context.Background(). The error says that the authorizer or the user is nil.
func NewAuthorizerValue(ctx context.Context, a Authorizer, user *UserInfo) (ref.Val, error) {
	v, err := newAuthorizer(ctx, a, user)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// NewResourceAuthorizerValue returns the value of a variable
// `authorizer.requestResource`, a check of the resource of a request. See
// [NewAuthorizerValue].
func NewResourceAuthorizerValue(ctx context.Context, a Authorizer, user *UserInfo, request RequestResource) (ref.Val, error) {
	v, err := newAuthorizer(ctx, a, user)
	if err != nil {
		return nil, err
	}
	return resourceCheckValue{resourceCheckData{authorizer: v.v, request: request}}, nil
}

func newAuthorizer(ctx context.Context, a Authorizer, user *UserInfo) (authorizerValue, error) {
	if a == nil {
		return authorizerValue{}, errors.New("authorizer must not be nil")
	}
	if user == nil {
		return authorizerValue{}, errors.New("user must not be nil")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return authorizerValue{authorizerData{&principal{ctx, a, *user}}}, nil
}
