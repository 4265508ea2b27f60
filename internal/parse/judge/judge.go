// Package judge compares syntax trees, node by node. Tests compare those of the parser and
// the checker here with those of cel-go.
package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Difference says what differs first between two trees: the nodes with their ids, the places of the
// ids, the calls of macros, the types and the references. It is empty if nothing does.
func Difference(a, b *ast.AST) string {
	for _, d := range []string{
		nodes(a.Expr(), b.Expr()), sources(a.SourceInfo(), b.SourceInfo()),
		difference("type", a.TypeMap(), b.TypeMap(), sameType), difference("reference", a.ReferenceMap(), b.ReferenceMap(), sameReference),
	} {
		if d != "" {
			return d
		}
	}
	return ""
}

func sources(a, b *ast.SourceInfo) string {
	if a.SyntaxVersion() != b.SyntaxVersion() || a.Description() != b.Description() || len(a.Extensions()) != len(b.Extensions()) {
		return fmt.Sprintf("source %v %v %v, not %v %v %v", a.SyntaxVersion(), a.Description(), a.Extensions(),
			b.SyntaxVersion(), b.Description(), b.Extensions())
	}
	if !slices.Equal(a.LineOffsets(), b.LineOffsets()) {
		return fmt.Sprintf("lines %v, not %v", a.LineOffsets(), b.LineOffsets())
	}
	if d := difference("place", a.OffsetRanges(), b.OffsetRanges(), func(a, b ast.OffsetRange) bool { return a == b }); d != "" {
		return d
	}
	// What the base is can only be seen through a computation.
	if a.ComputeOffset(1, 0) != b.ComputeOffset(1, 0) {
		return "base"
	}
	return difference("macro call", a.MacroCalls(), b.MacroCalls(), func(a, b ast.Expr) bool { return nodes(a, b) == "" })
}

// difference compares maps by id.
func difference[V any](what string, a, b map[int64]V, same func(a, b V) bool) string {
	for _, id := range slices.Sorted(maps.Keys(a)) {
		if other, ok := b[id]; !ok {
			return fmt.Sprintf("%s of %d: %v, where there is none", what, id, a[id])
		} else if !same(a[id], other) {
			return fmt.Sprintf("%s of %d: %v, not %v", what, id, a[id], other)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[id]; !ok {
			return fmt.Sprintf("%s of %d: none, not %v", what, id, b[id])
		}
	}
	return ""
}

func sameType(a, b *types.Type) bool {
	return a.IsExactType(b) && a.String() == b.String() && a.DeclaredTypeName() == b.DeclaredTypeName()
}

func sameReference(a, b *ast.ReferenceInfo) bool {
	return a.Name == b.Name && slices.Equal(a.OverloadIDs, b.OverloadIDs) && (a.Value == nil) == (b.Value == nil) &&
		(a.Value == nil || sameLiteral(a.Value, b.Value))
}

func sameLiteral(a, b ref.Val) bool {
	if d, ok := a.(types.Double); ok {
		other, ok := b.(types.Double)
		return ok && math.Float64bits(float64(d)) == math.Float64bits(float64(other))
	}
	return a.Type() == b.Type() && a.Equal(b) == types.True
}

// nodes compares two nodes and all below them.
func nodes(a, b ast.Expr) string {
	if a.ID() != b.ID() || a.Kind() != b.Kind() {
		return fmt.Sprintf("node %d of kind %d, not %d of kind %d", a.ID(), a.Kind(), b.ID(), b.Kind())
	}
	what, other := content(a), content(b)
	if what != other {
		return fmt.Sprintf("node %d: %s, not %s", a.ID(), what, other)
	}
	if a.Kind() == ast.LiteralKind && !sameLiteral(a.AsLiteral(), b.AsLiteral()) {
		return fmt.Sprintf("literal %d: %#v, not %#v", a.ID(), a.AsLiteral(), b.AsLiteral())
	}
	below, others := children(a), children(b)
	if len(below) != len(others) {
		return fmt.Sprintf("node %d has %d below it, not %d", a.ID(), len(below), len(others))
	}
	for i := range below {
		if d := nodes(below[i], others[i]); d != "" {
			return d
		}
	}
	return ""
}

// content is all that a node says beside what is below it.
func content(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		return fmt.Sprintf("%q %v", e.AsSelect().FieldName(), e.AsSelect().IsTestOnly())
	case ast.CallKind:
		return fmt.Sprintf("%q %v", e.AsCall().FunctionName(), e.AsCall().IsMemberFunction())
	case ast.ListKind:
		return fmt.Sprint(e.AsList().OptionalIndices())
	case ast.MapKind:
		return entries(e.AsMap().Entries())
	case ast.StructKind:
		return e.AsStruct().TypeName() + entries(e.AsStruct().Fields())
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return fmt.Sprintf("%q %q %q", c.IterVar(), c.IterVar2(), c.AccuVar())
	}
	return ""
}

func entries(list []ast.EntryExpr) (out string) {
	for _, e := range list {
		if e.Kind() == ast.MapEntryKind {
			out += fmt.Sprint(" ", e.ID(), e.AsMapEntry().IsOptional())
		} else {
			out += fmt.Sprintf(" %d %q %v", e.ID(), e.AsStructField().Name(), e.AsStructField().IsOptional())
		}
	}
	return out
}

// children are the nodes below a node.
func children(e ast.Expr) (list []ast.Expr) {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		if e.AsCall().IsMemberFunction() {
			list = append(list, e.AsCall().Target())
		}
		return append(list, e.AsCall().Args()...)
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			list = append(list, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			list = append(list, field.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}
	}
	return list
}
