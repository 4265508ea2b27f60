package environment

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/library"
)

// AnyServer is the configuration of an environment with everything that any
// server has, or that is only documented.
func AnyServer() Config {
	libraries := slices.DeleteFunc(library.Stored(), func(l library.Library) bool { return l.Name == library.ValidatorsName })
	return Config{
		Libraries: slices.Concat(libraries, library.Retired(), []library.Library{library.JSONPatch()}),
		Beyond:    true,
		Options:   []cel.EnvOption{cel.EnableMacroCallTracking()},
	}
}

// Query answers which servers accept an expression on write. It is safe for
// concurrent use.
type Query struct {
	// any compiles whatever some server knows.
	any *Scope
	// servers are the environments of the releases from Oldest to Newest;
	// some are the same.
	servers [Newest - Oldest + 1]Server
	scopes  map[Server]*Scope
}

// Verdict is what a server says of an expression.
type Verdict struct {
	// Minor is the server.
	Minor int
	// Err is a *Failure, or a *crd.CompileError of a later stage, nil if the
	// server accepts the expression.
	Err error
	// Type is the type of the expression, nil if there is an error.
	Type *types.Type
	// Estimate is what the server estimates for one evaluation.
	Estimate cost.Range
}

// NewQuery prepares a query. Build makes the environment of a configuration
// with all that a caller adds to it, and scope declares the variables in it.
func NewQuery(build func(Config) (*Env, error), scope func(*Env) (*Scope, error)) (*Query, error) {
	q := &Query{scopes: map[Server]*Scope{}}
	for i := range q.servers {
		server := WrittenTo(Oldest + i)
		q.servers[i] = server
		if q.scopes[server] != nil {
			continue
		}
		env, err := build(Config{Libraries: server.Libraries(), Server: server})
		if err == nil {
			q.scopes[server], err = scope(env)
		}
		if err != nil {
			return nil, err
		}
	}
	env, err := build(AnyServer())
	if err == nil {
		q.any, err = scope(env)
	}
	return q, err
}

// Expression compiles an expression as each server does when it is written, and
// says what in it not every server accepts.
func (q *Query) Expression(expr string) ([]Verdict, []Requirement) {
	verdicts := make([]Verdict, len(q.servers))
	compiled := map[Server]Verdict{}
	parsers := map[string]parsedExpression{}
	for i, server := range q.servers {
		v, ok := compiled[server]
		if !ok {
			v = q.scopes[server].verdict(expr, parsers)
			compiled[server] = v
		}
		v.Minor = Oldest + i
		verdicts[i] = v
	}
	return verdicts, q.any.requirements(expr)
}

// parsedExpression is an expression as one grammar has it.
type parsedExpression struct {
	source common.Source
	ast    *celast.AST
	err    error
}

// verdict compiles an expression. Environments with the same grammar share what
// was parsed.
func (s *Scope) verdict(expr string, parsers map[string]parsedExpression) (v Verdict) {
	parsed, ok := parsers[s.env.grammar]
	if !ok {
		parsed.source, parsed.ast, parsed.err = s.parse(expr)
		parsers[s.env.grammar] = parsed
	}
	if parsed.err != nil {
		v.Err = parsed.err
		return v
	}
	checked, err := s.check(parsed.source, celast.Copy(parsed.ast))
	if err != nil {
		v.Err = err
		return v
	}
	if _, err := s.Plan(checked); err != nil {
		v.Err = &crd.CompileError{Stage: crd.StagePlan, Err: err}
		return v
	}
	v.Type = checked.GetType(checked.Expr().ID())
	if v.Estimate, err = s.Estimate(checked); err != nil {
		v.Err = &crd.CompileError{Stage: crd.StageEstimate, Err: err}
	}
	return v
}
