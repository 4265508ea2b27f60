package environment

import (
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/typesystem"
)

// The variables of a rule.
const (
	self    = "self"
	oldSelf = "oldSelf"
	// typeName is the name of the type of self. That of an API server has a
	// number behind it that differs from one compilation to the next.
	typeName = "selfType1"
)

// Rules compiles the expressions of the rules of one CRD in an environment. It
// is not safe for concurrent use, and holds what only compilation needs.
func Rules(env *Env) crd.Environment {
	return &rules{env: env, scopes: map[*typesystem.Schema]*ruleScope{}}
}

// ExplainedRules is Rules, and keeps of each expression what a report needs.
func ExplainedRules(env *Env) crd.Environment {
	return &rules{env: env, scopes: map[*typesystem.Schema]*ruleScope{}, explain: true}
}

// rules remembers what it has compiled: large parts of a schema often stand in
// several places of it, each with the same rules.
type rules struct {
	env     *Env
	scopes  map[*typesystem.Schema]*ruleScope
	explain bool
}

// Scope declares self and oldSelf with the type of a schema.
func (r *rules) Scope(schema *typesystem.Schema) (crd.Scope, error) {
	if s, ok := r.scopes[schema]; ok {
		return s, nil
	}
	s := &ruleScope{env: r.env, explain: r.explain, schema: schema, compiled: map[ruleKey]compiledRule{}}
	s.provider = typesystem.NewProvider(r.env.cel.CELTypeProvider(), schema, typeName)
	var err error
	if s.plain, err = s.scope(s.provider.Type()); err != nil {
		return nil, err
	}
	r.scopes[schema] = s
	return s, nil
}

type ruleScope struct {
	env             *Env
	explain         bool
	schema          *typesystem.Schema
	provider        *typesystem.Provider
	plain, optional *Scope
	compiled        map[ruleKey]compiledRule
}

type ruleKey struct {
	expr            string
	optionalOldSelf bool
}

type compiledRule struct {
	expr *crd.Expression
	err  error
}

// scope declares oldSelf with a type.
func (s *ruleScope) scope(old *types.Type) (*Scope, error) {
	return s.env.Scope(s.provider, s.schema, decls.NewVariable(self, s.provider.Type()), decls.NewVariable(oldSelf, old))
}

// Compile compiles one expression.
func (s *ruleScope) Compile(expr string, optionalOldSelf bool) (*crd.Expression, error) {
	key := ruleKey{expr, optionalOldSelf}
	known, ok := s.compiled[key]
	if !ok {
		known.expr, known.err = s.compile(expr, optionalOldSelf)
		s.compiled[key] = known
	}
	return known.expr, known.err
}

func (s *ruleScope) compile(expr string, optionalOldSelf bool) (*crd.Expression, error) {
	scope := s.plain
	if optionalOldSelf {
		if s.optional == nil {
			var err error
			if s.optional, err = s.scope(types.NewOptionalType(s.provider.Type())); err != nil {
				return nil, &crd.CompileError{Stage: crd.StageCheck, Err: err}
			}
		}
		scope = s.optional
	}
	checked, err := scope.Compile(expr)
	if err != nil {
		return nil, &crd.CompileError{Stage: crd.StageCheck, Err: err}
	}
	x := &crd.Expression{Type: checked.GetType(checked.Expr().ID()), OldSelf: refersTo(checked, oldSelf)}
	program, err := scope.Plan(checked)
	if err != nil {
		return x, &crd.CompileError{Stage: crd.StagePlan, Err: err}
	}
	x.Program = program
	if s.explain {
		x.Explain = scope.Explain(checked)
	}
	if x.Cost, err = scope.Estimate(checked); err != nil {
		return x, &crd.CompileError{Stage: crd.StageEstimate, Err: err}
	}
	return x, nil
}

func refersTo(checked *celast.AST, name string) bool {
	for _, ref := range checked.ReferenceMap() {
		if ref.Name == name {
			return true
		}
	}
	return false
}
