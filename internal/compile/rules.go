package compile

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// The variables of a rule.
const (
	Self    = "self"
	OldSelf = "oldSelf"
	// typeName is the name of the type of self. That of an API server has a
	// number behind it that differs from one compilation to the next.
	typeName = "selfType1"
)

// Rules compiles the expressions of the rules of one CRD in an environment. It
// remembers what it has compiled, because large parts of a schema often stand in
// several places of it, each with the same rules. It is not safe for concurrent
// use, and holds what only compilation needs.
type Rules struct {
	env    *Env
	scopes map[*typesystem.Schema]*RuleScope
	shared SharedRules
	only   []string
}

// Rules returns what compiles rules in the environment.
func (e *Env) Rules() *Rules { return &Rules{env: e, scopes: map[*typesystem.Schema]*RuleScope{}} }

// Only restricts the rules to some expressions. All others count as bool and
// cost nothing.
func (r *Rules) Only(expressions ...string) *Rules {
	r.only = expressions
	return r
}

// SharedRules compiles the rules of one CRD in several environments, and once
// what does not depend on the environment. It is not safe for concurrent use.
type SharedRules map[sharedKey]*Shared

type sharedKey struct {
	schema *typesystem.Schema
	ruleKey
}

// In compiles rules in an environment.
func (s SharedRules) In(env *Env) *Rules {
	r := env.Rules()
	r.shared = s
	return r
}

func (s SharedRules) of(key sharedKey) *Shared {
	if s != nil && s[key] == nil {
		s[key] = NewShared()
	}
	return s[key]
}

// Scope declares self and oldSelf with the type of a schema.
func (r *Rules) Scope(schema *typesystem.Schema) (*RuleScope, error) {
	if s, ok := r.scopes[schema]; ok {
		return s, nil
	}
	s := &RuleScope{rules: r, schema: schema, compiled: map[ruleKey]compiledRule{}}
	s.provider = r.env.Provider(r.env.cel.CELTypeProvider(), schema, typeName)
	var err error
	if s.plain, err = s.scope(s.provider.Type()); err != nil {
		return nil, err
	}
	r.scopes[schema] = s
	return s, nil
}

// RuleScope compiles the expressions of the rules at one node of a schema.
type RuleScope struct {
	rules    *Rules
	schema   *typesystem.Schema
	provider *typesystem.Provider
	// plain declares oldSelf with the type of self, optional as an optional.
	plain, optional *Scope
	compiled        map[ruleKey]compiledRule
}

type ruleKey struct {
	expr            string
	optionalOldSelf bool
}

type compiledRule struct {
	expr *Expression
	err  *diag.CompileError
}

// scope declares oldSelf with a type.
func (s *RuleScope) scope(old *types.Type) (*Scope, error) {
	env := s.rules.env
	return env.Scope(s.provider, env.Sizes(s.schema), decls.NewVariable(Self, s.provider.Type()), decls.NewVariable(OldSelf, old))
}

// Compile compiles one expression as [Scope.Compile] does.
func (s *RuleScope) Compile(expr string, optionalOldSelf bool) (*Expression, *diag.CompileError) {
	key := ruleKey{expr, optionalOldSelf}
	known, ok := s.compiled[key]
	if !ok {
		known.expr, known.err = s.compile(expr, optionalOldSelf)
		s.compiled[key] = known
	}
	return known.expr, known.err
}

func (s *RuleScope) compile(expr string, optionalOldSelf bool) (*Expression, *diag.CompileError) {
	if only := s.rules.only; only != nil && !slices.Contains(only, expr) {
		return uncompiled(s.plain), nil
	}
	scope := s.plain
	optionalOldSelf = optionalOldSelf && !s.rules.env.server.Release.Before(server.OptionalOldSelfSince)
	if optionalOldSelf {
		if s.optional == nil {
			var err error
			if s.optional, err = s.scope(types.NewOptionalType(s.provider.Type())); err != nil {
				return nil, failed(expr, diag.StageCheck, diag.PlanFailed, err)
			}
		}
		scope = s.optional
	}
	return scope.CompileShared(expr, s.rules.shared.of(sharedKey{s.schema, ruleKey{expr, optionalOldSelf}}))
}

// uncompiled stands for an expression of type bool that costs nothing.
func uncompiled(scope *Scope) *Expression {
	literal := ast.NewExprFactory().NewLiteral(1, types.True)
	return &Expression{Checked: ast.NewCheckedAST(ast.NewAST(literal, nil), map[int64]*types.Type{1: types.BoolType}, nil), scope: scope}
}
