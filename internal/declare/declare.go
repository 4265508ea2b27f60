// Package declare holds the parts of a declaration that only libraries of this
// module have.
package declare

import "github.com/google/cel-go/common/functions"

// A Trait is what sets a library apart for those who build environments.
type Trait int

const (
	// Ordinary libraries have only what their declaration shows.
	Ordinary Trait = iota
	// Numbers lets numbers of different types compare.
	Numbers
	// Optionals brings the type of optionals and their syntax.
	Optionals
	// Literals checks literals when an expression is compiled.
	Literals
	// Formats checks calls of format when an expression is compiled.
	Formats
	// Backquotes lets names stand in backquotes.
	Backquotes
	// Keywords lets fields be selected by the reserved words of CEL.
	Keywords
	// Policies marks what only mutating admission policies have.
	Policies
	// Bindings marks what no API server has, and no documentation of Kubernetes.
	Bindings
)

// Regex compiles the constant regular expressions of a function's calls when a
// program is planned, so that a faulty one is an error then.
type Regex struct {
	// Function is the name of the function.
	Function string
	// Index is the index of the argument that is the regular expression. The
	// receiver of a member function is the first argument.
	Index int
	// Compile returns the implementation of a call by a regular expression. The
	// implementation checks its arguments and does not keep the slice of them.
	Compile func(pattern string) (functions.FunctionOp, error)
}
