// Package library declares the CEL function libraries of Kubernetes.
//
// A function is declared once, as a value: its overloads, implementation, price,
// documentation, examples and the release that introduced it. Options for cel-go,
// estimates, runtime costs, documents and version gates are derived from it.
//
// Programs declare functions of their own in the same way, see the example of
// kubecel.Libraries.
package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/release"
)

// Library is a set of functions and types that enters an environment as one.
// A library is data. Do not change it once an environment has it.
type Library struct {
	// Name identifies the library. An environment has one library of a name.
	Name string
	// Doc says what the library is for, in a sentence or more.
	Doc string
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

	// since is the environment version that introduced the library, and until the
	// one that replaced it, zero if it is still there.
	since, until release.Release
	// firstServer and lastServer are the first and the last release of the API
	// server that has the library at all; zero stands for no bound. They are set for
	// what a server has from its release of cel-go, whatever the version of its
	// environment.
	firstServer, lastServer release.Release
	trait                   declare.Trait
	regexes                 []declare.Regex
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
	// EqualCost prices == of two values of the type. With a zero model, == costs
	// what it costs for all types.
	EqualCost cost.Model

	// equalSince is the first release of the API server with the price of ==, zero
	// if every release has it.
	equalSince release.Release
}

// Function is a function with all overloads that a library adds.
type Function struct {
	// Name is the name in expressions. It may be qualified: `format.named`.
	Name string
	// Doc says what the function does.
	Doc string
	// Overloads are the signatures, in the order in which they are tried.
	Overloads []Overload
	// DynamicCost prices a call whose overload is only known during evaluation.
	// With a zero model, it costs what the first overload costs.
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
	// Impl is the implementation. If it is zero, Library.Options declares the
	// overload, and only its documentation and price stand here.
	Impl Impl
	// Cost prices the call, for estimate and evaluation alike.
	Cost cost.Model
	// Examples are evaluated by a test and travel with the documentation.
	Examples []Example
	// DocumentedOnly is true for what the documentation of Kubernetes describes and
	// no released API server has. Server-exact environments leave it out.
	DocumentedOnly bool

	// released is the implementation of API servers, if Impl does more for the
	// sake of an overload that is only documented.
	released Impl
	// earlier are the prices on older releases, oldest first.
	earlier []earlierCost
}

// earlierCost is a price that a release of the API server has changed.
type earlierCost struct {
	// last is the last release with the price.
	last release.Release
	// cost is the price, as that of an Overload.
	cost cost.Model
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

// Example is an expression with its result or its error.
type Example struct {
	// Expr is the expression.
	Expr string
	// Want is an expression that the result equals.
	Want string
	// Err is a part of the error of evaluation or compilation. It is empty if Want
	// is set.
	Err string
}

func args(types ...*cel.Type) []*cel.Type { return types }

func function(name, doc string, overloads ...Overload) Function {
	return Function{Name: name, Doc: doc, Overloads: overloads}
}

// ofString declares a function with one overload that takes a string.
func ofString(name, doc, id string, result *cel.Type, price cost.Model, impl Impl, examples ...Example) Function {
	return function(name, doc, global(id, args(cel.StringType), result, price).by(impl, examples...))
}

// method declares a member function with one overload that costs a unit.
func method(name, doc, id string, arguments []*cel.Type, result *cel.Type, impl Impl, examples ...Example) Function {
	return function(name, doc, member(id, arguments, result, cost.Fixed(1)).by(impl, examples...))
}

// global declares an overload without a receiver. Unless [Overload.by] gives it an
// implementation, cel-go supplies the overload, and a zero price is that of cel-go.
func global(id string, arguments []*cel.Type, result *cel.Type, price cost.Model, examples ...Example) Overload {
	return Overload{ID: id, Args: arguments, Result: result, Cost: price, Examples: examples}
}

// member is [global] with a receiver.
func member(id string, arguments []*cel.Type, result *cel.Type, price cost.Model, examples ...Example) Overload {
	o := global(id, arguments, result, price, examples...)
	o.Member = true
	return o
}

// by returns the overload with an implementation.
func (o Overload) by(impl Impl, examples ...Example) Overload {
	o.Impl, o.Examples = impl, examples
	return o
}

// stringOf adds a conversion to the string function of the language.
func stringOf[T content[T]](id string, of *class[T], examples ...Example) Function {
	return function("string", "Converts a value to its text.", global(id, args(of.typ), cel.StringType, cost.Fixed(1)).by(
		reader(func(v T) types.String { return types.String(of.text(v)) }), examples...))
}

// until returns the overload with another price up to a release.
func (o Overload) until(last release.Release, price cost.Model) Overload {
	o.earlier = []earlierCost{{last, price}}
	return o
}

// documented returns the overload as one that is only documented.
func (o Overload) documented() Overload {
	o.DocumentedOnly = true
	return o
}

// equalSince is the first release that prices == of the types of Kubernetes. Older
// ones estimate them as values of any size, and charge the size that the value has.
func equalSince() release.Release { return release.Minor(32) }
