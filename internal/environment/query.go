package environment

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/crd"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// AnyServer is the configuration of an environment with everything that any
// server has, or that is only documented.
//
// It checks no literals.
func AnyServer() Config {
	return Config{
		Libraries: slices.DeleteFunc(library.Newest(), func(l library.Library) bool {
			return l.Trait() == declare.Literals || l.Trait() == declare.Formats
		}),
		DocumentedOnly: true,
		Options:        []cel.EnvOption{cel.EnableMacroCallTracking()},
	}
}

// Query answers which servers accept an expression on write. It is safe for
// concurrent use.
type Query struct {
	// any compiles whatever some server knows.
	any *Scope
	// servers are the environments of all releases; some are the same.
	servers []Server
	scopes  map[Server]*Scope
}

// Verdict is what a server says of an expression.
type Verdict struct {
	// Release is the server.
	Release release.Release
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
	for _, r := range release.All() {
		server := WrittenTo(r)
		q.servers = append(q.servers, server)
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
	releases, common := release.All(), newShared()
	for i, server := range q.servers {
		v, ok := compiled[server]
		if !ok {
			v = q.scopes[server].verdict(expr, common)
			compiled[server] = v
		}
		v.Release = releases[i]
		verdicts[i] = v
	}
	return verdicts, q.any.requirements(expr)
}

// verdict compiles an expression, and shares what it can with other scopes.
func (s *Scope) verdict(expr string, common *shared) (v Verdict) {
	compiled := s.compile(expr, common)
	if v.Err = compiled.err; v.Err != nil {
		return v
	}
	v.Type = compiled.checked.GetType(compiled.checked.Expr().ID())
	var err error
	if v.Estimate, err = s.Estimate(compiled.checked); err != nil {
		v.Err = &crd.CompileError{Stage: crd.StageEstimate, Err: err}
	}
	return v
}
