package check

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// check finds the type of a node and of all below it.
func (s *state) check(e ast.Expr) {
	if s.failed {
		return
	}
	n := s.at(e.ID())
	if n.used {
		// A macro has used the node, or its id, twice.
		s.fail()
		return
	}
	n.used = true
	switch e.Kind() {
	case ast.LiteralKind:
		s.literal(e)
	case ast.IdentKind:
		s.ident(e)
	case ast.SelectKind:
		s.selection(e)
	case ast.CallKind:
		s.call(e)
	case ast.ListKind:
		s.list(e)
	case ast.MapKind:
		s.mapping(e)
	case ast.ComprehensionKind:
		s.comprehension(e)
	default:
		s.fail()
	}
}

func (s *state) literal(e ast.Expr) {
	switch t := e.AsLiteral().Type(); t {
	case types.BoolType, types.BytesType, types.DoubleType, types.IntType, types.NullType, types.StringType, types.UintType:
		s.setType(e, t.(*types.Type))
	default:
		s.fail()
	}
}

// local is the variable of a comprehension, nil if none has the name.
func (s *state) local(name string) *variable {
	for i := len(s.locals) - 1; i >= 0; i-- {
		if s.locals[i].name == name {
			return &s.locals[i]
		}
	}
	return nil
}

// global is a declared variable, a type or a constant, nil if there is none of the name.
func (s *state) global(name string) *variable {
	if v := s.declared(name); v != nil {
		return v
	}
	found := func(t *types.Type, value ref.Val) *variable {
		return &variable{name, t, ast.NewIdentReference(name, value), ground(t)}
	}
	if v, ok := s.provider.FindIdent(name); ok {
		if t, ok := v.(*types.Type); ok {
			return found(types.NewTypeTypeWithParam(t), nil)
		}
	}
	if t, ok := s.provider.FindStructType(name); ok {
		return found(t, nil)
	}
	if value := s.provider.EnumValue(name); value.Type() != types.ErrType {
		return found(types.IntType, value)
	}
	return nil
}

func (s *state) ident(e ast.Expr) {
	name := e.AsIdent()
	plain := strings.TrimPrefix(name, ".")
	local := s.local(plain)
	if local != nil && plain == name {
		s.setType(e, local.typ)
		s.at(e.ID()).ref = ast.NewIdentReference(name, nil)
		return
	}
	s.refer(e, s.global(plain), local != nil)
}

// refer makes a node refer to a variable. Hidden tells whether a local one has its name.
func (s *state) refer(e ast.Expr, v *variable, hidden bool) {
	if v == nil || !v.ground {
		s.fail()
		return
	}
	name, ref := v.name, v.ref
	if hidden {
		name = "." + name
		ref = ast.NewIdentReference(name, ref.Value)
	}
	s.setType(e, v.typ)
	s.at(e.ID()).ref = ref
	if e.Kind() != ast.IdentKind || e.AsIdent() != name {
		s.rewrites = append(s.rewrites, rewrite{node: e, name: name})
	}
}

func (s *state) selection(e ast.Expr) {
	sel := e.AsSelect()
	if s.qualified(e) {
		return
	}
	t := s.field(sel.Operand(), sel.FieldName(), false)
	if sel.IsTestOnly() {
		t = types.BoolType
	}
	s.setType(e, s.substitute(t, false))
}

// qualified tells whether a selection is the name of a variable, a type or a
// constant.
func (s *state) qualified(e ast.Expr) bool {
	first := root(e)
	if first == "" {
		return false
	}
	plain := strings.TrimPrefix(first, ".")
	local := s.local(plain)
	if local != nil && plain == first || !s.mayBeQualified(plain) {
		return false
	}
	v := s.global(strings.TrimPrefix(qualifiedName(e), "."))
	if v == nil {
		return false
	}
	s.refer(e, v, local != nil)
	return true
}

// mayBeQualified tells whether there may be a name with dots that begins with a part.
func (s *state) mayBeQualified(root string) bool {
	if s.typed == nil || s.typed(root) {
		return true
	}
	for _, r := range s.roots {
		if r == root {
			return true
		}
	}
	return false
}

// root is the first part of what is written as a qualified name, empty if it is none.
func root(e ast.Expr) string {
	for e.Kind() == ast.SelectKind {
		sel := e.AsSelect()
		if sel.IsTestOnly() {
			return ""
		}
		e = sel.Operand()
	}
	return e.AsIdent()
}

// qualifiedName is what has a root.
func qualifiedName(e ast.Expr) string {
	if e.Kind() == ast.IdentKind {
		return e.AsIdent()
	}
	return qualifiedName(e.AsSelect().Operand()) + "." + e.AsSelect().FieldName()
}

// field is the type of a field of an operand.
func (s *state) field(operand ast.Expr, name string, optional bool) *types.Type {
	s.check(operand)
	if s.failed {
		return types.DynType
	}
	target, isOptional := unwrapOptional(s.substitute(s.typeOf(operand), false))
	t := types.DynType
	switch target.Kind() {
	case types.MapKind:
		t = target.Parameters()[1]
	case types.StructKind:
		field, ok := s.provider.FindStructFieldType(target.TypeName(), name)
		if _, known := s.provider.FindStructType(target.TypeName()); !ok || !known || !ground(field.Type) {
			s.fail()
			return t
		}
		t = field.Type
	case types.TypeParamKind:
		s.assignable(types.DynType, target)
	default:
		if !isDyn(target) {
			s.fail()
		}
	}
	if isOptional || optional {
		t = types.NewOptionalType(t)
	}
	return t
}

// optionalSelection is the reference of a.?b.
var optionalSelection = ast.NewFunctionReference("select_optional_field")

func (s *state) optionalSelection(e ast.Expr) {
	call := e.AsCall()
	if call.IsMemberFunction() || len(call.Args()) != 2 {
		s.fail()
		return
	}
	operand, field := call.Args()[0], call.Args()[1]
	name, ok := field.AsLiteral().(types.String)
	if !ok {
		s.fail()
		return
	}
	s.at(field.ID()).used = true // and without a type
	t := s.field(operand, string(name), true)
	s.setType(e, s.substitute(t, false))
	s.at(e.ID()).ref = optionalSelection
}

func (s *state) list(e ast.Expr) {
	var elem *types.Type
	optionals := e.AsList().OptionalIndices()
	for i, x := range e.AsList().Elements() {
		s.check(x)
		if s.failed {
			return
		}
		t := s.typeOf(x)
		if len(optionals) > 0 && int(optionals[0]) == i {
			optionals = optionals[1:] // they are in order
			t = s.unwrapElement(t)
		}
		elem = s.join(elem, t)
	}
	if len(optionals) > 0 {
		s.fail()
	}
	if elem == nil {
		elem = s.newVar()
	}
	s.setType(e, types.NewListType(elem))
}

// unwrapElement is the type of an optional element without the optional.
func (s *state) unwrapElement(t *types.Type) *types.Type {
	t, ok := unwrapOptional(t)
	if !ok && !isDyn(t) {
		s.fail()
	}
	return t
}

func (s *state) mapping(e ast.Expr) {
	var key, value *types.Type
	for _, x := range e.AsMap().Entries() {
		s.at(x.ID()).used = true
		entry := x.AsMapEntry()
		s.check(entry.Key())
		if s.failed {
			return
		}
		key = s.join(key, s.typeOf(entry.Key()))
		s.check(entry.Value())
		if s.failed {
			return
		}
		t := s.typeOf(entry.Value())
		if entry.IsOptional() {
			t = s.unwrapElement(t)
		}
		value = s.join(value, t)
	}
	if key == nil {
		key, value = s.newVar(), s.newVar()
	}
	s.setType(e, types.NewMapType(key, value))
}

// join is the type of elements of two types.
func (s *state) join(previous, t *types.Type) *types.Type {
	switch {
	case previous == nil:
		return t
	case s.assignable(previous, t):
		return mostGeneral(previous, t)
	}
	return types.DynType
}

func (s *state) comprehension(e ast.Expr) {
	c := e.AsComprehension()
	s.check(c.IterRange())
	s.check(c.AccuInit())
	odd := func(name string) bool { return strings.HasPrefix(name, ".") } // which no expression finds
	if s.failed || odd(c.AccuVar()) || odd(c.IterVar()) || odd(c.IterVar2()) || c.IterVar() == c.IterVar2() {
		s.fail()
		return
	}
	key, value := s.elements(s.substitute(s.typeOf(c.IterRange()), false), c.HasIterVar2())
	result := s.typeOf(c.AccuInit())
	// In cel-go the scope of a comprehension compares numbers of all types, and so does all that follows.
	s.strict = false
	outer := len(s.locals)
	s.locals = append(s.locals, variable{name: c.AccuVar(), typ: result})
	inner := len(s.locals)
	s.locals = append(s.locals, variable{name: c.IterVar(), typ: key})
	if c.HasIterVar2() {
		s.locals = append(s.locals, variable{name: c.IterVar2(), typ: value})
	}
	s.checkAs(c.LoopCondition(), types.BoolType)
	s.checkAs(c.LoopStep(), result)
	s.locals = s.locals[:inner]
	s.check(c.Result())
	s.locals = s.locals[:outer]
	if !s.failed {
		s.setType(e, s.substitute(s.typeOf(c.Result()), false))
	}
}

// checkAs checks a node that must have a type.
func (s *state) checkAs(e ast.Expr, t *types.Type) {
	s.check(e)
	if !s.failed && !s.assignable(t, s.typeOf(e)) {
		s.fail()
	}
}

// elements are the types of the variables that go over a range: the element, or the index or key and the
// element.
func (s *state) elements(over *types.Type, two bool) (first, second *types.Type) {
	switch over.Kind() {
	case types.ListKind:
		if two {
			return types.IntType, over.Parameters()[0]
		}
		return over.Parameters()[0], nil
	case types.MapKind:
		return over.Parameters()[0], over.Parameters()[1]
	case types.TypeParamKind:
		s.assignable(types.DynType, over)
	case types.DynKind:
	default:
		s.fail()
	}
	return types.DynType, types.DynType
}
