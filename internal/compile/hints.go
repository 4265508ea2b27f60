package compile

import (
	"maps"
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"

	"github.com/kubecel/kubecel/internal/declare"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// laterFunction is the hint for a call of a function that the environment lacks.
func (e *Env) laterFunction(call celast.CallExpr) string {
	name := call.FunctionName()
	if m, ok := server.All().Macros[server.MacroForm{Name: name, Args: len(call.Args()), Member: call.IsMemberFunction()}]; ok && !m.Everywhere() {
		return m.Needs()
	}
	known := server.All().Functions[name]
	if call.IsMemberFunction() {
		if of, ok := containers.ToQualifiedName(call.Target()); ok {
			if functions := server.All().Functions[of+"."+name]; len(functions) > 0 {
				known, name = functions, of+"."+name
			}
		}
	}
	if len(known) == 0 {
		return ""
	}
	return oldest(known, name).Needs()
}

// laterName is the hint for an unknown name: it may be the first part of the
// name of a function or a type.
func (e *Env) laterName(ident celast.Expr, nodes map[int64]celast.Expr) string {
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		node, function := nodes[id], ""
		if node.Kind() == celast.CallKind && node.AsCall().IsMemberFunction() {
			node, function = node.AsCall().Target(), "."+node.AsCall().FunctionName()
		}
		if root(node) != ident.ID() {
			continue
		}
		name, _ := containers.ToQualifiedName(node)
		if t, ok := server.All().Types[name]; ok && function == "" {
			return t.Needs()
		}
		name += function
		if known := server.All().Functions[name]; len(known) > 0 && function != "" && e.functions()[name] == nil {
			return oldest(known, name).Needs()
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

// laterOverload is the hint for a call of a function that the environment has,
// with arguments that it may take in a newer one.
func (e *Env) laterOverload(call celast.CallExpr) string {
	name := call.FunctionName()
	if server.Comparisons[name] && !e.traits[declare.Numbers] {
		return server.All().Numbers.Needs()
	}
	count := len(call.Args())
	if call.IsMemberFunction() {
		count++
	}
	declared := map[string]bool{}
	for _, o := range e.functions()[name].OverloadDecls() {
		declared[o.ID()] = true
	}
	var missing []server.Overload
	for _, o := range server.All().Functions[name] {
		if !declared[o.ID] && o.Member == call.IsMemberFunction() && len(o.Args) == count {
			missing = append(missing, o)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	first := slices.MinFunc(missing, older)
	return server.Feature{Name: library.Function{Name: name}.Signature(first.Overload), Since: first.Since}.Needs()
}

// laterSyntax is the hint for an expression that only a newer parser takes.
func (e *Env) laterSyntax(expr string) string {
	if e.traits[declare.Optionals] && e.parser == nil {
		return ""
	}
	newest, err := ForServer(server.StoredIn(release.Newest()))
	if err != nil {
		return ""
	}
	parsed := newest.parseFast(expr)
	switch {
	case parsed == nil:
		return ""
	case len(Backquoted(parsed, []rune(expr))) > 0:
		return server.All().Backquotes.Needs()
	}
	return server.All().Optionals.Needs()
}

func older(a, b server.Overload) int { return a.Older(b.Feature) }

// oldest is the oldest of several overloads, by the name of their function.
func oldest(overloads []server.Overload, name string) server.Feature {
	f := slices.MinFunc(overloads, older).Feature
	f.Name = name
	return f
}

// Backquoted are the selections of fields by names in backquotes.
func Backquoted(parsed *celast.AST, source []rune) (ids []int64) {
	celast.PostOrderVisit(parsed.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		at, ok := parsed.SourceInfo().GetOffsetRange(e.ID())
		if e.Kind() != celast.SelectKind || !ok || int(at.Start) >= len(source) {
			return
		}
		rest := strings.TrimLeft(strings.TrimPrefix(string(source[at.Start:]), "."), "? \t\r\n")
		if strings.HasPrefix(rest, "`") {
			ids = append(ids, e.ID())
		}
	}))
	return ids
}
