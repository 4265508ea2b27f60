package compile

import (
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/check"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/internal/typesystem"
	"github.com/kubecel/kubecel/library"
)

// setChecker prepares the checker of our own for an environment to which something was added. What names
// mean in a container is left to cel-go, and so are the names of fields in JSON.
func (e *Env) setChecker(a Addition) {
	e.functions = sync.OnceValue(e.cel.Functions)
	e.calls = sync.OnceValue(func() map[string]functions.FunctionOp { return e.conversions() })
	e.fastBase = sync.OnceValue(func() *check.Base {
		if e.cel.Container.Name() != "" || len(e.cel.Container.AliasSet()) > 0 || e.settings.jsonNames {
			return nil
		}
		var declared []*decls.FunctionDecl
		for _, f := range e.functions() {
			if !f.IsDeclarationDisabled() {
				declared = append(declared, f)
			}
		}
		return check.NewBase(declared, e.cel.Variables(), e.settings.numbers)
	})
	if e.typeRoots == nil || len(a.Options) > 0 || slices.ContainsFunc(a.Libraries, foreignOptions) {
		e.typeRoots = nil
		return
	}
	e.typeRoots = maps.Clone(e.typeRoots)
	for _, lib := range a.Libraries {
		for _, t := range lib.Types {
			e.typeRoots[server.RootName(t.CEL.TypeName())] = true
		}
	}
}

// foreignOptions tells whether a library of a caller has options of cel-go, which may declare types.
func foreignOptions(lib library.Library) bool {
	return len(lib.Options) > 0 && !ownLibraries()[lib.Name]
}

// ownLibraries are those that are not of callers, by name.
var ownLibraries = sync.OnceValue(func() map[string]bool {
	own := map[string]bool{}
	for _, lib := range library.All() {
		own[lib.Name] = true
	}
	return own
})

// typed tells which names with dots may be those of types of a provider, by their first parts. It is
// nil if any may.
func (e *Env) typed(provider types.Provider) func(root string) bool {
	var places []string
	for {
		p, ok := provider.(*typesystem.Provider)
		if !ok {
			break
		}
		places = append(places, server.RootName(p.Name()))
		provider = p.Provider
	}
	if e.typeRoots == nil || provider != e.cel.CELTypeProvider() {
		return nil
	}
	return func(root string) bool {
		return e.typeRoots[root] || slices.Contains(places, root) || root == "list" || root == "map"
	}
}

// conversions are the functions whose literal arguments validators evaluate, by name.
func (e *Env) conversions() map[string]functions.FunctionOp {
	found := map[string]functions.FunctionOp{}
	for _, name := range []string{overloads.TypeConvertDuration, overloads.TypeConvertTimestamp} {
		if f := e.functions()[name]; f != nil {
			bindings, err := f.Bindings()
			for _, b := range bindings {
				// The binding that has the name of the function finds the overload by the argument.
				if err == nil && b.Operator == name {
					found[name] = b.Function
				}
			}
		}
	}
	return found
}

// converts tells whether a call of a conversion with a literal has a value. It has none if the function
// of a caller panics.
func (e *Env) converts(function string, literal ref.Val) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	convert := e.calls()[function]
	return convert != nil && !types.IsUnknownOrError(convert(literal))
}
