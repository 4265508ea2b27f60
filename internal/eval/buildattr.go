package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

func (b *builder) constant(id int64, val ref.Val) *constNode {
	n := &constNode{nodeID: id, val: val}
	b.linked = append(b.linked, n)
	return n
}

func (b *builder) attr(a attribute) *attrNode {
	n := &attrNode{attr: a}
	b.linked = append(b.linked, n)
	return n
}

// planIdent plans what the checker resolved to a name: a constant, a type or a
// variable.
func (b *builder) planIdent(id int64) (node, error) {
	ref, ok := b.refs[id]
	if !ok {
		return nil, fmt.Errorf("expression %d is not resolved", id)
	}
	if ref.Value != nil {
		return b.constant(id, ref.Value), nil
	}
	if b.types[id].Kind() == types.TypeKind {
		val, found := b.provider.FindIdent(ref.Name)
		if !found {
			return nil, fmt.Errorf("reference to undefined type: %s", ref.Name)
		}
		return b.constant(id, val), nil
	}
	v := &variable{path: path{startID: id}}
	// The checker marks the name of a variable that a local one hides by a dot.
	if v.name, v.global = strings.CutPrefix(ref.Name, "."); !v.global {
		v.local = b.lookup(v.name)
	}
	v.input = b.input(v.name)
	return b.attr(v), nil
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

func (b *builder) planSelect(expr celast.Expr) (node, error) {
	if _, ok := b.refs[expr.ID()]; ok {
		return b.planIdent(expr.ID())
	}
	sel := expr.AsSelect()
	operand, err := b.plan(sel.Operand())
	if err != nil {
		return nil, err
	}
	n := b.extensible(operand)
	if n.test {
		return nil, errPathIntoTest
	}
	id := qualID{nodeID: expr.ID()}
	key, err := newKey(sel.FieldName())
	if err != nil {
		return nil, err
	}
	field := b.field(b.types[sel.Operand().ID()], sel.FieldName())
	switch {
	case sel.IsTestOnly():
		n.test = true
		b.extend(n, &testQualifier{qualID: id, key: key, field: field})
	case field != nil:
		b.extend(n, &fieldQualifier{qualID: id, field: field})
	default:
		b.extend(n, &constQualifier{qualID: id, key: key})
	}
	return n, nil
}

var errPathIntoTest = errors.New("a presence test has no parts")

// field returns the accessors of a field, nil if its type has none.
func (b *builder) field(t *types.Type, name string) *types.FieldType {
	if t == nil || t.Kind() != types.StructKind {
		return nil
	}
	field, found := b.provider.FindStructFieldType(t.TypeName(), name)
	if !found || field.IsSet == nil || field.GetFrom == nil {
		return nil
	}
	return field
}

// extensible returns an attribute node to which steps can be added.
func (b *builder) extensible(operand node) *attrNode {
	if n, ok := operand.(*attrNode); ok {
		return n
	}
	return b.attr(&derived{path: path{startID: operand.id()}, operand: operand})
}

func (b *builder) extend(n *attrNode, q interface {
	qualifier
	linked
}) {
	n.attr.add(q)
	b.linked = append(b.linked, q)
}

func (b *builder) planIndex(id int64, args []node, optional bool) (node, error) {
	n := b.extensible(args[0])
	if n.test {
		return nil, errPathIntoTest
	}
	qual := qualID{nodeID: id, isOptional: optional}
	switch index := args[1].(type) {
	case *constNode:
		key, err := newKey(index.val)
		if err != nil {
			return nil, err
		}
		b.extend(n, &constQualifier{qualID: qual, key: key})
	case *attrNode:
		b.extend(n, &attrQualifier{qualID: qual, attr: index.attr})
	default:
		b.extend(n, &exprQualifier{qualID: qual, operand: index})
	}
	return n, nil
}

func (b *builder) planConditional(id int64, args []node) (node, error) {
	c := &conditional{
		nodeID:    id,
		condition: args[0],
		yes:       b.branch(args[1]),
		no:        b.branch(args[2]),
	}
	b.linked = append(b.linked, c)
	return b.attr(c), nil
}

// branch returns the attribute of a branch, which is not charged for itself.
func (b *builder) branch(n node) attribute {
	if a, ok := n.(*attrNode); ok {
		return a.attr
	}
	return &derived{path: path{startID: n.id()}, operand: n}
}
