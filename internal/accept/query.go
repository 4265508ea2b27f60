// Package accept says which releases accept an expression that is written to them,
// and what in it decides.
package accept

import (
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// Query answers which servers accept an expression on write. It is safe for
// concurrent use.
type Query struct {
	// any compiles whatever some server knows.
	any *compile.Scope
	// scopes are those of the environments of the releases. Some releases have
	// the same environment.
	scopes map[server.Environment]*compile.Scope
}

// Verdict is what a server says of an expression.
type Verdict struct {
	// Release is the server.
	Release release.Release
	// Err says why the server rejects the expression, in its words. It is nil if
	// the server accepts it.
	Err *diag.CompileError
	// Type is the type of the expression, nil if it has none.
	Type *types.Type
	// Estimate is what the server estimates for one evaluation.
	Estimate cost.Range
}

// NewQuery prepares a query. Each environment gets what a caller adds to it, and scope
// declares the variables in it.
//
// What no server has a caller cannot assume there: the library of cel.bind is left out.
func NewQuery(add compile.Addition, scope func(*compile.Env) (*compile.Scope, error)) (*Query, error) {
	q := &Query{scopes: map[server.Environment]*compile.Scope{}}
	add.Libraries = slices.DeleteFunc(slices.Clone(add.Libraries), func(lib library.Library) bool { return lib.Trait() == declare.Bindings })
	for _, r := range release.All() {
		s := server.WrittenTo(r)
		if q.scopes[s] != nil {
			continue
		}
		env, err := compile.ForServer(s)
		if err != nil {
			return nil, err
		}
		if q.scopes[s], err = scopeOf(env, add, scope); err != nil {
			return nil, err
		}
	}
	env, err := anyEnv()
	if err != nil {
		return nil, err
	}
	q.any, err = scopeOf(env, add, scope)
	return q, err
}

func scopeOf(env *compile.Env, add compile.Addition, scope func(*compile.Env) (*compile.Scope, error)) (*compile.Scope, error) {
	env, err := env.Extend(add)
	if err != nil {
		return nil, err
	}
	return scope(env)
}

// Expression compiles an expression as each server does when it is written, and
// says what in it not every server accepts.
func (q *Query) Expression(expr string) ([]Verdict, []Requirement) {
	var verdicts []Verdict
	shared, known := compile.NewShared(), map[server.Environment]Verdict{}
	for _, r := range release.All() {
		s := server.WrittenTo(r)
		v, ok := known[s]
		if !ok {
			if x, err := q.scopes[s].CompileShared(expr, shared); err != nil {
				v.Err = compile.RuleWords.Put(err)
			} else {
				v.Type, v.Estimate = x.Type(), x.Estimate
			}
			known[s] = v
		}
		v.Release = r
		verdicts = append(verdicts, v)
	}
	if x, _ := q.any.Compile(expr); x != nil {
		return verdicts, requirements(x)
	}
	return verdicts, nil
}

// Needs says what the expressions of rules need that not every server has.
type Needs struct {
	// Rules compiles them, with everything that any server knows.
	Rules *compile.Rules
	found map[*compile.Expression][]Requirement
}

// anyEnv has everything that any server has or that is only documented, and cel.bind. It checks no
// literals.
var anyEnv = sync.OnceValues(func() (*compile.Env, error) {
	env, err := compile.New(compile.Config{
		Libraries: slices.DeleteFunc(append(library.Newest(), library.Bindings()), func(l library.Library) bool {
			return l.Trait() == declare.Literals || l.Trait() == declare.Formats
		}),
		DocumentedOnly: true,
	})
	if err != nil {
		return nil, err
	}
	return env.Extend(compile.Addition{Options: []cel.EnvOption{cel.EnableMacroCallTracking()}})
})

// NewNeeds returns what has compiled nothing yet.
func NewNeeds() (*Needs, error) {
	env, err := anyEnv()
	if err != nil {
		return nil, err
	}
	return &Needs{Rules: env.Rules(), found: map[*compile.Expression][]Requirement{}}, nil
}

// Of returns what an expression that Rules has compiled needs.
func (n *Needs) Of(x *compile.Expression) []Requirement {
	found, ok := n.found[x]
	if !ok && x != nil {
		found = requirements(x)
		n.found[x] = found
	}
	return found
}

// OptionalOldSelf is what a rule needs for which oldSelf is an optional.
func OptionalOldSelf() Requirement {
	return Requirement{Feature: server.Feature{Name: "optionalOldSelf", Since: server.OptionalOldSelfSince}}
}
