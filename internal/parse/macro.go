package parse

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// macroForm is what the calls of a macro look like.
type macroForm struct {
	name string
	// args is the number of arguments, anyArgs if it does not matter.
	args   int
	member bool
}

const anyArgs = -1

// formOf is the form of a macro. It fails if the name is none that calls have which are written as calls.
func formOf(m parser.Macro) (macroForm, bool) {
	form := macroForm{m.Function(), m.ArgCount(), m.IsReceiverStyle()}
	for i := range len(form.name) {
		if classes[form.name[i]]&(letter|digit) == 0 && form.name[i] != '.' {
			return form, false
		}
	}
	// The key of a macro, which decides, is the name, the number of arguments or a star, and the style.
	rest, ok := strings.CutPrefix(m.MacroKey(), form.name+":")
	count, member, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || member != strconv.FormatBool(form.member) {
		return form, false
	}
	if count == "*" {
		form.args = anyArgs
		return form, true
	}
	return form, count == strconv.Itoa(form.args)
}

// expand expands the call of a macro. It returns nil if the call is none.
func (s *state) expand(id int64, function string, operand ast.Expr, args []ast.Expr) ast.Expr {
	m := s.parser.macros[macroForm{function, len(args), operand != nil}]
	if m == nil {
		if m = s.parser.macros[macroForm{function, anyArgs, operand != nil}]; m == nil {
			return nil
		}
	}
	if s.failed {
		return nil
	}
	before := s.macro
	s.macro = place{s.places[id-1].start, s.places[id-1].start}
	e, err := m.Expander()(helper{s}, operand, args)
	s.macro = before
	if err != nil {
		return s.fail()
	}
	if e != nil {
		s.drop(id)
	}
	return e
}

// helper builds the nodes of macros, as that of cel-go's parser does. Each gets the
// place where the macro was called.
type helper struct{ s *state }

var _ parser.ExprHelper = helper{}

func (h helper) id() int64 { return h.s.id(h.s.macro) }

func (h helper) NewLiteral(value ref.Val) ast.Expr { return h.s.factory.NewLiteral(h.id(), value) }
func (h helper) NewList(elems ...ast.Expr) ast.Expr {
	return h.s.factory.NewList(h.id(), elems, noIndices)
}
func (h helper) NewMap(entries ...ast.EntryExpr) ast.Expr { return h.s.factory.NewMap(h.id(), entries) }
func (h helper) NewMapEntry(key, val ast.Expr, optional bool) ast.EntryExpr {
	return h.s.factory.NewMapEntry(h.id(), key, val, optional)
}
func (h helper) NewStruct(typeName string, fields ...ast.EntryExpr) ast.Expr {
	return h.s.factory.NewStruct(h.id(), typeName, fields)
}
func (h helper) NewStructField(field string, init ast.Expr, optional bool) ast.EntryExpr {
	return h.s.factory.NewStructField(h.id(), field, init, optional)
}
func (h helper) NewComprehension(iterRange ast.Expr, iterVar, accuVar string, accuInit, condition, step, result ast.Expr) ast.Expr {
	return h.s.factory.NewComprehension(h.id(), iterRange, iterVar, accuVar, accuInit, condition, step, result)
}
func (h helper) NewComprehensionTwoVar(
	iterRange ast.Expr, iterVar, iterVar2, accuVar string, accuInit, condition, step, result ast.Expr,
) ast.Expr {
	return h.s.factory.NewComprehensionTwoVar(h.id(), iterRange, iterVar, iterVar2, accuVar, accuInit, condition, step, result)
}
func (h helper) NewIdent(name string) ast.Expr { return h.s.factory.NewIdent(h.id(), name) }
func (h helper) NewAccuIdent() ast.Expr        { return h.s.factory.NewAccuIdent(h.id()) }
func (h helper) AccuIdentName() string         { return h.s.factory.AccuIdentName() }
func (h helper) NewCall(function string, args ...ast.Expr) ast.Expr {
	return h.s.factory.NewCall(h.id(), function, args...)
}
func (h helper) NewMemberCall(function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	return h.s.factory.NewMemberCall(h.id(), function, target, args...)
}
func (h helper) NewPresenceTest(operand ast.Expr, field string) ast.Expr {
	return h.s.factory.NewPresenceTest(h.id(), operand, field)
}
func (h helper) NewSelect(operand ast.Expr, field string) ast.Expr {
	return h.s.factory.NewSelect(h.id(), operand, field)
}

func (h helper) OffsetLocation(id int64) common.Location {
	if p := h.placeOf(id); p != nowhere {
		return location(lineOffsets(h.s.text), p.start)
	}
	return common.NoLocation
}

func (h helper) NewError(id int64, message string) *common.Error {
	return common.NewError(id, message, h.OffsetLocation(id))
}

func (h helper) placeOf(id int64) place {
	if id < 1 || id > int64(len(h.s.places)) {
		return nowhere
	}
	return h.s.places[id-1]
}

// Copy copies a node and all below it, with new ids.
func (h helper) Copy(e ast.Expr) ast.Expr {
	at := h.placeOf(e.ID())
	if at == nowhere {
		at = place{}
	}
	id, f := h.s.id(at), h.s.factory
	switch e.Kind() {
	case ast.LiteralKind:
		return f.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		return f.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		operand := h.Copy(e.AsSelect().Operand())
		if e.AsSelect().IsTestOnly() {
			return f.NewPresenceTest(id, operand, e.AsSelect().FieldName())
		}
		return f.NewSelect(id, operand, e.AsSelect().FieldName())
	case ast.CallKind:
		call := e.AsCall()
		args := h.copies(call.Args())
		if !call.IsMemberFunction() {
			return f.NewCall(id, call.FunctionName(), args...)
		}
		return f.NewMemberCall(id, call.FunctionName(), h.Copy(call.Target()), args...)
	case ast.ListKind:
		return f.NewList(id, h.copies(e.AsList().Elements()), e.AsList().OptionalIndices())
	case ast.MapKind:
		return f.NewMap(id, h.entries(e.AsMap().Entries()))
	case ast.StructKind:
		return f.NewStruct(id, e.AsStruct().TypeName(), h.entries(e.AsStruct().Fields()))
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		of, init, condition := h.Copy(c.IterRange()), h.Copy(c.AccuInit()), h.Copy(c.LoopCondition())
		step, result := h.Copy(c.LoopStep()), h.Copy(c.Result())
		return f.NewComprehensionTwoVar(id, of, c.IterVar(), c.IterVar2(), c.AccuVar(), init, condition, step, result)
	}
	return f.NewUnspecifiedExpr(id)
}

func (h helper) copies(nodes []ast.Expr) []ast.Expr {
	list := make([]ast.Expr, len(nodes))
	for i, e := range nodes {
		list[i] = h.Copy(e)
	}
	return list
}

func (h helper) entries(nodes []ast.EntryExpr) []ast.EntryExpr {
	list := make([]ast.EntryExpr, len(nodes))
	for i, e := range nodes {
		id := h.id()
		if e.Kind() == ast.MapEntryKind {
			entry := e.AsMapEntry()
			key := h.Copy(entry.Key())
			list[i] = h.s.factory.NewMapEntry(id, key, h.Copy(entry.Value()), entry.IsOptional())
			continue
		}
		field := e.AsStructField()
		list[i] = h.s.factory.NewStructField(id, field.Name(), h.Copy(field.Value()), field.IsOptional())
	}
	return list
}
