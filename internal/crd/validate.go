package crd

import (
	"context"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/eval"
)

// Options say how to validate an object. The zero value is what an API server does.
type Options struct {
	// Path is the path of the object itself, nil for the root.
	Path *field.Path
	// Budget is what all rules may spend, nil for cost.Budget.
	Budget *Budget
	// CallLimit is what one evaluation may cost, in cost units, nil for cost.PerCallLimit.
	CallLimit *uint64
	// Spent, if set, is told of every evaluation.
	Spent func(Spending)
	// Data says how to take the objects.
	Data DataOptions
	// NoRatcheting makes violations count that were in the old object too.
	NoRatcheting bool
}

// Validate validates an object by the rules, and against its old version by the
// rules on transitions. Old is nil if the object is new. The objects are
// unstructured: map[string]any, []any, string, bool, int64, float64 and nil.
//
// The error is that of the context, if that ended before all rules were looked
// at. The result then holds what was found up to there.
func (v *Validator) Validate(ctx context.Context, object, old any, options Options) (Result, error) {
	w := &walk{ctx: ctx, path: options.Path, budget: options.Budget, limit: cost.PerCallLimit, spent: options.Spent}
	if w.budget == nil {
		w.budget = NewBudget(cost.Budget)
	}
	if options.CallLimit != nil {
		w.limit = *options.CallLimit
	}
	spent := w.budget.Spent()
	if v.root != nil {
		var r ratchet
		if old != nil && !options.NoRatcheting {
			r.current = &pair{value: object, old: old, schema: v.root.schema}
		}
		w.visit(v.root, nil, object, old, r)
		w.runner.Close()
	}
	w.result.Spent = w.budget.Spent() - spent
	w.result.Exhausted = w.budget.Exhausted()
	return w.result, w.err
}

// step is one step of a path in an object. Steps are on the stack: a path is
// only made of them for a violation.
type step struct {
	up    *step
	kind  stepKind
	name  string
	index int
}

type stepKind uint8

const (
	fieldStep stepKind = iota
	keyStep
	indexStep
)

// walk is one validation. It resolves the variables of the rules.
type walk struct {
	ctx    context.Context
	path   *field.Path
	budget *Budget
	limit  uint64
	runner eval.Runner
	// places are those of the rules that were violated, and spotText is room for the
	// place of the next violation.
	places   map[*Rule]string
	spotText []byte
	spent    func(Spending)
	result   Result
	err      error
	// keys is a stack of the keys of the maps on the way.
	keys []string

	// node, object and old are what the current rules are about.
	node        *node
	object, old any
	// self and oldSelf are object and old as CEL values, once they were needed.
	self, oldSelf ref.Val
	// optional makes oldSelf an optional.
	optional bool
}

// at makes the path of a step.
func (w *walk) at(s *step) *field.Path {
	if s == nil {
		return w.path
	}
	up := w.at(s.up)
	switch s.kind {
	case keyStep:
		return up.Key(strings.Clone(s.name)) // a step that shares its name would not stay on the stack
	case indexStep:
		return up.Index(s.index)
	}
	return up.Child(strings.Clone(s.name))
}

// visit validates a value by a node and all below it. It is false if validation ends.
func (w *walk) visit(n *node, at *step, object, old any, r ratchet) bool {
	if n == nil || object == nil {
		return true // only the rules above can be about null
	}
	if (len(n.rules) > 0 || n.err != nil) && !w.rules(n, at, object, old, r) {
		return false
	}
	for _, a := range n.allOf {
		// As in an API server, only a value above makes violations here old ones.
		if !w.visit(a, at, object, old, ratchet{nearest: r.nearest}) {
			return false
		}
	}
	switch object := object.(type) {
	case []any:
		if n.items == nil {
			return true
		}
		old, _ := old.([]any)
		var index elementIndex
		for i, value := range object {
			if !w.element(n, step{up: at, kind: indexStep, index: i}, value, old, &index, r) {
				return false
			}
		}
	case map[string]any:
		old, _ := old.(map[string]any)
		return w.fields(n, at, object, old, r)
	}
	return true
}

// element validates an element of the list of a node. It is a method of its
// own, as field is, so that the step and the pair stay on the stack.
func (w *walk) element(n *node, at step, value any, olds []any, index *elementIndex, r ratchet) bool {
	var child pair
	below := r.element(value, &child)
	var old any
	switch {
	case len(olds) == 0:
	case r.current != nil && r.current.schema == n.schema:
		old = child.old // the ratchet has found it in the same list
	default:
		old = index.find(n.schema, olds, value)
	}
	return w.visit(n.items, &at, value, old, below)
}

// fields validates the values of a map, and then the fields of an object.
func (w *walk) fields(n *node, at *step, object, old map[string]any, r ratchet) bool {
	if n.uncorrelated {
		old = nil
	}
	if n.additional != nil {
		from := len(w.keys)
		for key := range object {
			w.keys = append(w.keys, key)
		}
		to := len(w.keys)
		slices.Sort(w.keys[from:])
		for i := from; i < to; i++ {
			key := w.keys[i]
			if !w.field(n.additional, step{up: at, kind: keyStep, name: key}, object[key], old[key], r) {
				return false
			}
		}
		clear(w.keys[from:])
		w.keys = w.keys[:from]
	}
	for _, p := range n.properties {
		if value, ok := object[p.name]; ok && !w.field(p.node, step{up: at, name: p.name}, value, old[p.name], r) {
			return false
		}
	}
	return true
}

// field validates a field of an object or a value of a map.
func (w *walk) field(n *node, at step, value, old any, r ratchet) bool {
	var child pair
	return w.visit(n, &at, value, old, r.key(at.name, &child))
}
