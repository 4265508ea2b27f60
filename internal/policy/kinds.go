package policy

import "github.com/google/cel-go/common/types"

// Kind is a kind of expression.
type Kind string

// The kinds of expressions.
const (
	Variable              Kind = "variable"
	MatchCondition        Kind = "matchCondition"
	Validation            Kind = "validation"
	MessageExpression     Kind = "messageExpression"
	AuditAnnotation       Kind = "auditAnnotation"
	WebhookMatchCondition Kind = "webhookMatchCondition"
	JSONPatch             Kind = "jsonPatch"
	ApplyConfiguration    Kind = "applyConfiguration"
)

// Traits say what an environment has beside object, oldObject, request and
// namespaceObject.
type Traits struct {
	// Params tells whether it has params, if the policy has a paramKind.
	Params bool
	// Authorizer tells whether it has authorizer and authorizer.requestResource.
	Authorizer bool
	// Variables tells whether it has variables.
	Variables bool
	// Patches tells whether it has the types Object and JSONPatch, and
	// jsonpatch.escapeKey.
	Patches bool
}

// KindTraits is what a server says of the expressions of a kind.
type KindTraits struct {
	Traits
	// Bound tells whether authorizer has a value: a server declares it for audit
	// annotations, and evaluates them without it.
	Bound bool
	// Namespace tells whether namespaceObject has a value; a server evaluates match
	// conditions without it.
	Namespace bool
	// Whole tells whether namespaceObject has all its metadata.
	Whole bool
	// Results are the types that a result may have, none for any type.
	Results []*types.Type
}

// Kinds has the environment of each kind of expression.
var Kinds = map[Kind]KindTraits{
	Variable: {
		Traits: Traits{Params: true, Authorizer: true, Variables: true}, Bound: true, Namespace: true,
	},
	MatchCondition: {
		Traits: Traits{Params: true, Authorizer: true, Variables: true}, Bound: true, Results: []*types.Type{types.BoolType},
	},
	Validation: {
		Traits: Traits{Params: true, Authorizer: true, Variables: true}, Bound: true, Namespace: true, Results: []*types.Type{types.BoolType},
	},
	MessageExpression: {
		Traits: Traits{Params: true, Variables: true}, Namespace: true, Results: []*types.Type{types.StringType},
	},
	AuditAnnotation: {
		Traits: Traits{Params: true, Authorizer: true, Variables: true}, Namespace: true, Whole: true,
		Results: []*types.Type{types.StringType, types.NullType},
	},
	JSONPatch: {
		Traits: Traits{Params: true, Authorizer: true, Variables: true, Patches: true}, Bound: true, Namespace: true, Whole: true,
		Results: []*types.Type{types.NewListType(operationType)},
	},
	ApplyConfiguration: {
		Traits: Traits{Params: true, Authorizer: true, Variables: true, Patches: true}, Bound: true, Namespace: true, Whole: true,
		Results: []*types.Type{types.NewObjectType(objectTypeName)},
	},
	WebhookMatchCondition: {
		Traits: Traits{Authorizer: true}, Bound: true, Results: []*types.Type{types.BoolType},
	},
}
