package library

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// checkCost is the price of one authorization check. The limit of an API server
// allows two checks in an expression.
const checkCost = 350_000

// authzLibrary is the library of authorization checks. They begin with the variable
// `authorizer`, see [NewAuthorizerValue]. In the examples, the user may do
// everything.
func authzLibrary() Library {
	authorizer, pathCheck, groupCheck := authorizerClass.typ, pathCheckClass.typ, groupCheckClass.typ
	resourceCheck, decision := resourceCheckClass.typ, decisionClass.typ
	celTypes := []Type{
		{CEL: authorizer, Doc: "Checks what a user may do."},
		{CEL: pathCheck, Doc: "A check of a path that serves no resource."},
		{CEL: groupCheck, Doc: "A check of resources of an API group, still without a resource."},
		{CEL: resourceCheck, Doc: "A check of a resource."},
		{CEL: decision, Doc: "The outcome of a check."},
	}
	for i := range celTypes {
		celTypes[i].EqualCost, celTypes[i].equalSince = cost.Fixed(1), equalSince()
	}
	return Library{
		Name:  "kubernetes.authz",
		Doc:   "Asks the authorizer what a user may do. Values of its types equal nothing: == of two of them is an error.",
		since: release.Minor(27),
		Types: celTypes,
		Functions: []Function{
			method("path", "Begins a check of a path that serves no resource, such as /healthz. The leading slash may be left out, the path may not be empty.",
				"authorizer_path", args(authorizer, cel.StringType), pathCheck, Binary(beginPathCheck),
				Example{Expr: `authorizer.path('/healthz').check('get').allowed()`, Want: `true`},
				Example{Expr: `authorizer.path(' ').check('get').allowed()`, Err: "path must not be empty"}),
			method("group", "Begins a check of the resources of an API group; the core group is the empty string.",
				"authorizer_group", args(authorizer, cel.StringType), groupCheck, Binary(func(a authorizerValue, group types.String) (groupCheckValue, error) {
					return groupCheckValue{groupCheckData{a.v, string(group)}}, nil
				}),
				Example{Expr: `authorizer.group('apps').resource('deployments').check('list').allowed()`, Want: `true`}),
			method("serviceAccount", "Returns an authorizer that checks what a service account may do, by its namespace and name.",
				"authorizer_serviceaccount", args(authorizer, cel.StringType, cel.StringType), authorizer, Ternary(asServiceAccount),
				Example{Expr: `authorizer.serviceAccount('default', 'builder').group('').resource('pods').check('list').allowed()`, Want: `true`},
				Example{Expr: `authorizer.serviceAccount('default', 'not@valid').path('/').check('get').allowed()`, Err: "Invalid service account name"},
				Example{Expr: `authorizer.serviceAccount('not@valid', 'builder').path('/').check('get').allowed()`, Err: "Invalid service account namespace"}),
			method("resource", "Names the resource of a check, by its lower case plural.",
				"groupcheck_resource", args(groupCheck, cel.StringType), resourceCheck, Binary(beginResourceCheck),
				Example{Expr: `authorizer.group('').resource('pods').check('list').allowed()`, Want: `true`},
				Example{Expr: `authorizer.group('').resource('').check('list').allowed()`, Err: "resource must not be empty"}),
			narrowing("subresource", "Names the subresource of a check; the empty string means none.", "status",
				func(c *resourceCheckData, s string) { c.request.Subresource = s }),
			narrowing("namespace", "Names the namespace of a check; the empty string, the default, means the whole cluster.", "default",
				func(c *resourceCheckData, s string) { c.request.Namespace = s }),
			narrowing("name", "Names the object of a check; the empty string, the default, means any.", "web-1",
				func(c *resourceCheckData, s string) { c.request.Name = s }),
			function("check", "Asks the authorizer: of a path with the HTTP verb, of a resource with the API verb. It is expensive where authorizers are webhooks.",
				member("pathcheck_check", args(pathCheck, cel.StringType), decision, cost.Fixed(checkCost)).by(Binary(checkPath),
					Example{Expr: `authorizer.path('/healthz').check('get').allowed()`, Want: `true`}),
				member("resourcecheck_check", args(resourceCheck, cel.StringType), decision, cost.Fixed(checkCost)).by(
					Binary(checkResource),
					Example{Expr: `authorizer.group('').resource('pods').check('create').allowed()`, Want: `true`})),
			outcome("allowed", "Tells whether the authorizer allows the request; having no opinion is not allowing.", cel.BoolType, `true`,
				func(d decisionData) types.Bool { return d.decision == Allow }),
			outcome("reason", "Returns the reason that the authorizer gave, which may be empty.", cel.StringType, `''`,
				func(d decisionData) types.String { return types.String(d.reason) }),
			outcome("errored", "Tells whether the authorizer failed. Such a check may still be allowed.", cel.BoolType, `false`,
				func(d decisionData) types.Bool { return d.err != nil }),
			outcome("error", "Returns the error of the authorizer, the empty string if it did not fail.", cel.StringType, `''`,
				func(d decisionData) types.String {
					if d.err == nil {
						return ""
					}
					return types.String(d.err.Error())
				}),
		},
	}
}

// narrowing declares a function that sets one attribute of a resource check.
func narrowing(name, doc, example string, set func(*resourceCheckData, string)) Function {
	return method(name, doc,
		"resourcecheck_"+name, args(resourceCheckClass.typ, cel.StringType), resourceCheckClass.typ, narrow(set),
		Example{Expr: `authorizer.group('').resource('pods').` + name + `('` + example + `').check('get').allowed()`, Want: `true`})
}

// narrow implements a function that sets a part of a resource check.
func narrow(set func(*resourceCheckData, string)) Impl {
	return Binary(func(c resourceCheckValue, s types.String) (resourceCheckValue, error) {
		set(&c.v, string(s))
		return c, nil
	})
}

// outcome declares a function that reads a decision.
func outcome[R ref.Val](name, doc string, result *cel.Type, want string, read func(decisionData) R) Function {
	return method(name, doc,
		"decision_"+name, args(decisionClass.typ), result, reader(read),
		Example{Expr: `authorizer.path('/healthz').check('get').` + name + `()`, Want: want})
}

// selectorsLibrary is the library that narrows authorization checks to the objects
// that a selector chooses. It needs authzLibrary.
func selectorsLibrary() Library {
	return Library{
		Name:  "kubernetes.authzSelectors",
		Doc:   "Narrows authorization checks to the objects that a selector chooses. A selector that is not valid is left out of the check, which is then wider.",
		since: release.Minor(31),
		Functions: []Function{
			selecting("fieldSelector", "Narrows a check to objects by their fields.", "spec.nodeName=node-1",
				func(c *resourceCheckData, selector string) { c.fieldSelector = selector }),
			selecting("labelSelector", "Narrows a check to objects by their labels.", "app in (web, api)",
				func(c *resourceCheckData, selector string) { c.labelSelector = selector }),
		},
	}
}

// selecting declares a function that sets a selector. It is priced as reading the
// selector and making the list of its requirements: 10 units for the list and 50
// for each requirement, which takes at least two characters.
func selecting(name, doc, example string, set func(*resourceCheckData, string)) Function {
	price := cost.Sum(cost.Fixed(10), cost.Scan(cost.Arg(1)), cost.Product(cost.Scaled(cost.Arg(1), 0.5), cost.Fixed(50)))
	return function(name, doc,
		member("authorizer_"+strings.ToLower(name), args(resourceCheckClass.typ, cel.StringType), resourceCheckClass.typ, price).by(narrow(set),
			Example{Expr: `authorizer.group('').resource('pods').` + name + `('` + example + `').check('list').allowed()`, Want: `true`}))
}

// The data of the values. They are comparable, so that each can be a key of a map.
type (
	authorizerData struct{ *principal }

	// principal is who asks whom.
	principal struct {
		ctx        context.Context
		authorizer Authorizer
		user       UserInfo
	}

	pathCheckData struct {
		authorizer authorizerData
		path       string
	}

	groupCheckData struct {
		authorizer authorizerData
		name       string
	}

	resourceCheckData struct {
		authorizer                   authorizerData
		request                      RequestResource
		fieldSelector, labelSelector string
	}

	decisionData struct {
		decision Decision
		reason   string
		err      error
	}
)

type (
	authorizerValue    = object[authorizerData]
	pathCheckValue     = object[pathCheckData]
	groupCheckValue    = object[groupCheckData]
	resourceCheckValue = object[resourceCheckData]
	decisionValue      = object[decisionData]
)

var (
	authorizerClass    = authzClass[authorizerData]("Authorizer")
	pathCheckClass     = authzClass[pathCheckData]("PathCheck")
	groupCheckClass    = authzClass[groupCheckData]("GroupCheck")
	resourceCheckClass = authzClass[resourceCheckData]("ResourceCheck")
	decisionClass      = authzClass[decisionData]("Decision")
)

func (authorizerData) class() *class[authorizerData]       { return &authorizerClass }
func (pathCheckData) class() *class[pathCheckData]         { return &pathCheckClass }
func (groupCheckData) class() *class[groupCheckData]       { return &groupCheckClass }
func (resourceCheckData) class() *class[resourceCheckData] { return &resourceCheckClass }
func (decisionData) class() *class[decisionData]           { return &decisionClass }

// authzClass is the class of values that only have functions, and no Go value. As
// on an API server such values equal nothing, not even themselves: == is an error
// and != is true.
func authzClass[T any](name string) class[T] {
	typ := cel.ObjectType("kubernetes.authorization." + name)
	return class[T]{typ: typ, name: typ.String(), value: func(T) any { return types.NoSuchOverloadErr() }}
}

func beginPathCheck(a authorizerValue, path types.String) (pathCheckValue, error) {
	if strings.TrimSpace(string(path)) == "" {
		return pathCheckValue{}, errors.New("path must not be empty")
	}
	return pathCheckValue{pathCheckData{a.v, string(path)}}, nil
}

func asServiceAccount(a authorizerValue, namespace, name types.String) (authorizerValue, error) {
	if len(validation.IsDNS1123Subdomain(string(name))) > 0 {
		return authorizerValue{}, errors.New("Invalid service account name")
	}
	if len(validation.IsDNS1123Label(string(namespace))) > 0 {
		return authorizerValue{}, errors.New("Invalid service account namespace")
	}
	return authorizerValue{authorizerData{&principal{a.v.ctx, a.v.authorizer, UserInfo{
		Name:   fmt.Sprintf("system:serviceaccount:%s:%s", namespace, name),
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + string(namespace)},
	}}}}, nil
}

func beginResourceCheck(c groupCheckValue, resource types.String) (resourceCheckValue, error) {
	if strings.TrimSpace(string(resource)) == "" {
		return resourceCheckValue{}, errors.New("resource must not be empty")
	}
	request := RequestResource{Group: c.v.name, Resource: string(resource)}
	return resourceCheckValue{resourceCheckData{authorizer: c.v.authorizer, request: request}}, nil
}

func checkPath(c pathCheckValue, verb types.String) (decisionValue, error) {
	return c.v.authorizer.decide(Attributes{Verb: string(verb), Path: c.v.path})
}

// checkResource parses the selectors at each check, as late as an API server does.
// An invalid selector is no error of the expression. The authorizer gets the error,
// and decides about the request without the selector.
func checkResource(c resourceCheckValue, verb types.String) (decisionValue, error) {
	a := Attributes{Verb: string(verb), RequestResource: c.v.request, APIVersion: "*"}
	if c.v.fieldSelector != "" {
		selector, err := fields.ParseSelector(c.v.fieldSelector)
		if err != nil {
			a.FieldSelectorError = err
		} else {
			a.FieldSelector = selector.Requirements()
		}
	}
	if c.v.labelSelector != "" {
		a.LabelSelector, a.LabelSelectorError = labelRequirements(c.v.labelSelector)
	}
	return c.v.authorizer.decide(a)
}

func (a authorizerData) decide(request Attributes) (decisionValue, error) {
	request.User = a.user
	decision, reason, err := a.authorizer(a.ctx, request)
	return decisionValue{decisionData{decision, reason, err}}, nil
}
