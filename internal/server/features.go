package server

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/stdlib"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// Feature is something that expressions use and that not every server has.
type Feature struct {
	// Name is what an author calls it.
	Name string
	// Since is the first server that accepts it on write by default. It is no
	// release if no server does.
	Since release.Release
	// Until is the last server that accepts it, zero if newer ones do too.
	Until release.Release
}

// What Since is if no server accepts a feature.
var (
	// documented is of what is only documented.
	documented = release.Release{}
	// patches is of what only mutating admission policies have.
	patches = release.Minor(-1)
)

// accepted tells whether a server accepts the feature.
func (f Feature) accepted() bool { return documented.Before(f.Since) }

// Everywhere tells whether all servers accept the feature.
func (f Feature) Everywhere() bool { return f.Since == release.Oldest() && f.Until.IsZero() }

// NoServer says why no server accepts the feature, empty if one does.
func (f Feature) NoServer() string {
	if f.accepted() {
		return ""
	}
	return f.Needs()
}

// Needs is the hint for who uses the feature where it is missing.
func (f Feature) Needs() string {
	switch {
	case f.Since == documented:
		return f.Name + " is in no released API server"
	case f.Since == patches:
		return "only mutating admission policies have " + f.Name
	case release.Newest().Before(f.Since):
		return fmt.Sprintf("%s came with Kubernetes %v; API servers accept it in new expressions from %v on", f.Name, f.Since.Add(-1), f.Since)
	}
	return fmt.Sprintf("%s needs Kubernetes %v", f.Name, f.Since)
}

// Older orders features by the server that accepts them first. What no server
// accepts comes last.
func (f Feature) Older(other Feature) int {
	if f.accepted() != other.accepted() {
		return other.Since.Compare(f.Since)
	}
	return f.Since.Compare(other.Since)
}

// Overload is an overload with the feature that it is.
type Overload struct {
	Feature
	library.Overload
}

// MacroForm tells the forms of macros apart.
type MacroForm struct {
	Name   string
	Args   int
	Member bool
}

// Features are all features that the libraries bring. Standard functions and
// what every server has are not among them.
type Features struct {
	// Overloads are by overload id, Macros by form, Types by name.
	Overloads map[string]Feature
	Macros    map[MacroForm]Feature
	Types     map[string]Feature
	// MacroNames are the names of the macros, TypeRoots the first parts of those
	// of the types.
	MacroNames, TypeRoots map[string]bool
	// Functions are the overloads by the name of the function.
	Functions map[string][]Overload
	// Settings of the language.
	Numbers, Optionals, Backquotes Feature

	keywords release.Release
}

// Keyword is the selection of a field by a reserved word.
func (f *Features) Keyword(word string) Feature {
	return Feature{Name: "the reserved word " + word + " as the name of a field", Since: f.keywords}
}

// All derives the features from the libraries, once.
var All = sync.OnceValue(func() *Features {
	f := &Features{
		Numbers:    Feature{Name: "comparing numbers of different types"},
		Optionals:  Feature{Name: "the syntax of optional types"},
		Backquotes: Feature{Name: "a name in backquotes"},
		Overloads:  map[string]Feature{}, Macros: map[MacroForm]Feature{}, Types: map[string]Feature{},
		MacroNames: map[string]bool{}, TypeRoots: map[string]bool{}, Functions: map[string][]Overload{},
	}
	for _, lib := range append(library.All(), library.Bindings()) {
		f.add(lib)
	}
	for form := range f.Macros {
		f.MacroNames[form.Name] = true
	}
	for name := range f.Types {
		f.TypeRoots[RootName(name)] = true
	}
	for _, id := range crossTypeComparisons() {
		f.Overloads[id] = f.Numbers
	}
	return f
})

func (f *Features) add(lib library.Library) {
	since, until := lib.Releases()
	switch lib.Trait() {
	case declare.Policies:
		since = patches
	case declare.Bindings:
		since = documented
	case declare.Numbers:
		f.Numbers.Since = since
	case declare.Keywords:
		f.keywords = since
	case declare.Backquotes:
		f.Backquotes.Since = since
	case declare.Optionals:
		if f.Optionals.Since.IsZero() {
			f.Optionals.Since = since // the versions come in order
		}
		f.Types[OptionalType] = Feature{Name: "the type " + OptionalType, Since: f.Optionals.Since}
	}
	for _, t := range lib.Types {
		if t.Named {
			f.Types[t.CEL.TypeName()] = Feature{Name: "the type " + t.CEL.TypeName(), Since: since}
		}
	}
	for _, fn := range lib.Functions {
		for _, o := range fn.Overloads {
			f.addOverload(fn, o, since, until)
		}
	}
	for _, form := range macroForms(lib) {
		if known, ok := f.Macros[form]; !ok || since.Before(known.Since) {
			f.Macros[form] = Feature{Name: macroName(lib, form), Since: since}
		}
	}
}

// addOverload keeps the oldest of several versions of a library. An overload is
// called by the name of its function if that is enough to know it by.
func (f *Features) addOverload(fn library.Function, o library.Overload, since, until release.Release) {
	if o.DocumentedOnly {
		since = documented
	}
	if known, ok := f.Overloads[o.ID]; ok && !since.Before(known.Since) {
		known.Until = until // the versions come in order
		f.Overloads[o.ID] = known
		return
	}
	name := fn.Name
	standard := slices.ContainsFunc(stdlib.Functions(), func(fn *decls.FunctionDecl) bool { return fn.Name() == name })
	if standard || slices.ContainsFunc(f.Functions[name], func(other Overload) bool { return other.Since != since }) {
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
	entry := Feature{name, since, until}
	f.Overloads[o.ID] = entry
	f.Functions[fn.Name] = append(f.Functions[fn.Name], Overload{entry, o})
}

// macroForms are the macros that a library adds to the standard ones.
func macroForms(lib library.Library) []MacroForm {
	if len(lib.Macros) == 0 {
		return nil
	}
	env, err := cel.NewCustomEnv(lib.EnvOption())
	if err != nil {
		return nil // a test would have told
	}
	var forms []MacroForm
	for _, m := range env.Macros() {
		forms = append(forms, MacroForm{m.Function(), m.ArgCount(), m.IsReceiverStyle()})
	}
	return forms
}

// macroName tells the comprehensions with two variables from those with one,
// which have the same names. A macro may have a namespace.
func macroName(lib library.Library, form MacroForm) string {
	for _, m := range lib.Macros {
		if strings.HasSuffix(m.Name, "."+form.Name) {
			return m.Name
		}
	}
	for _, m := range cel.StandardMacros {
		if m.Function() == form.Name {
			return form.Name + " with two variables"
		}
	}
	return form.Name
}

// crossTypeComparisons are the overloads that cel-go leaves out if numbers of
// different types do not compare.
func crossTypeComparisons() (ids []string) {
	for _, fn := range stdlib.Functions() {
		if !Comparisons[fn.Name()] {
			continue
		}
		for _, o := range fn.OverloadDecls() {
			if args := o.ArgTypes(); !args[0].IsExactType(args[1]) {
				ids = append(ids, o.ID())
			}
		}
	}
	return ids
}

// Comparisons are the operators that take numbers of different types where these
// compare.
var Comparisons = map[string]bool{
	operators.Less: true, operators.LessEquals: true, operators.Greater: true, operators.GreaterEquals: true,
}

// OptionalType is the name of the type of optionals.
var OptionalType = types.NewOptionalType(types.DynType).TypeName()

// RootName is the first part of a qualified name.
func RootName(name string) string {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "."), ".")
	return name
}
