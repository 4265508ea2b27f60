package pricing

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/cost"
)

// path leads to the data that a node reads, as Sizer describes it. It is nil if the
// node reads no data.
type path []string

// child extends a path. As in cel-go, two children of one path share its memory if
// there is room, so the later child overwrites the earlier one. In
// `self.all(x, x.a.all(y, x.b == y))` the size of x.b becomes the number of iterations
// of the inner loop. The growth by doubling is written out here, so that the numbers do
// not depend on the runtime of Go. A sound estimate keeps the paths apart.
func (w *walk) child(p path, segment string) path {
	if w.trace != nil && w.trace.sound {
		return append(slices.Clip(p), segment)
	}
	if len(p) == cap(p) {
		grown := make(path, len(p), max(1, 2*cap(p)))
		copy(grown, p)
		p = grown
	}
	return append(p, segment)
}

// entry is the size of what a list or map holds.
type entry struct {
	kind     types.Kind
	key, val cost.Range
}

func (e *entry) union(o *entry) *entry {
	if e == nil || o == nil {
		return nil
	}
	return &entry{kind: e.kind, key: e.key.Union(o.key), val: e.val.Union(o.val)}
}

// local is a variable that the expression itself introduces. Its size and entry
// are nil if nothing is known of them.
type local struct {
	path  path
	size  *cost.Range
	entry *entry
	// over is set by [rules.before33]: the variable is an element of it.
	over ast.Expr
}

// scopes holds the local variables by name, the innermost last.
type scopes map[string][]local

func (s scopes) push(name string, v local) { s[name] = append(s[name], v) }

func (s scopes) pop(name string) { s[name] = s[name][:len(s[name])-1] }

// top returns the variable that a name stands for, nil if it is not a local one.
func (s scopes) top(name string) *local {
	if n := len(s[name]); n > 0 {
		return &s[name][n-1]
	}
	return nil
}

// bind introduces a variable that stands for the value of a node.
func (w *walk) bind(name string, e ast.Expr) {
	if !w.rules.before33 {
		w.vars.push(name, local{path: w.path(e), size: w.size(e), entry: w.entry(e)})
	}
}

// unbind ends the scope of a variable.
func (w *walk) unbind(name string) {
	if !w.rules.before33 {
		w.vars.pop(name)
	}
}

// element gives an identifier the path of the elements of a list or of the keys
// of a map.
func (w *walk) element(e, over ast.Expr) {
	switch w.typeOf(over).Kind() {
	case types.ListKind:
		w.paths[e.ID()] = w.child(w.paths[over.ID()], PathItems)
	case types.MapKind:
		w.paths[e.ID()] = w.child(w.paths[over.ID()], PathKeys)
	}
}

// iterate introduces a variable that takes the keys or the values of a list or
// map.
func (w *walk) iterate(name string, over ast.Expr, keys bool) {
	segments := [2]string{PathValues, PathKeys}
	if w.containerKind(over) == types.ListKind {
		segments = [2]string{PathItems, PathIndices}
	}
	v := local{}
	held := w.entry(over)
	if keys {
		v.path = w.child(w.path(over), segments[1])
		if held != nil {
			v.size = &held.key
		}
	} else {
		v.path = w.child(w.path(over), segments[0])
		if held != nil {
			v.size = &held.val
		}
	}
	w.vars.push(name, v)
}

func (w *walk) containerKind(e ast.Expr) types.Kind {
	if ent := w.entry(e); ent != nil {
		return ent.kind
	}
	return w.typeOf(e).Kind()
}

func (w *walk) path(e ast.Expr) path {
	if e.Kind() == ast.IdentKind {
		if v := w.vars.top(e.AsIdent()); v != nil && v.over == nil {
			return v.path
		}
	}
	return w.paths[e.ID()]
}

func (w *walk) entry(e ast.Expr) *entry {
	if ent, ok := w.entries[e.ID()]; ok {
		return &ent
	}
	if e.Kind() == ast.IdentKind {
		if v := w.vars.top(e.AsIdent()); v != nil {
			return v.entry
		}
	}
	return nil
}

func (w *walk) setEntry(e ast.Expr, ent *entry) {
	if ent != nil && !w.rules.before33 {
		w.entries[e.ID()] = *ent
	}
}

func (w *walk) setSize(e ast.Expr, size *cost.Range) {
	if size != nil {
		if w.trace != nil {
			if known, ok := w.sizes[e.ID()]; !ok || known != *size {
				w.origin(e, source{kind: cost.SourceComputed})
			}
		}
		w.sizes[e.ID()] = *size
	}
}

func (w *walk) copySizes(to, from ast.Expr) {
	w.setSize(to, w.size(from))
	if w.trace != nil {
		w.origin(to, w.sourceOf(from))
	}
	w.setEntry(to, w.entry(from))
}

func (w *walk) sizeOrUnbounded(e ast.Expr) cost.Range {
	if size := w.size(e); size != nil {
		return *size
	}
	return cost.Unbounded()
}

// size derives the size of a node, nil if that is not possible. The first of these
// that is known counts: the remembered size, that of a literal, the declared one, that
// of the type, that of the variable.
func (w *walk) size(e ast.Expr) *cost.Range {
	if size := w.computedSize(e); size != nil {
		return size
	}
	if w.rules.before33 {
		if size := declared(w.sizer, w.data(e)); size != nil {
			return size
		}
		return lateSize(w.typeOf(e))
	}
	if size := declared(w.sizer, w.path(e)); size != nil {
		w.origin(e, w.trace.declared(w.path(e)))
		w.sizes[e.ID()] = *size
		return size
	}
	if isScalar(w.typeOf(e)) {
		return exactly(1)
	}
	if e.Kind() == ast.IdentKind {
		if v := w.vars.top(e.AsIdent()); v != nil {
			return v.size
		}
	}
	return nil
}

// computedSize is the size of a node that follows from the expression alone.
func (w *walk) computedSize(e ast.Expr) *cost.Range {
	if size, ok := w.sizes[e.ID()]; ok {
		return &size
	}
	if w.rules.before31 && e.Kind() == ast.StructKind {
		return exactly(0)
	}
	return literalSize(e)
}

// lateSize is the size that follows from the type where sizes are not remembered, see
// [rules.before33].
func lateSize(typ *types.Type) *cost.Range {
	if typ.Kind() != types.OpaqueKind && isScalar(typ) {
		return exactly(1)
	}
	return nil
}

// literalSize is the size of a literal, nil for anything else.
func literalSize(e ast.Expr) *cost.Range {
	switch e.Kind() {
	case ast.ListKind:
		return exactly(uint64(e.AsList().Size()))
	case ast.MapKind:
		return exactly(uint64(e.AsMap().Size()))
	case ast.LiteralKind:
		return exactly(cost.SizeOf(e.AsLiteral()))
	}
	return nil
}

func exactly(n uint64) *cost.Range {
	size := cost.Exactly(n)
	return &size
}

// isScalar tells whether all values of a type have the same size. Optional values
// are as large as what they hold.
func isScalar(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.DoubleKind, types.DurationKind, types.IntKind, types.TimestampKind, types.UintKind:
		return true
	case types.OpaqueKind:
		params := t.Parameters()
		return t.TypeName() == "optional_type" && len(params) == 1 && isScalar(params[0])
	}
	return false
}
