package environment

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/stdlib"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// A feature is something that expressions use and that not every server has.
type feature struct {
	// name is what an author calls it.
	name string
	// since is the first server that accepts it on write by default, and never
	// if no server does.
	since release.Release
	// until is the last server that accepts it, zero if newer ones do too.
	until release.Release
}

// What no server accepts.
var (
	// never is of what is only documented.
	never = release.Release{}
	// patches is of what only mutating admission policies have.
	patches = release.Minor(-1)
)

// accepted tells whether a server accepts what it accepts since a release.
func accepted(since release.Release) bool { return since.After(never) }

// macroForm tells the forms of macros apart.
type macroForm struct {
	name   string
	args   int
	member bool
}

// features are all that the registry of libraries knows. Standard functions and
// what every server has are not among them.
type features struct {
	// overloads are by overload id, macros by form, types by name.
	overloads map[string]feature
	macros    map[macroForm]feature
	types     map[string]feature
	// macroNames are the names of the macros, typeRoots the first parts of those
	// of the types.
	macroNames, typeRoots map[string]bool
	// byName are the overloads by the name of the function.
	byName map[string][]overloadFeature
	// The first servers with these settings.
	numbers, optionals, keywords, backquotes release.Release
}

type overloadFeature struct {
	feature
	library.Overload
}

// registry derives the features from the libraries.
var registry = sync.OnceValue(func() *features {
	f := &features{
		overloads: map[string]feature{}, macros: map[macroForm]feature{}, types: map[string]feature{},
		macroNames: map[string]bool{}, typeRoots: map[string]bool{}, byName: map[string][]overloadFeature{},
	}
	for _, lib := range library.All() {
		f.add(lib)
	}
	for form := range f.macros {
		f.macroNames[form.name] = true
	}
	for name := range f.types {
		f.typeRoots[rootName(name)] = true
	}
	for _, id := range crossTypeComparisons() {
		f.overloads[id] = feature{name: "comparing numbers of different types", since: f.numbers}
	}
	return f
})

func (f *features) add(lib library.Library) {
	since, until := lib.Releases()
	switch lib.Trait() {
	case declare.Policies:
		since = patches
	case declare.Numbers:
		f.numbers = since
	case declare.Keywords:
		f.keywords = since
	case declare.Backquotes:
		f.backquotes = since
	case declare.Optionals:
		if f.optionals.IsZero() {
			f.optionals = since // the versions come in order
		}
		f.types[optionalType] = feature{name: "the type " + optionalType, since: f.optionals}
	}
	for _, t := range lib.Types {
		if t.Named {
			f.types[t.CEL.TypeName()] = feature{name: "the type " + t.CEL.TypeName(), since: since}
		}
	}
	for _, fn := range lib.Functions {
		for _, o := range fn.Overloads {
			f.addOverload(fn, o, since, until)
		}
	}
	for _, form := range macroForms(lib) {
		if known, ok := f.macros[form]; !ok || since.Before(known.since) {
			f.macros[form] = feature{name: macroName(form), since: since}
		}
	}
}

// addOverload keeps the oldest of several versions of a library. An overload is
// called by the name of its function if that is enough to know it by.
func (f *features) addOverload(fn library.Function, o library.Overload, since, until release.Release) {
	if o.DocumentedOnly {
		since = never
	}
	if known, ok := f.overloads[o.ID]; ok && !known.since.After(since) {
		known.until = until // the versions come in order
		f.overloads[o.ID] = known
		return
	}
	name := fn.Name
	_, standard := standardFunctions()[name]
	if standard || slices.ContainsFunc(f.byName[name], func(other overloadFeature) bool { return other.since != since }) {
		name = fn.Signature(o)
	}
	switch fn.Name {
	case operators.OptSelect:
		name = "optional selection (.?)"
	case operators.OptIndex:
		name = "optional indexing ([?])"
	case operators.Index:
		name = "indexing an optional"
	}
	entry := feature{name, since, until}
	f.overloads[o.ID] = entry
	f.byName[fn.Name] = append(f.byName[fn.Name], overloadFeature{entry, o})
}

var standardFunctions = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, fn := range stdlib.Functions() {
		names[fn.Name()] = true
	}
	return names
})

// macroForms are the macros that a library adds to the standard ones.
func macroForms(lib library.Library) []macroForm {
	if len(lib.Macros) == 0 {
		return nil
	}
	env, err := cel.NewCustomEnv(lib.EnvOption())
	if err != nil {
		return nil // a test would have told
	}
	var forms []macroForm
	for _, m := range env.Macros() {
		forms = append(forms, macroForm{m.Function(), m.ArgCount(), m.IsReceiverStyle()})
	}
	return forms
}

// macroName tells the comprehensions with two variables from those with one,
// which have the same names.
func macroName(form macroForm) string {
	for _, m := range cel.StandardMacros {
		if m.Function() == form.name {
			return form.name + " with two variables"
		}
	}
	return form.name
}

// crossTypeComparisons are the overloads that cel-go leaves out if numbers of
// different types do not compare.
func crossTypeComparisons() []string {
	return []string{
		overloads.LessDoubleInt64, overloads.LessDoubleUint64, overloads.LessEqualsDoubleInt64, overloads.LessEqualsDoubleUint64,
		overloads.GreaterDoubleInt64, overloads.GreaterDoubleUint64, overloads.GreaterEqualsDoubleInt64, overloads.GreaterEqualsDoubleUint64,
		overloads.LessInt64Double, overloads.LessInt64Uint64, overloads.LessEqualsInt64Double, overloads.LessEqualsInt64Uint64,
		overloads.GreaterInt64Double, overloads.GreaterInt64Uint64, overloads.GreaterEqualsInt64Double, overloads.GreaterEqualsInt64Uint64,
		overloads.LessUint64Double, overloads.LessUint64Int64, overloads.LessEqualsUint64Double, overloads.LessEqualsUint64Int64,
		overloads.GreaterUint64Double, overloads.GreaterUint64Int64, overloads.GreaterEqualsUint64Double, overloads.GreaterEqualsUint64Int64,
	}
}

// needs is the hint of a feature that a newer server has.
func needs(name string, since release.Release) string {
	switch {
	case since == never:
		return name + " is in no released API server"
	case since == patches:
		return "only mutating admission policies have " + name
	case since.After(release.Newest()):
		return fmt.Sprintf("%s came with Kubernetes %v; API servers accept it in new expressions from %v on", name, since.Previous(), since)
	}
	return fmt.Sprintf("%s needs Kubernetes %v", name, since)
}

// laterFunction is the hint for a call of a function that the environment lacks.
func (e *Env) laterFunction(call celast.CallExpr) string {
	name := call.FunctionName()
	if m, ok := registry().macros[macroForm{name, len(call.Args()), call.IsMemberFunction()}]; ok && m.since != release.Oldest() {
		return needs(m.name, m.since)
	}
	known := registry().byName[name]
	if call.IsMemberFunction() {
		if of, ok := qualified(call.Target()); ok {
			if functions := registry().byName[of+"."+name]; len(functions) > 0 {
				known, name = functions, of+"."+name
			}
		}
	}
	if len(known) == 0 {
		return ""
	}
	return needs(name, slices.MinFunc(known, bySince).since)
}

// laterName is the hint for an unknown name: it may be the first part of the
// name of a function or a type.
func (e *Env) laterName(ident celast.Expr, nodes map[int64]celast.Expr) string {
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		node := nodes[id]
		switch node.Kind() {
		case celast.CallKind:
			if call := node.AsCall(); call.IsMemberFunction() && root(call.Target()) == ident.ID() {
				name, _ := qualified(call.Target())
				name += "." + call.FunctionName()
				if known := registry().byName[name]; len(known) > 0 && e.cel.Functions()[name] == nil {
					return needs(name, slices.MinFunc(known, bySince).since)
				}
			}
		case celast.SelectKind, celast.IdentKind:
			if root(node) == ident.ID() {
				name, _ := qualified(node)
				if t, ok := registry().types[name]; ok {
					return needs(t.name, t.since)
				}
			}
		}
	}
	return ""
}

// root is the id of the identifier that a chain of selections begins with.
func root(e celast.Expr) int64 {
	for e.Kind() == celast.SelectKind {
		e = e.AsSelect().Operand()
	}
	return e.ID()
}

// qualified is the name that a chain of selections may stand for.
func qualified(e celast.Expr) (string, bool) {
	switch e.Kind() {
	case celast.IdentKind:
		return e.AsIdent(), true
	case celast.SelectKind:
		of, ok := qualified(e.AsSelect().Operand())
		return of + "." + e.AsSelect().FieldName(), ok
	}
	return "", false
}

// bySince sorts what no server accepts last.
func bySince(a, b overloadFeature) int {
	if accepted(a.since) != accepted(b.since) {
		return b.since.Compare(a.since)
	}
	return a.since.Compare(b.since)
}

// laterOverload is the hint for a call of a function that the environment has,
// with arguments that it may take in a newer one.
func (e *Env) laterOverload(call celast.CallExpr) string {
	name := call.FunctionName()
	if _, comparison := comparisons[name]; comparison && !e.numbers {
		return needs("comparing numbers of different types", registry().numbers)
	}
	count := len(call.Args())
	if call.IsMemberFunction() {
		count++
	}
	declared := map[string]bool{}
	for _, o := range e.cel.Functions()[name].OverloadDecls() {
		declared[o.ID()] = true
	}
	var missing []overloadFeature
	for _, o := range registry().byName[name] {
		if !declared[o.ID] && o.Member == call.IsMemberFunction() && len(o.Args) == count {
			missing = append(missing, o)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	first := slices.MinFunc(missing, bySince)
	return needs(library.Function{Name: name}.Signature(first.Overload), first.since)
}

var comparisons = map[string]struct{}{
	operators.Less: {}, operators.LessEquals: {}, operators.Greater: {}, operators.GreaterEquals: {},
}

// laterSyntax is the hint for an expression that only a newer parser takes.
func (e *Env) laterSyntax(expr string) string {
	if e.optionals && e.parser == nil {
		return ""
	}
	newest, err := Stored()
	if err != nil {
		return ""
	}
	parsed, issues := newest.cel.Parse(expr)
	switch {
	case issues.Err() != nil:
		return ""
	case len(backquoted(parsed.NativeRep(), []rune(expr))) > 0:
		return needs(backquotesName, registry().backquotes)
	}
	return needs("the syntax of optional types", registry().optionals)
}

const backquotesName = "a name in backquotes"

// optionalType is the name of the type of optionals.
var optionalType = types.NewOptionalType(types.DynType).TypeName()

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
