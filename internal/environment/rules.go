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

// Rules compiles the expressions of a CRD's rules in an environment.
func Rules(env *Env) crd.Environment { return rules{env} }

type rules struct{ env *Env }

// Scope declares self and oldSelf with the type of a schema.
func (r rules) Scope(schema *typesystem.Schema) (crd.Scope, error) {
	s := &ruleScope{env: r.env, schema: schema}
	s.provider = typesystem.NewProvider(r.env.cel.CELTypeProvider(), schema, typeName)
	var err error
	s.plain, err = s.scope(s.provider.Type())
	return s, err
}

type ruleScope struct {
	env             *Env
	schema          *typesystem.Schema
	provider        *typesystem.Provider
	plain, optional *Scope
}

// scope declares oldSelf with a type.
func (s *ruleScope) scope(old *types.Type) (*Scope, error) {
	return s.env.Scope(s.provider, s.schema, decls.NewVariable(self, s.provider.Type()), decls.NewVariable(oldSelf, old))
}

// Compile compiles one expression.
func (s *ruleScope) Compile(expr string, optionalOldSelf bool) (*crd.Expression, error) {
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
