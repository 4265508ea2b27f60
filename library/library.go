// Package library declares the CEL function libraries of Kubernetes.
//
// A function is declared once, as a value: its overloads, implementation, cost
// formula, documentation, examples and the version that introduced it. The cel-go
// options, the cost estimator and tracker, the documentation and the version
// gates are all derived from that declaration.
package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// Library is a set of functions and types that enters an environment as one.
type Library struct {
	// Name identifies the library; the same name is added to an environment once.
	Name string
	// Doc says what the library is for, in a sentence or more.
	Doc string
	// Since is the environment version that introduced the library.
	Since release.Release
	// Until is the environment version that replaced the library, zero if it
	// is still there.
	Until release.Release
	// FirstServer and LastServer are the first and the last release of the API
	// server that has the library, whatever the version of its environment; zero
	// stands for no such bound. They differ from Since and Until for what servers
	// got from cel-go without a version of its own.
	FirstServer, LastServer release.Release
	// Types are the CEL types that the library adds.
	Types []Type
	// Functions are the functions that the library adds or prices.
	Functions []Function
	// Macros are the macros that the library adds. Options declare them; only
	// their documentation stands here.
	Macros []Macro
	// Options are what cel-go itself supplies: the declarations of its own
	// extension libraries, and language settings.
	Options []cel.EnvOption
	// Patterns compile constant regular expressions when a program is planned,
	// so that a faulty one is an error then.
	Patterns []Pattern
}

// Pattern compiles the constant regular expressions of a function's calls.
type Pattern struct {
	// Function is the name of the function.
	Function string
	// OverloadID restricts it to an overload, unless it is empty.
	OverloadID string
	// Index is the index of the argument that is the regular expression; the
	// receiver of a member function is the first.
	Index int
	// Compile returns the implementation of a call by a regular expression. It
	// checks its arguments and does not keep the slice of them.
	Compile func(pattern string) (functions.FunctionOp, error)
}

// Type is a CEL type that a library adds.
type Type struct {
	// CEL is the type.
	CEL *cel.Type
	// Named is true if expressions can name the type, as in
	// `type(x) == net.IP`.
	Named bool
	// Doc describes the type.
	Doc string
	// EqualCost prices == of two values of the type. A zero model leaves it to
	// the price of == for all types.
	EqualCost cost.Model
	// EqualSince is the first release of the API server with the price of ==, zero
	// if there is none before it.
	EqualSince release.Release
}

// Function is a function by its name, with all overloads that a library adds.
type Function struct {
	// Name is the name in expressions; it may be qualified (`format.named`).
	Name string
	// Doc says what the function does.
	Doc string
	// Overloads are the signatures, in the order in which they are tried.
	Overloads []Overload
	// DynamicCost prices a call whose overload is only decided during
	// evaluation. A zero model means the cost of the first overload.
	DynamicCost cost.Model
}

// Overload is one signature of a function.
type Overload struct {
	// ID is the overload id of the API server.
	ID string
	// Member is true if the first argument is the receiver.
	Member bool
	// Args are the argument types, the receiver first.
	Args []*cel.Type
	// Result is the result type.
	Result *cel.Type
	// Impl is the implementation. A zero Impl means that Library.Options
	// declares the overload, and only its documentation and price stand here.
	Impl Impl
	// Released is the implementation of API servers, if Impl does more for the
	// sake of an overload that is Beyond.
	Released Impl
	// Cost prices the call, for estimate and evaluation alike.
	Cost cost.Model
	// Earlier are the prices on older releases, oldest first.
	Earlier []EarlierCost
	// Examples are evaluated by a test and travel with the documentation.
	Examples []Example
	// Beyond is true for what the documentation describes and no released API
	// server has. Server-exact environments leave it out.
	Beyond bool
}

// Macro is a form that the parser rewrites, as it does `list.map(x, f(x))`.
type Macro struct {
	// Name is the name in expressions.
	Name string
	// Doc says what the macro does.
	Doc string
	// Usage are the forms of a call, such as `<list>.map(x, <expr>) -> <list>`.
	Usage []string
	// Examples are evaluated by a test and travel with the documentation.
	Examples []Example
}

// Example is an expression and what comes of it.
type Example struct {
	// Expr is the expression.
	Expr string
	// Want is an expression that the result equals.
	Want string
	// Err is a part of the error that evaluation or compilation gives; set
	// instead of Want.
	Err string
}

func args(types ...*cel.Type) []*cel.Type { return types }
