package pricing

import (
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/report"
)

// watched makes an operand note the sizes that its price asks for.
func (w *walk) watched(e ast.Expr, o operand) cost.Operand {
	if w.trace == nil {
		return o
	}
	return &watchedOperand{operand: o, trace: w.trace, at: w.trace.at, from: w.sourceOf(e)}
}

// number tells operands which ones they are.
func (w *walk) number(operands []cost.Operand) {
	for i, o := range operands {
		if o, ok := o.(*watchedOperand); ok {
			o.index = i
		}
	}
}

// watchedOperand notes each size that a price asks for, once.
type watchedOperand struct {
	operand
	trace *tracer
	at    *report.Node
	index int
	from  source
}

func (o *watchedOperand) note(size cost.Range, element bool, from source) {
	for _, known := range o.at.Operands {
		if known.Operand == o.index && known.Element == element {
			return
		}
	}
	o.at.Operands = append(o.at.Operands, o.trace.size(o.index, element, size, from))
}

// declaredSource is the source of a size that is not derived.
func (o operand) declaredSource() source {
	if declared(o.sizes, o.path) == nil {
		return source{kind: cost.SourceUnknown}
	}
	return source{cost.SourceDeclared, slices.Clone(o.path)}
}

func (o *watchedOperand) Size() cost.Range {
	size, from := o.operand.Size(), o.from
	if o.derived == nil {
		from = o.declaredSource()
	}
	o.note(size, false, from)
	return size
}

func (o *watchedOperand) Known() (cost.Range, bool) {
	size, ok := o.operand.Known()
	if ok {
		o.note(size, false, o.from)
	} else {
		o.note(cost.Unbounded(), false, source{kind: cost.SourceUnknown})
	}
	return size, ok
}

func (o *watchedOperand) standard() (cost.Range, bool) {
	size, ok := o.operand.standard()
	from := o.from
	switch {
	case !ok:
		o.note(cost.Unbounded(), false, source{kind: cost.SourceUnknown})
		return size, false
	case o.derived == nil && declared(o.sizes, o.path) != nil:
		from = o.declaredSource()
	}
	o.note(size, false, from)
	return size, true
}

func (o *watchedOperand) Elem() cost.Operand {
	elem, ok := o.operand.Elem().(operand)
	if !ok {
		return nil
	}
	return &watchedElement{operand: elem, of: o}
}

type watchedElement struct {
	operand
	of *watchedOperand
}

func (e *watchedElement) Size() cost.Range {
	size := e.operand.Size()
	e.of.note(size, true, e.declaredSource())
	return size
}
