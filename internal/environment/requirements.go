package environment

import (
	"cmp"
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/release"
)

// Requirement is something in an expression that not every server accepts.
type Requirement struct {
	// Feature is what an author calls it.
	Feature string
	// Line and Column are its place, counted from 1, the column in code points.
	Line, Column int
	// Since is the first server that accepts it on write by default; never and
	// patches stand for none.
	Since release.Release
	// Until is the last server that accepts it, zero if newer ones do too.
	Until release.Release
}

// NoServer tells why no server accepts the feature, empty if one does.
func (r Requirement) NoServer() string {
	if accepted(r.Since) {
		return ""
	}
	return needs(r.Feature, r.Since)
}

// finder collects the requirements of one expression.
type finder struct {
	scope  *Scope
	source []rune
	ast    *celast.AST
	found  []Requirement
	// macros are the places of macros, which make calls in their own place.
	macros map[int32]bool
}

// requirements are what an expression needs that not every server has, in the
// order of the expression. The scope must know everything that any server knows.
func (s *Scope) requirements(expr string) []Requirement {
	source, parsed, err := s.parse(expr)
	if err != nil {
		return nil
	}
	checked, err := s.check(source, parsed)
	if err != nil {
		return nil
	}
	f := &finder{scope: s, source: []rune(source.Content()), ast: checked, macros: map[int32]bool{}}
	f.findMacros()
	celast.PostOrderVisit(checked.Expr(), celast.NewExprVisitor(f.node))
	for _, id := range backquoted(checked, f.source) {
		f.add(feature{name: backquotesName, since: registry().backquotes}, id, "")
	}
	f.findFormats()
	slices.SortFunc(f.found, func(a, b Requirement) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Feature, b.Feature))
	})
	return slices.Compact(f.found)
}

func (f *finder) add(feature feature, id int64, name string) {
	if feature.since == release.Oldest() && feature.until.IsZero() {
		return
	}
	line, column := f.place(f.offset(id), name)
	f.found = append(f.found, Requirement{Feature: feature.name, Line: line, Column: column, Since: feature.since, Until: feature.until})
}

func (f *finder) offset(id int64) int32 {
	if at, ok := f.ast.SourceInfo().GetOffsetRange(id); ok {
		return at.Start
	}
	return 0
}

// place is the line and column of a name. What is known of a call is where its
// parenthesis opens; the name stands before it.
func (f *finder) place(offset int32, name string) (line, column int) {
	at := min(max(int(offset), 0), len(f.source))
	before := strings.TrimRight(string(f.source[:at]), " \t\r\n")
	for _, written := range []string{name, name[strings.LastIndexByte(name, '.')+1:]} {
		if rest, ok := strings.CutSuffix(before, written); ok && written != "" && at < len(f.source) && f.source[at] == '(' {
			at = len([]rune(rest))
			break
		}
	}
	line, column = 1, 1
	for _, r := range f.source[:at] {
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

func (f *finder) findMacros() {
	for id, expanded := range f.ast.SourceInfo().MacroCalls() {
		call := expanded.AsCall()
		m, ok := registry().macros[macroForm{call.FunctionName(), len(call.Args()), call.IsMemberFunction()}]
		if ok && m.since != release.Oldest() {
			f.macros[f.offset(id)] = true
			f.add(m, id, call.FunctionName())
		}
	}
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
		f.keyword(e)
	case celast.IdentKind:
		if t, ok := registry().types[e.AsIdent()]; ok && f.ast.ReferenceMap()[e.ID()] != nil {
			f.add(t, e.ID(), "")
		}
	}
}

func optionalElements() feature {
	return feature{name: "optional elements (?)", since: registry().optionals}
}

// call needs the oldest of the overloads that it may be decided to be.
func (f *finder) call(e celast.Expr) {
	ref := f.ast.ReferenceMap()[e.ID()]
	if ref == nil || len(ref.OverloadIDs) == 0 || f.macros[f.offset(e.ID())] {
		return
	}
	var first *feature
	for _, id := range ref.OverloadIDs {
		known, ok := registry().overloads[id]
		if !ok {
			return // a standard function, or one of the caller
		}
		if first == nil || bySince(overloadFeature{feature: known}, overloadFeature{feature: *first}) < 0 {
			first = &known
		}
	}
	f.add(*first, e.ID(), e.AsCall().FunctionName())
}

// keyword finds fields that are selected by a reserved word.
func (f *finder) keyword(e celast.Expr) {
	sel := e.AsSelect()
	operand := f.ast.GetType(sel.Operand().ID())
	if operand.Kind() != types.StructKind || !escaping.IsReserved(sel.FieldName()) {
		return
	}
	f.add(feature{name: "the reserved word " + sel.FieldName() + " as the name of a field", since: registry().keywords}, e.ID(), "")
}

// backquoted are the selections of fields by names in backquotes.
func backquoted(parsed *celast.AST, source []rune) (ids []int64) {
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
