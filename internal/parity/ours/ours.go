// Package ours answers the cases of package parity with kubecel.
package ours

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// Implementation answers with the façade, and with what it is made of where the
// façade does not show what the cases compare: see inside.go.
type Implementation struct {
	release release.Release
	// envs has the environments of stored expressions, written those of new ones.
	envs, written map[*parity.Environment]*environmentOf
	scopes        map[*parity.Environment]*ruleScope
}

// New gives kubecel as the newest release.
func New() *Implementation { return NewRelease(release.Newest()) }

// NewRelease gives kubecel as a server of a release, which evaluates what is stored.
func NewRelease(r release.Release) *Implementation {
	return &Implementation{
		release: r, envs: map[*parity.Environment]*environmentOf{}, written: map[*parity.Environment]*environmentOf{},
		scopes: map[*parity.Environment]*ruleScope{},
	}
}

// patchesSince is the first server that has jsonpatch.escapeKey.
var patchesSince = release.Minor(32)

// environmentOf is an environment of the cases with the values of its variables.
type environmentOf struct {
	*kubecel.Env
	values map[string]any
}

// environment builds the environment of a case once.
func (i *Implementation) environment(e *parity.Environment, written bool) (*environmentOf, error) {
	built := i.envs
	if written {
		built = i.written
	}
	if env, ok := built[e]; ok {
		return env, nil
	}
	opts := []kubecel.EnvOption{kubecel.ForRelease(i.release)}
	if !written && !e.Older {
		opts = append(opts, kubecel.StoredExpressions())
	}
	if e.JSONPatch && !i.release.Before(patchesSince) {
		opts = append(opts, kubecel.Libraries(library.JSONPatch()))
	}
	env := &environmentOf{values: map[string]any{}}
	for _, v := range e.Vars {
		opts = append(opts, kubecel.Variable(v.Name, v.Type))
		env.values[v.Name] = v.Value
	}
	var err error
	if e.Authorizer {
		opts = append(opts, kubecel.Variable("authorizer", library.AuthorizerType()))
		user := &library.UserInfo{Name: parity.AuthorizerUser}
		if env.values["authorizer"], err = library.NewAuthorizerValue(context.Background(), authorize, user); err != nil {
			return nil, err
		}
	}
	if e.Self != nil {
		data, err := json.Marshal(e.Self.Schema)
		if err != nil {
			return nil, err
		}
		schema, err := kubecel.ParseSchema(data)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kubecel.SchemaVariable("self", schema), kubecel.SchemaVariable("oldSelf", schema))
	}
	if env.Env, err = kubecel.NewEnv(opts...); err != nil {
		return nil, err
	}
	built[e] = env
	return env, nil
}

// Expression compiles, estimates, plans and evaluates.
func (i *Implementation) Expression(c parity.ExprCase) (o parity.ExprOutcome) {
	if c.Env.Self != nil {
		return i.expressionOverSelf(c)
	}
	env, err := i.environment(c.Env, false)
	if err != nil {
		o.CompileError = "environment: " + err.Error()
		return o
	}
	x, err := env.Compile(c.Expr)
	if err != nil {
		refused(&o, err)
		return o
	}
	o.Type = x.OutputType().String()
	o.Estimate = [2]uint64{x.Estimate().Min, x.Estimate().Max}
	result, err := x.Eval(context.Background(), env.values)
	if failed, ok := errs.As[*kubecel.EvalError](err); ok {
		o.Error, o.Cost = failed.Server, failed.Cost
		return o
	}
	if err != nil {
		o.Error = err.Error()
		return o
	}
	o.Result, o.Cost = parity.Print(result.Value), result.Cost
	return o
}

// refused says why an expression does not compile, in the words of a server.
func refused(o *parity.ExprOutcome, err error) {
	failed, ok := errs.As[*kubecel.CompileError](err)
	if !ok {
		o.CompileError = err.Error()
		return
	}
	text := failed.Server
	for _, words := range []string{"compilation failed: ", "program instantiation failed: "} {
		text = strings.TrimPrefix(text, words)
	}
	if failed.Stage == diag.StagePlan {
		o.ProgramError = text
	} else {
		o.CompileError = text
	}
}

// AcceptedBy tells which releases accept an expression when it is written.
func (i *Implementation) AcceptedBy(c parity.ExprCase) (map[release.Release]bool, error) {
	env, err := i.environment(c.Env, true)
	if err != nil {
		return nil, err
	}
	acceptance, err := env.AcceptedBy(c.Expr)
	if err != nil {
		return nil, err
	}
	accepted := map[release.Release]bool{}
	for _, r := range acceptance.Releases() {
		// An environment is asked as if its libraries were there in every release.
		accepted[r] = !c.Env.JSONPatch || !r.Before(patchesSince) || !strings.Contains(c.Expr, "jsonpatch.")
	}
	return accepted, nil
}

// authorize puts the question to the authorizer of the cases.
func authorize(_ context.Context, a library.Attributes) (library.Decision, string, error) {
	q := parity.Access{User: a.User.Name, Verb: a.Verb, Path: a.Path, Resource: a.Path == ""}
	if q.Resource {
		q.Group, q.Version, q.Kind = a.Group, a.APIVersion, a.Resource
		q.Subresource, q.Namespace, q.ObjectName = a.Subresource, a.Namespace, a.Name
		if a.FieldSelectorError != nil {
			q.FieldSelectorError = a.FieldSelectorError.Error()
		}
		for _, f := range a.FieldSelector {
			q.FieldSelector = append(q.FieldSelector, fmt.Sprintf("%s %s %s", f.Field, f.Operator, f.Value))
		}
		if a.LabelSelectorError != nil {
			q.LabelSelectorError = a.LabelSelectorError.Error()
		}
		for _, l := range a.LabelSelector {
			q.LabelSelector = append(q.LabelSelector, fmt.Sprintf("%s %s %s", l.Key(), l.Operator(), strings.Join(l.Values().List(), "|")))
		}
	}
	allowed, denied, reason, err := parity.Authorize(q)
	switch {
	case allowed:
		return library.Allow, reason, err
	case denied:
		return library.Deny, reason, err
	}
	return library.NoOpinion, reason, err
}
