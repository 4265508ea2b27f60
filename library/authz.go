package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// checkCost is the price of one authorization check: with the limit of an API
// server, an expression can make two.
const checkCost = 350_000

// Authz returns the library of authorization checks, made of the `authorizer`
// variable; see [NewAuthorizerValue]. The examples are those of a user who may do
// everything.
func Authz() Library {
	celTypes := []Type{
		{CEL: AuthorizerType, Doc: "Checks what a user may do."},
		{CEL: PathCheckType, Doc: "A check of a path that serves no resource."},
		{CEL: GroupCheckType, Doc: "A check of resources of an API group, still without a resource."},
		{CEL: ResourceCheckType, Doc: "A check of a resource."},
		{CEL: DecisionType, Doc: "The outcome of a check."},
	}
	for i := range celTypes {
		celTypes[i].EqualCost, celTypes[i].EqualSince = cost.Fixed(1), equalSince()
	}
	return Library{
		Name:  "kubernetes.authz",
		Doc:   "Asks the authorizer what a user may do. Values of its types equal nothing: == of two of them is an error.",
		Since: release.Minor(27),
		Types: celTypes,
		Functions: []Function{
			{
				Name: "path",
				Doc:  "Begins a check of a path that serves no resource, such as /healthz. The leading slash may be left out, the path may not be empty.",
				Overloads: []Overload{{
					ID: "authorizer_path", Member: true, Args: args(AuthorizerType, cel.StringType), Result: PathCheckType,
					Impl: Binary(authorizerValue.path),
					Cost: cost.Fixed(1),
					Examples: []Example{
						{Expr: `authorizer.path('/healthz').check('get').allowed()`, Want: `true`},
						{Expr: `authorizer.path(' ').check('get').allowed()`, Err: "path must not be empty"},
					},
				}},
			},
			{
				Name: "group",
				Doc:  "Begins a check of the resources of an API group; the core group is the empty string.",
				Overloads: []Overload{{
					ID: "authorizer_group", Member: true, Args: args(AuthorizerType, cel.StringType), Result: GroupCheckType,
					Impl: Binary(authorizerValue.group),
					Cost: cost.Fixed(1),
					Examples: []Example{
						{Expr: `authorizer.group('apps').resource('deployments').check('list').allowed()`, Want: `true`},
					},
				}},
			},
			{
				Name: "serviceAccount",
				Doc:  "Returns an authorizer that checks what a service account may do, by its namespace and name.",
				Overloads: []Overload{{
					ID: "authorizer_serviceaccount", Member: true, Args: args(AuthorizerType, cel.StringType, cel.StringType), Result: AuthorizerType,
					Impl: Ternary(authorizerValue.serviceAccount),
					Cost: cost.Fixed(1),
					Examples: []Example{
						{Expr: `authorizer.serviceAccount('default', 'builder').group('').resource('pods').check('list').allowed()`, Want: `true`},
						{Expr: `authorizer.serviceAccount('default', 'not@valid').path('/').check('get').allowed()`, Err: "Invalid service account name"},
						{Expr: `authorizer.serviceAccount('not@valid', 'builder').path('/').check('get').allowed()`, Err: "Invalid service account namespace"},
					},
				}},
			},
			{
				Name: "resource",
				Doc:  "Names the resource of a check, by its lower case plural.",
				Overloads: []Overload{{
					ID: "groupcheck_resource", Member: true, Args: args(GroupCheckType, cel.StringType), Result: ResourceCheckType,
					Impl: Binary(groupCheckValue.resource),
					Cost: cost.Fixed(1),
					Examples: []Example{
						{Expr: `authorizer.group('').resource('pods').check('list').allowed()`, Want: `true`},
						{Expr: `authorizer.group('').resource('').check('list').allowed()`, Err: "resource must not be empty"},
					},
				}},
			},
			narrowing("subresource", "Names the subresource of a check; the empty string means none.", "status",
				func(c *RequestResource, s string) { c.Subresource = s }),
			narrowing("namespace", "Names the namespace of a check; the empty string, the default, means the whole cluster.", "default",
				func(c *RequestResource, s string) { c.Namespace = s }),
			narrowing("name", "Names the object of a check; the empty string, the default, means any.", "web-1",
				func(c *RequestResource, s string) { c.Name = s }),
			{
				Name: "check",
				Doc:  "Asks the authorizer: of a path with the HTTP verb, of a resource with the API verb. It is expensive where authorizers are webhooks.",
				Overloads: []Overload{
					{
						ID: "pathcheck_check", Member: true, Args: args(PathCheckType, cel.StringType), Result: DecisionType,
						Impl:     Binary(pathCheckValue.check),
						Cost:     cost.Fixed(checkCost),
						Examples: []Example{{Expr: `authorizer.path('/healthz').check('get').allowed()`, Want: `true`}},
					},
					{
						ID: "resourcecheck_check", Member: true, Args: args(ResourceCheckType, cel.StringType), Result: DecisionType,
						Impl:     Binary(resourceCheckValue.check),
						Cost:     cost.Fixed(checkCost),
						Examples: []Example{{Expr: `authorizer.group('').resource('pods').check('create').allowed()`, Want: `true`}},
					},
				},
			},
			outcome("allowed", "Tells whether the authorizer allows the request; having no opinion is not allowing.", cel.BoolType, `true`,
				func(d decisionValue) (types.Bool, error) { return d.decision == Allow, nil }),
			outcome("reason", "Returns the reason that the authorizer gave, which may be empty.", cel.StringType, `''`,
				func(d decisionValue) (types.String, error) { return types.String(d.reason), nil }),
			outcome("errored", "Tells whether the authorizer failed. Such a check may still be allowed.", cel.BoolType, `false`,
				func(d decisionValue) (types.Bool, error) { return d.err != nil, nil }),
			outcome("error", "Returns the error of the authorizer, the empty string if it did not fail.", cel.StringType, `''`,
				func(d decisionValue) (types.String, error) {
					if d.err == nil {
						return "", nil
					}
					return types.String(d.err.Error()), nil
				}),
		},
	}
}

// narrowing declares a function that sets one attribute of a resource check.
func narrowing(name, doc, example string, set func(*RequestResource, string)) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: "resourcecheck_" + name, Member: true, Args: args(ResourceCheckType, cel.StringType), Result: ResourceCheckType,
			Impl: Binary(func(c resourceCheckValue, s types.String) (resourceCheckValue, error) {
				set(&c.request, string(s))
				return c, nil
			}),
			Cost: cost.Fixed(1),
			Examples: []Example{{
				Expr: `authorizer.group('').resource('pods').` + name + `('` + example + `').check('get').allowed()`,
				Want: `true`,
			}},
		}},
	}
}

// outcome declares a function that reads a decision.
func outcome[R ref.Val](name, doc string, result *cel.Type, want string, read func(decisionValue) (R, error)) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: "decision_" + name, Member: true, Args: args(DecisionType), Result: result,
			Impl:     Unary(read),
			Cost:     cost.Fixed(1),
			Examples: []Example{{Expr: `authorizer.path('/healthz').check('get').` + name + `()`, Want: want}},
		}},
	}
}
