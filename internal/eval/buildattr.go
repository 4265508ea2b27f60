package eval

import (
	"fmt"
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/typesystem"
)

func (b *builder) attr(a attribute) *attrNode { return add(b, &attrNode{attr: a}) }

// planIdent plans what the checker resolved to a name: a constant, a type or a
// variable.
func (b *builder) planIdent(id int64) node {
	ref := b.checked.ReferenceMap()[id]
	if ref.Value != nil {
		return b.constant(id, ref.Value)
	}
	if b.checked.GetType(id).Kind() == types.TypeKind {
		val, found := b.prog.provider.FindIdent(ref.Name)
		if !found {
			panic(planFailed{fmt.Errorf("reference to undefined type: %s", ref.Name)})
		}
		return b.constant(id, val)
	}
	v := &variable{path: path{startID: id}}
	// A leading dot is how the checker marks a variable that a local one hides.
	if v.name, v.global = strings.CutPrefix(ref.Name, "."); !v.global {
		if v.local = b.lookup(v.name); v.local != nil {
			v.local.uses++
		}
	}
	v.input = b.input(v.name)
	return b.attr(v)
}

// input returns the index of a variable from outside the expression.
func (b *builder) input(name string) int {
	i := slices.Index(b.inputs, name)
	if i < 0 {
		i = len(b.inputs)
		b.inputs = append(b.inputs, name)
	}
	return i
}

func (b *builder) planSelect(expr celast.Expr) node {
	if _, ok := b.checked.ReferenceMap()[expr.ID()]; ok {
		return b.planIdent(expr.ID())
	}
	sel := expr.AsSelect()
	of := b.checked.GetType(sel.Operand().ID())
	s := &step{
		identity: identity{nodeID: expr.ID()},
		test:     sel.IsTestOnly(),
		key:      types.String(sel.FieldName()),
		field:    b.field(of, sel.FieldName()),
	}
	if schemas, ok := b.prog.provider.(*typesystem.Provider); ok && of.Kind() == types.StructKind {
		if s.owner = schemas.SchemaOf(of.TypeName()); s.owner != nil {
			s.property = s.owner.Find(sel.FieldName())
		}
	}
	return b.extend(b.plan(sel.Operand()), s)
}

// field returns the accessors of a field, or nil if its type has none.
func (b *builder) field(t *types.Type, name string) *types.FieldType {
	if t.Kind() != types.StructKind {
		return nil
	}
	field, found := b.prog.provider.FindStructFieldType(t.TypeName(), name)
	if !found || field.IsSet == nil || field.GetFrom == nil {
		return nil
	}
	return field
}

// extend adds a step to a path, or begins one with the value of the operand.
func (b *builder) extend(operand node, s *step) node {
	n, ok := operand.(*attrNode)
	if !ok {
		n = b.attr(b.branch(operand))
	}
	s.direct = !s.test && s.field == nil && s.attr == nil
	n.test = s.test
	n.attr.add(add(b, s))
	return n
}

func (b *builder) planIndex(id int64, args []node, optional bool) node {
	s := &step{identity: identity{nodeID: id}, optional: optional}
	if index, ok := args[1].(*constNode); ok {
		var err error
		if s.key, err = newKey(index.val); err != nil {
			panic(planFailed{err})
		}
	} else {
		_, found := args[1].(*attrNode)
		s.attr, s.popped = b.branch(args[1]), !found
	}
	return b.extend(args[0], s)
}

func (b *builder) planConditional(id int64, args []node) node {
	return b.attr(add(b, &conditional{nodeID: id, condition: args[0], yes: b.branch(args[1]), no: b.branch(args[2])}))
}

// branch returns the attribute of an expression, or begins one with its value. An
// attribute that is a part of another is not charged for itself.
func (b *builder) branch(n node) attribute {
	if a, ok := n.(*attrNode); ok {
		return a.attr
	}
	return &derived{path: path{startID: n.id()}, operand: n}
}
