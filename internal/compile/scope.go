package compile

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/check"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Scope compiles the expressions of one place: the base environment, its
// variables, and the types that they need.
type Scope struct {
	env *Env
	// fast checks most expressions, nil if only cel-go can.
	fast     *check.Checker
	vars     []*decls.VariableDecl
	provider types.Provider
	sizes    pricing.Sizer
	// cel is the environment by which cel-go plans the programs of the scope.
	cel func() (*cel.Env, error)
}

// TypeName is what texts call a type.
func (s *Scope) TypeName(t *types.Type) string {
	if p, ok := s.provider.(*typesystem.Provider); ok {
		return p.Words(t)
	}
	return t.String()
}

// Scope adds variables to the environment, and the types of a provider. Nil sizes mean
// that nothing is known of the variables' sizes.
func (e *Env) Scope(provider types.Provider, sizes pricing.Sizer, vars ...*decls.VariableDecl) (*Scope, error) {
	// Those of the base environment again, so that a name declared in both is an
	// error: since v0.31 the checker only looks at the last scope.
	s := &Scope{env: e, vars: append(e.cel.Variables(), vars...), provider: provider, sizes: sizes}
	if base := e.fastBase(); base != nil {
		s.fast = base.New(provider, e.typed(provider), vars)
	}
	if s.fast == nil {
		if _, err := s.checker(provider); err != nil {
			return nil, err
		}
	}
	s.cel = sync.OnceValues(func() (*cel.Env, error) {
		if provider == e.cel.CELTypeProvider() {
			return e.cel, nil
		}
		return e.cel.Extend(cel.CustomTypeProvider(provider))
	})
	return s, nil
}

// checker is cel-go's, with types of a provider. It may copy all declarations.
func (s *Scope) checker(provider types.Provider) (*checker.Env, error) {
	env, err := s.env.newChecker(provider, s.env.checker)
	if err != nil {
		return nil, err
	}
	return env, env.AddIdents(s.vars...)
}

// Provider has the types of the scope.
func (s *Scope) Provider() types.Provider { return s.provider }

// Compile parses, checks, plans and estimates an expression. The error is what a
// server says, without the words of [Words]. The expression is returned beside
// the error of a stage after the check.
func (s *Scope) Compile(expr string) (*Expression, *diag.CompileError) {
	return s.CompileShared(expr, nil)
}

// CompileShared is [Scope.Compile]. It takes from shared what a scope of another
// environment has made of the same expression, where the two cannot differ.
func (s *Scope) CompileShared(expr string, shared *Shared) (*Expression, *diag.CompileError) {
	c := s.plan(expr, shared)
	if c.err != nil && c.err.Expression != expr {
		// cel-go replaces what is no UTF-8. The error may be shared.
		own := *c.err
		own.Expression = expr
		c.err = &own
	}
	if c.checked == nil {
		return nil, c.err
	}
	x := &Expression{Source: expr, Checked: c.checked, Program: c.program, scope: s}
	if c.err == nil {
		x.Estimate = s.env.prices.Estimate(x.Checked, s.sizes)
	}
	return x, c.err
}

// check type-checks what was parsed, which it changes.
func (s *Scope) check(expr string, parsed *celast.AST) (*celast.AST, *diag.CompileError) {
	checked, err := s.types(expr, parsed)
	if err != nil {
		return nil, err
	}
	issues := cel.NewIssuesWithSourceInfo(common.NewErrors(common.NewTextSource(expr)), checked.SourceInfo())
	if err := s.env.validate(expr, s.env.cel.Validators(), s.env.traits[declare.Formats], checked, issues); err != nil {
		return nil, err
	}
	if issues.Err() != nil {
		return nil, compileError(expr, issues, func(*common.Error) diag.Issue { return diag.Issue{Code: diag.InvalidLiteral} })
	}
	if s.env.server.Release == server.FormatPanics && formatsUnknown(checked) {
		return nil, panicError(expr, "invalid memory address or nil pointer dereference")
	}
	return checked, nil
}

// types finds the types of what was parsed.
func (s *Scope) types(expr string, parsed *celast.AST) (*celast.AST, *diag.CompileError) {
	if s.fast != nil {
		if checked, ok := s.fast.Check(parsed); ok {
			return checked, nil
		}
	}
	recorder := &fieldRecorder{Provider: s.provider, missing: map[string][]string{}}
	env, err := s.checker(recorder)
	if err != nil {
		return nil, failed(expr, diag.StageCheck, diag.PlanFailed, err)
	}
	source := common.NewTextSource(expr)
	checked, errs := checker.Check(parsed, source, env)
	if issues := cel.NewIssuesWithSourceInfo(errs, parsed.SourceInfo()); issues.Err() != nil {
		return nil, s.checkError(checked, source, issues, recorder.missing)
	}
	return checked, nil
}
