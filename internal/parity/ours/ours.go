// Package ours answers the cases of package parity with kubecel.
package ours

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// New gives kubecel as an implementation of the cases.
func New() parity.Implementation { return newImplementation(server.StoredIn(release.Newest())) }

// NewStored gives the environment in which a server of a release evaluates what is stored.
func NewStored(r release.Release) parity.Implementation {
	i := newImplementation(server.StoredIn(r))
	i.bound = true
	return i
}

// NewWritten gives the environment in which a server of a release compiles what is written to it.
func NewWritten(r release.Release) parity.Accepter {
	i := newImplementation(server.WrittenTo(r))
	i.bound = true
	return i
}

func newImplementation(s server.Environment) *implementation {
	return &implementation{server: s, bases: map[baseKey]*compile.Env{}, scopes: map[*parity.Environment]*scope{}}
}

// implementation answers with what the public façade is made of, because the
// cases look at what it does not show: the cost of a failed evaluation, the
// estimate of a rule that no type bounds.
type implementation struct {
	server server.Environment
	// bound is set if the server decides the version of the environment, and not
	// the cases.
	bound  bool
	bases  map[baseKey]*compile.Env
	scopes map[*parity.Environment]*scope
}

// patchesSince is the first server that has jsonpatch.escapeKey.
var patchesSince = release.Minor(32)

type baseKey struct {
	version   string
	jsonPatch bool
}

// scope is an environment of the cases with the values of its variables.
type scope struct {
	*compile.Scope
	values map[string]any
}

func (s *scope) ResolveName(name string) (any, bool) {
	v, ok := s.values[name]
	return v, ok
}

func (i *implementation) base(e *parity.Environment) (*compile.Env, error) {
	key := baseKey{e.Version, e.JSONPatch}
	if base, ok := i.bases[key]; ok {
		return base, nil
	}
	var minor int
	if _, err := fmt.Sscanf(e.Version, "1.%d", &minor); err != nil {
		return nil, fmt.Errorf("version %q: %w", e.Version, err)
	}
	libraries := library.For(release.Newest(), release.Minor(minor))
	if i.bound {
		libraries = i.server.Libraries()
	}
	if e.JSONPatch && !i.server.Release.Before(patchesSince) {
		libraries = append(libraries, library.JSONPatch())
	}
	base, err := compile.New(compile.Config{Libraries: libraries, Server: i.server})
	if err == nil {
		i.bases[key] = base
	}
	return base, err
}

func (i *implementation) scope(e *parity.Environment) (*scope, error) {
	if s, ok := i.scopes[e]; ok {
		return s, nil
	}
	base, err := i.base(e)
	if err != nil {
		return nil, err
	}
	s := &scope{values: map[string]any{}}
	var declared []*decls.VariableDecl
	for _, v := range e.Vars {
		declared = append(declared, decls.NewVariable(v.Name, v.Type))
		s.values[v.Name] = v.Value
	}
	if e.Authorizer {
		declared = append(declared, decls.NewVariable("authorizer", library.AuthorizerType()))
		user := &library.UserInfo{Name: parity.AuthorizerUser}
		if s.values["authorizer"], err = library.NewAuthorizerValue(context.Background(), library.AuthorizerFunc(authorize), user); err != nil {
			return nil, err
		}
	}
	var provider types.Provider
	var sizes pricing.Sizer
	if e.Self != nil {
		schema, err := compileSchema(e.Self.Schema, e.Self.Root)
		if err != nil {
			return nil, err
		}
		p := base.Provider(nil, schema, "selfType1")
		provider, sizes = p, base.Sizes(schema)
		declared = append(declared, decls.NewVariable("self", p.Type()), decls.NewVariable("oldSelf", p.Type()))
		first := e.Self.Objects[0]
		s.values["self"] = schema.WithObjectMeta().Value(first.New)
		if first.Old != nil {
			s.values["oldSelf"] = schema.WithObjectMeta().Value(first.Old)
		}
	}
	if s.Scope, err = base.Scope(provider, sizes, declared...); err != nil {
		return nil, err
	}
	i.scopes[e] = s
	return s, nil
}

// Expression compiles, estimates, plans and evaluates.
func (i *implementation) Expression(c parity.ExprCase) (o parity.ExprOutcome) {
	s, err := i.scope(c.Env)
	if err != nil {
		o.CompileError = "environment: " + err.Error()
		return o
	}
	x, failed := s.Compile(c.Expr)
	if x == nil {
		o.CompileError = failed.Server
		return o
	}
	o.Type = x.Type().String()
	estimate, err := x.EstimateBy(s.Sizes())
	if err != nil {
		o.EstimateError = err.Error()
	}
	o.Estimate = [2]uint64{estimate.Min, estimate.Max}
	if failed != nil && failed.Stage == diag.StagePlan {
		o.ProgramError = failed.Server
		return o
	}
	result := x.Program.Eval(context.Background(), s, cost.PerCallLimit)
	o.Cost = result.Cost
	if result.Err != nil {
		o.Error = result.Err.Error()
	} else {
		o.Result = parity.Print(result.Value)
	}
	return o
}

// Accepts compiles and plans.
func (i *implementation) Accepts(c parity.ExprCase) bool {
	s, err := i.scope(c.Env)
	if err != nil {
		return false
	}
	_, failed := s.Compile(c.Expr)
	return failed == nil
}

// authorize puts the question to the authorizer of the cases.
func authorize(_ context.Context, a library.Attributes) (library.Decision, string, error) {
	q := parity.Access{User: a.User.Name, Verb: a.Verb, Path: a.Path, Resource: a.IsResource}
	if a.IsResource {
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
