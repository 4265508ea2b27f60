package accept

import (
	"cmp"
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/release"
)

// Requirement is a feature in an expression that not every server accepts.
type Requirement struct {
	server.Feature
	// Position is its place.
	Position diag.Position
}

// finder collects the requirements of one expression.
type finder struct {
	source []rune
	ast    *celast.AST
	found  []Requirement
	// macros are the places of macros, which make calls in their own place.
	macros map[int32]bool
}

// requirements are what an expression needs that not every server has, in the
// order of the expression. It must be compiled with everything that any server
// knows.
func requirements(x *compile.Expression) []Requirement {
	f := &finder{source: []rune(x.Source), ast: x.Checked, macros: map[int32]bool{}}
	for id, expanded := range f.ast.SourceInfo().MacroCalls() {
		call := expanded.AsCall()
		m, ok := server.All().Macros[server.MacroForm{Name: call.FunctionName(), Args: len(call.Args()), Member: call.IsMemberFunction()}]
		if ok && !m.Everywhere() {
			f.macros[f.offset(id)] = true
			f.add(m, id, call.FunctionName())
		}
	}
	celast.PostOrderVisit(f.ast.Expr(), celast.NewExprVisitor(f.node))
	for _, id := range compile.Backquoted(f.ast, f.source) {
		f.add(server.All().Backquotes, id, "")
	}
	// What newer servers reject of other literals cannot be planned, so that no server
	// accepts it.
	for _, issue := range x.FormatIssues() {
		f.add(server.Feature{Name: issue.Message, Since: release.Oldest(), Until: server.FormatUnchecked}, issue.ExprID, "")
	}
	slices.SortFunc(f.found, func(a, b Requirement) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(f.found)
}

func (f *finder) add(feature server.Feature, id int64, name string) {
	if !feature.Everywhere() {
		f.found = append(f.found, Requirement{feature, f.position(id, name)})
	}
}

func (f *finder) offset(id int64) int32 {
	at, _ := f.ast.SourceInfo().GetOffsetRange(id)
	return at.Start
}

// position is the place of a name. What is known of a call is where its
// parenthesis opens; the name stands before it.
func (f *finder) position(id int64, name string) diag.Position {
	at := min(max(int(f.offset(id)), 0), len(f.source))
	before := strings.TrimRight(string(f.source[:at]), " \t\r\n")
	for _, written := range []string{name, name[strings.LastIndexByte(name, '.')+1:]} {
		if rest, ok := strings.CutSuffix(before, written); ok && written != "" && at < len(f.source) && f.source[at] == '(' {
			at = len([]rune(rest))
			break
		}
	}
	return diag.PositionAt(f.source, at)
}

func (f *finder) node(e celast.Expr) {
	switch e.Kind() {
	case celast.CallKind:
		f.call(e)
	case celast.ListKind:
		for _, i := range e.AsList().OptionalIndices() {
			f.add(optionalElements(), e.AsList().Elements()[i].ID(), "")
		}
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			if entry.AsMapEntry().IsOptional() {
				f.add(optionalElements(), entry.AsMapEntry().Key().ID(), "")
			}
		}
	case celast.SelectKind:
		sel := e.AsSelect()
		if f.ast.GetType(sel.Operand().ID()).Kind() == types.StructKind && escaping.IsReserved(sel.FieldName()) {
			f.add(server.All().Keyword(sel.FieldName()), e.ID(), "")
		}
	case celast.IdentKind:
		if t, ok := server.All().Types[e.AsIdent()]; ok && f.ast.ReferenceMap()[e.ID()] != nil {
			f.add(t, e.ID(), "")
		}
	}
}

func optionalElements() server.Feature {
	return server.Feature{Name: "optional elements (?)", Since: server.All().Optionals.Since}
}

// call needs the oldest of the overloads that it may be decided to be.
func (f *finder) call(e celast.Expr) {
	ref := f.ast.ReferenceMap()[e.ID()]
	if ref == nil || len(ref.OverloadIDs) == 0 || f.macros[f.offset(e.ID())] {
		return
	}
	var first *server.Feature
	for _, id := range ref.OverloadIDs {
		known, ok := server.All().Overloads[id]
		if !ok {
			return // a standard function, or one of the caller
		}
		if first == nil || known.Older(*first) < 0 {
			first = &known
		}
	}
	f.add(*first, e.ID(), e.AsCall().FunctionName())
}
