// Package check finds the types of parsed expressions as cel-go's type checker does, in less than a
// tenth of its time.
//
// A [Checker] answers only on success. Then its tree has the nodes, types and references that
// cel-go's checker gives it. It gives up on whatever has an error, and on what it does not know:
// messages, names in containers, types that callers declare with parameters. The caller then asks cel-go's
// checker, with the tree as it was, which decides and says what is wrong.
//
// The rules are those of cel-go (package checker), in the same order, because types that are not known yet
// are settled by whoever needs them first. Most calls have arguments whose types are known: they are resolved
// without variables for types (ground.go). The others unify, as all do in cel-go (unify.go).
package check

import (
	"strings"
	"sync"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// Base is what the checkers of an environment have in common. It is read-only.
type Base struct {
	functions map[string]*function
	// roots are the first parts of the names of functions with dots.
	roots     map[string]bool
	variables map[string]*variable
	// mixed tells whether numbers of different types compare.
	mixed   bool
	states  *sync.Pool
	factory ast.ExprFactory
}

// variable is a declared name.
type variable struct {
	name string
	typ  *types.Type
	ref  *ast.ReferenceInfo
	// ground tells whether the type has no parameters.
	ground bool
}

func newVariable(d *decls.VariableDecl) *variable {
	return &variable{d.Name(), d.Type(), ast.NewIdentReference(d.Name(), d.Value()), ground(d.Type())}
}

// NewBase declares functions and variables. Mixed tells whether numbers of different types
// compare. It returns nil if a variable is declared twice: what that means is left to cel-go.
func NewBase(functions []*decls.FunctionDecl, variables []*decls.VariableDecl, mixed bool) *Base {
	b := &Base{
		functions: map[string]*function{}, roots: map[string]bool{}, variables: map[string]*variable{},
		mixed: mixed, factory: ast.NewExprFactory(),
	}
	for _, f := range functions {
		b.functions[f.Name()] = newFunction(f)
		if root, _, dotted := strings.Cut(f.Name(), "."); dotted {
			b.roots[root] = true
		}
	}
	for _, v := range variables {
		if b.variables[v.Name()] != nil || strings.HasPrefix(v.Name(), ".") {
			return nil
		}
		b.variables[v.Name()] = newVariable(v)
	}
	b.states = &sync.Pool{New: func() any { return new(state) }}
	return b
}

// Checker checks expressions. It is read-only and safe for concurrent use.
type Checker struct {
	base     *Base
	provider types.Provider
	// typed tells whether a name with dots that begins with a part may be that of a type or a constant.
	typed     func(root string) bool
	variables []*variable
	// roots are the first parts of names of variables that have dots.
	roots []string
}

// New adds variables and types to a base. It returns nil if a name is declared twice: what that means
// is left to cel-go. Typed tells whether the provider may know a name with dots that begins with a part; nil
// means that it may know any.
func (b *Base) New(provider types.Provider, typed func(root string) bool, variables []*decls.VariableDecl) *Checker {
	c := &Checker{base: b, provider: provider, typed: typed}
	for _, d := range variables {
		if c.declared(d.Name()) != nil || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		c.variables = append(c.variables, newVariable(d))
		if root, _, dotted := strings.Cut(d.Name(), "."); dotted {
			c.roots = append(c.roots, root)
		}
	}
	for name := range b.variables {
		if root, _, dotted := strings.Cut(name, "."); dotted {
			c.roots = append(c.roots, root)
		}
	}
	return c
}

// declared is a variable that is declared for all expressions.
func (c *Checker) declared(name string) *variable {
	for _, v := range c.variables {
		if v.name == name {
			return v
		}
	}
	return c.base.variables[name]
}

// node is what is known of the node with an id.
type node struct {
	typ *types.Type
	ref *ast.ReferenceInfo
	// used tells whether the node, or an entry, is in the checked tree.
	used bool
}

// rewrite is a change of the tree: a node becomes a name or a call of a function with its full name.
type rewrite struct {
	node ast.Expr
	name string
	call bool
}

// state is what one check works with.
type state struct {
	*Checker
	// nodes are by id.
	nodes []node
	// locals are the variables of comprehensions, the innermost last.
	locals []variable
	// strict tells whether numbers of different types do not compare.
	strict   bool
	failed   bool
	rewrites []rewrite
	unifier
}

// Check returns the checked tree. If ok is false, nothing is known about the expression, and
// the tree has not changed.
func (c *Checker) Check(parsed *ast.AST) (checked *ast.AST, ok bool) {
	info := parsed.SourceInfo()
	if len(info.MacroCalls()) > 0 {
		return nil, false
	}
	s := c.base.states.Get().(*state)
	defer s.release()
	s.Checker, s.strict = c, !c.base.mixed
	if n := len(info.OffsetRanges()) + 1; n > cap(s.nodes) {
		s.nodes = make([]node, n)
	} else {
		s.nodes = s.nodes[:n]
	}
	s.check(parsed.Expr())
	if s.failed {
		return nil, false
	}
	for _, r := range s.rewrites {
		if r.call {
			r.node.SetKindCase(c.base.factory.NewCall(r.node.ID(), r.name, r.node.AsCall().Args()...))
		} else {
			r.node.SetKindCase(c.base.factory.NewIdent(r.node.ID(), r.name))
		}
	}
	for id := range info.OffsetRanges() {
		if id < 0 || id >= int64(len(s.nodes)) || !s.nodes[id].used {
			info.ClearOffsetRange(id)
		}
	}
	return s.tree(parsed), true
}

// tree is the tree with types and references.
func (s *state) tree(parsed *ast.AST) *ast.AST {
	typeMap, refMap := make(map[int64]*types.Type, len(s.nodes)), make(map[int64]*ast.ReferenceInfo, len(s.nodes)/2)
	for i, n := range s.nodes {
		if n.typ != nil {
			typeMap[int64(i)] = s.substitute(n.typ, true)
		}
		if n.ref != nil {
			refMap[int64(i)] = n.ref
		}
	}
	return ast.NewCheckedAST(parsed, typeMap, refMap)
}

// release makes the state ready for another check.
func (s *state) release() {
	pool := s.base.states
	clear(s.nodes)
	clear(s.locals[:cap(s.locals)])
	clear(s.rewrites[:cap(s.rewrites)])
	s.unifier.reset()
	*s = state{nodes: s.nodes[:0], locals: s.locals[:0], rewrites: s.rewrites[:0], unifier: s.unifier}
	pool.Put(s)
}

// fail gives up. What follows is not looked at any more.
func (s *state) fail() { s.failed = true }

// at is what is known of the node with an id.
func (s *state) at(id int64) *node {
	if id < 1 || id > maxID {
		s.fail()
		id = 0
	}
	for id >= int64(len(s.nodes)) {
		s.nodes = append(s.nodes, node{})
	}
	return &s.nodes[id]
}

// maxID is the greatest id that is looked at. Ids count the nodes.
const maxID = 1 << 20

// typeOf is the type of a node that is checked, in which variables may be bound.
func (s *state) typeOf(e ast.Expr) *types.Type {
	if t := s.at(e.ID()).typ; t != nil {
		return t
	}
	s.fail()
	return types.DynType
}

func (s *state) setType(e ast.Expr, t *types.Type) { s.at(e.ID()).typ = t }
