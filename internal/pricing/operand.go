package pricing

import (
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/report"
)

// The segments of a path for what a list or map holds.
const (
	// PathItems stands for the elements of a list.
	PathItems = "@items"
	// PathIndices stands for the indices of a list.
	PathIndices = "@indices"
	// PathKeys stands for the keys of a map.
	PathKeys = "@keys"
	// PathValues stands for the values of a map.
	PathValues = "@values"
)

// Sizer declares the sizes of the data that an expression works on.
type Sizer interface {
	// SizeOf returns the size of the data at a path, false if none is declared.
	//
	// A path is never empty. It begins with a variable, and goes on with names of
	// fields, PathItems, PathIndices, PathKeys and PathValues. A literal and the
	// result of a call have no path, so what is selected from them has a path without
	// a variable: the elements of a list literal are at {"@items"}. An API server
	// takes the first segment for the variable, whatever it is, and finds `self`
	// there.
	//
	// The path must be neither changed nor kept.
	SizeOf(path []string) (cost.Range, bool)
}

// declared is the size that a Sizer has for a path, nil if there is none.
func declared(sizes Sizer, path []string) *cost.Range {
	if sizes == nil || len(path) == 0 {
		return nil
	}
	if size, ok := sizes.SizeOf(path); ok {
		return &size
	}
	return nil
}

// operand implements cost.Operand.
type operand struct {
	path    []string
	typ     *types.Type
	literal ref.Val
	derived *cost.Range
	sizes   Sizer
	// late tells that the declared size was not looked up yet.
	late bool
	// watch is nil unless the estimate is traced.
	watch *watch
	// element is true for what Elem returns.
	element bool
}

func (o operand) Size() cost.Range {
	if o.derived != nil {
		return o.watch.note(o, *o.derived, "")
	}
	if size := declared(o.sizes, o.path); size != nil {
		return o.watch.note(o, *size, cost.SourceDeclared)
	}
	return o.watch.note(o, cost.Unbounded(), cost.SourceUnknown)
}

func (o operand) Known() (cost.Range, bool) {
	if o.derived != nil {
		return o.watch.note(o, *o.derived, ""), true
	}
	o.watch.note(o, cost.Unbounded(), cost.SourceUnknown)
	return cost.Range{}, false
}

func (o operand) Elem() cost.Operand {
	params := o.typ.Parameters()
	if len(params) == 0 {
		return nil
	}
	elem := operand{typ: params[0], sizes: o.sizes, element: true}
	if !o.element {
		elem.watch = o.watch
	}
	if o.path != nil {
		elem.path = append(append(make([]string, 0, len(o.path)+1), o.path...), PathItems)
	}
	return elem
}

func (o operand) Type() *types.Type { return o.typ }

func (o operand) Literal() ref.Val { return o.literal }

// watch notes the sizes of one operand that a price asks for.
type watch struct {
	trace *tracer
	at    *report.Node
	index int
	// from is where the derived size comes from.
	from source
}

// note notes the first size that a price asks for, and returns it. An empty kind means
// that the size is the derived one.
func (w *watch) note(o operand, size cost.Range, kind cost.Source) cost.Range {
	if w == nil || slices.ContainsFunc(w.at.Operands, func(s report.Size) bool { return s.Operand == w.index && s.Element == o.element }) {
		return size
	}
	from := w.from
	switch kind {
	case cost.SourceDeclared:
		from = w.trace.declared(o.path)
	case cost.SourceUnknown:
		from = source{kind: kind}
	}
	w.at.Operands = append(w.at.Operands, from.size(w.index, o.element, size))
	return size
}
