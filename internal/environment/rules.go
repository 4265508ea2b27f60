package environment

import (
	"sync"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/typesystem"
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

// Needs tells what the expressions of rules need that not every server has.
type Needs struct {
	rules *rules
	found map[*crd.Expression][]Requirement
}

// anyServer is shared by all that ask what the rules of a CRD need.
var anyServer = sync.OnceValues(func() (*Env, error) { return New(AnyServer()) })

// NewNeeds returns an environment for rules that remembers what they need.
func NewNeeds() (*Needs, error) {
	env, err := anyServer()
	if err != nil {
		return nil, err
	}
	n := &Needs{found: map[*crd.Expression][]Requirement{}}
	n.rules = &rules{env: env, scopes: map[*typesystem.Schema]*ruleScope{}, needs: n}
	return n, nil
}

// Scope declares self and oldSelf with the type of a schema.
func (n *Needs) Scope(schema *typesystem.Schema) (crd.Scope, error) { return n.rules.Scope(schema) }

// Of returns what an expression that was compiled here needs.
func (n *Needs) Of(x *crd.Expression) []Requirement { return n.found[x] }

// OptionalOldSelf is what a rule needs for which oldSelf is an optional.
func OptionalOldSelf() Requirement {
	return Requirement{Feature: "optionalOldSelf", Since: optionalOldSelfSince}
}

// SharedRules compiles the rules of one CRD in several environments, and once
// what does not depend on the environment. It is not safe for concurrent use.
type SharedRules struct {
	expressions map[sharedKey]*shared
}

type sharedKey struct {
	schema *typesystem.Schema
	ruleKey
}

// NewSharedRules returns what has compiled nothing yet.
func NewSharedRules() *SharedRules { return &SharedRules{expressions: map[sharedKey]*shared{}} }

// In compiles rules in an environment.
func (s *SharedRules) In(env *Env) crd.Environment {
	return &rules{env: env, scopes: map[*typesystem.Schema]*ruleScope{}, shared: s}
}

func (s *SharedRules) of(key sharedKey) *shared {
	if s == nil {
		return newShared()
	}
	known, ok := s.expressions[key]
	if !ok {
		known = newShared()
		s.expressions[key] = known
	}
	return known
}

// rules remembers what it has compiled: large parts of a schema often stand in
// several places of it, each with the same rules.
type rules struct {
	env    *Env
	scopes map[*typesystem.Schema]*ruleScope
	// needs, if set, gets what each expression needs.
	needs  *Needs
	shared *SharedRules
	// explain keeps of each expression what a report needs.
	explain bool
}

// Scope declares self and oldSelf with the type of a schema.
func (r *rules) Scope(schema *typesystem.Schema) (crd.Scope, error) {
	if s, ok := r.scopes[schema]; ok {
		return s, nil
	}
	s := &ruleScope{env: r.env, needs: r.needs, shared: r.shared, explain: r.explain, schema: schema, compiled: map[ruleKey]compiledRule{}}
	s.provider = r.env.Provider(nil, schema, typeName)
	var err error
	if s.plain, err = s.scope(s.provider.Type()); err != nil {
		return nil, err
	}
	r.scopes[schema] = s
	return s, nil
}

type ruleScope struct {
	env             *Env
	needs           *Needs
	shared          *SharedRules
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
	return s.env.Scope(s.provider, s.env.Sizes(s.schema), decls.NewVariable(self, s.provider.Type()), decls.NewVariable(oldSelf, old))
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
	optionalOldSelf = optionalOldSelf && !s.env.server.Release.Before(optionalOldSelfSince)
	if optionalOldSelf {
		if s.optional == nil {
			var err error
			if s.optional, err = s.scope(types.NewOptionalType(s.provider.Type())); err != nil {
				return nil, &crd.CompileError{Stage: crd.StageCheck, Err: err}
			}
		}
		scope = s.optional
	}
	compiled := scope.compile(expr, s.shared.of(sharedKey{s.schema, ruleKey{expr, optionalOldSelf}}))
	if compiled.checked == nil {
		return nil, &crd.CompileError{Stage: crd.StageCheck, Err: compiled.err}
	}
	checked := compiled.checked
	x := &crd.Expression{Type: checked.GetType(checked.Expr().ID()), OldSelf: refersTo(checked, oldSelf)}
	if s.needs != nil {
		s.needs.found[x] = scope.requirements(expr)
	}
	if compiled.err != nil {
		return x, compiled.err
	}
	x.Program = compiled.program
	if s.explain {
		x.Explain = scope.Explain(checked)
	}
	var err error
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
