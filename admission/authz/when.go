package authz

import (
	"context"
	"fmt"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/eval"
	"github.com/kubecel/kubecel/internal/policy"
	"github.com/kubecel/kubecel/library"
)

// condition is a compiled match condition.
type condition struct {
	source  string
	program *eval.Program
}

// conditions are match conditions of an authorizer.
type conditions struct {
	all []condition
	// fields and labels tell whether the request shows selectors: whether a condition
	// selects a field of their name.
	fields, labels bool
}

// When asks an authorizer only if all match conditions are true, as a server does that has an authorization
// webhook with matchConditions in its AuthorizationConfiguration (k8s.io/apiserver v0.37.2, pkg/authorization/cel). The
// conditions see the spec of the SubjectAccessReview as `request`. If one is false, there is no opinion. Otherwise, if one
// cannot be evaluated, that is an error without an opinion.
//
// The error of a condition that does not compile, or is not of type bool, is a *CompileError (package diag).
func When(a library.Authorizer, matchConditions ...string) (library.Authorizer, error) {
	c := &conditions{}
	for _, source := range matchConditions {
		if err := c.add(source); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, question library.Attributes) (library.Decision, string, error) {
		matches, err := c.match(ctx, question)
		if err != nil || !matches {
			return failed(err).parts()
		}
		return ask(ctx, a, question).parts()
	}, nil
}

func (c *conditions) add(source string) error {
	scope, err := policy.ReviewScope()
	if err != nil {
		return err
	}
	compiled, failed := scope.Compile(source)
	if compiled != nil {
		if t := compiled.Type(); t != types.BoolType {
			text := fmt.Sprintf("must evaluate to %v but got %v", types.BoolType, t)
			return &diag.CompileError{
				Expression: source, Stage: diag.StageCheck, Server: text,
				Issues: []diag.Issue{{Code: diag.ResultType, Position: diag.Position{Line: 1, Column: 1}, Message: text}},
			}
		}
	}
	if failed != nil {
		return compile.RuleWords.Put(failed)
	}
	c.all = append(c.all, condition{source, compiled.Program})
	ast.PreOrderVisit(ast.NavigateAST(compiled.Checked), ast.NewExprVisitor(func(e ast.Expr) {
		name := selected(e)
		c.fields = c.fields || name == "fieldSelector"
		c.labels = c.labels || name == "labelSelector"
	}))
	return nil
}

// selected is the name of the field that a node selects.
func selected(e ast.Expr) string {
	switch {
	case e.Kind() == ast.SelectKind:
		return e.AsSelect().FieldName()
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.OptSelect:
		if args := e.AsCall().Args(); len(args) == 2 && args[1].Kind() == ast.LiteralKind {
			name, _ := args[1].AsLiteral().Value().(string)
			return name
		}
	}
	return ""
}

// match evaluates the conditions. The text of the error is the server's.
func (c *conditions) match(ctx context.Context, question library.Attributes) (bool, error) {
	var errs []error
	request := requestVariable{types.DefaultTypeAdapter.NativeToValue(c.request(question))}
	for _, x := range c.all {
		result := x.program.Eval(ctx, request, cost.PerCallLimit)
		switch {
		case result.Err != nil:
			errs = append(errs, fmt.Errorf("cel evaluation error: expression '%v' resulted in error: %w", x.source, result.Err))
		case result.Value != types.True:
			return false, nil
		}
	}
	if err := utilerrors.NewAggregate(errs); err != nil {
		return false, err
	}
	return true, nil
}

// request is what conditions see: all fields of texts, also those that are empty.
func (c *conditions) request(a library.Attributes) map[string]any {
	groups, extra := a.User.Groups, a.User.Extra
	if groups == nil {
		groups = []string{}
	}
	if extra == nil {
		extra = map[string][]string{}
	}
	request := map[string]any{"user": a.User.Name, "groups": groups, "uid": a.User.UID, "extra": extra}
	if a.Path != "" {
		request["nonResourceAttributes"] = map[string]any{"path": a.Path, "verb": a.Verb}
		return request
	}
	resource := map[string]any{
		"namespace": a.Namespace, "verb": a.Verb, "group": a.Group, "version": a.APIVersion,
		"resource": a.Resource, "subresource": a.Subresource, "name": a.Name,
	}
	if c.fields {
		fieldRequirements(a).show(resource, "fieldSelector")
	}
	if c.labels {
		labelRequirements(a).show(resource, "labelSelector")
	}
	request["resourceAttributes"] = resource
	return request
}

// show adds the requirements to what conditions see, if there are any.
func (r *requirements) show(in map[string]any, name string) {
	if r == nil {
		return
	}
	all := make([]any, len(r.Requirements))
	for i, one := range r.Requirements {
		values := one.Values
		if values == nil {
			values = []string{}
		}
		all[i] = map[string]any{"key": one.Key, "operator": one.Operator, "values": values}
	}
	in[name] = map[string]any{"requirements": all}
}

// requestVariable resolves the variable request.
type requestVariable struct{ request any }

// ResolveName returns the value of a variable.
func (v requestVariable) ResolveName(name string) (any, bool) {
	return v.request, name == policy.RequestName
}
