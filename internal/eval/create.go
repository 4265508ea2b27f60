package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/internal/data"
)

// create is what the constructions of lists, maps and structs have in common.
type create struct {
	parent
	// optional tells which elements or entries are optional, nil if none is.
	optional []bool
}

// finish charges for a construction, also for one that failed.
func (c *create) finish(f *frame, units uint64, result ref.Val) ref.Val {
	if f.mode == modeTracked {
		base := len(f.args)
		f.take(c.slots)
		f.release(base)
		f.stack.push(c.slot, result)
	}
	f.charge(c.nodeID, units)
	return result
}

// operand evaluates the value of an element or entry, and tells whether it is present.
// If it is optional, only its value may be. The error names it by what.
func (c *create) operand(f *frame, i int, arg node, what func() string) (val ref.Val, present bool, err ref.Val) {
	val = f.operand(arg)
	if failed(val) {
		return nil, false, val
	}
	if c.optional == nil || !c.optional[i] {
		return val, true, nil
	}
	opt, ok := val.(*types.Optional)
	switch {
	case !ok:
		return nil, false, types.NewErrWithNodeID(c.nodeID, "cannot initialize optional %s from non-optional value %s", what(), textOf(val))
	case !opt.HasValue():
		return nil, false, nil
	}
	return opt.GetValue(), true, nil
}

// listNode makes a list.
type listNode struct{ create }

func (n *listNode) eval(f *frame) ref.Val {
	return n.finish(f, common.ListCreateBaseCost, n.make(f))
}

func (n *listNode) fast(f *frame) value { return f.unbox(n.eval(f)) }

func (n *listNode) make(f *frame) ref.Val {
	vals := make([]ref.Val, 0, len(n.args))
	for i, elem := range n.args {
		val, present, err := n.operand(f, i, elem, func() string { return "list element" })
		if err != nil {
			return err
		}
		if present {
			vals = append(vals, val)
		}
	}
	return types.NewRefValList(f.prog.adapter, vals)
}

// mapNode makes a map. Its operands are the keys and values in turn.
type mapNode struct{ create }

func (n *mapNode) eval(f *frame) ref.Val {
	return n.finish(f, common.MapCreateBaseCost, n.make(f))
}

func (n *mapNode) fast(f *frame) value { return f.unbox(n.eval(f)) }

func (n *mapNode) make(f *frame) ref.Val {
	entries := make(map[ref.Val]ref.Val, len(n.args)/2)
	for i := 0; i < len(n.args); i += 2 {
		key := f.operand(n.args[i])
		if failed(key) {
			return key
		}
		val, present, err := n.operand(f, i/2, n.args[i+1], func() string { return "entry '" + textOf(key) + "'" })
		if err != nil {
			return err
		}
		set(entries, key, val, present)
	}
	return types.NewRefValMap(f.prog.adapter, entries)
}

// structNode makes a value of a declared type.
type structNode struct {
	create
	typeName string
	fields   []string
}

func (n *structNode) eval(f *frame) ref.Val {
	return n.finish(f, common.StructCreateBaseCost, n.make(f))
}

func (n *structNode) fast(f *frame) value { return f.unbox(n.eval(f)) }

func (n *structNode) make(f *frame) ref.Val {
	fields := make(map[string]ref.Val, len(n.fields))
	for i, field := range n.fields {
		val, present, err := n.operand(f, i, n.args[i], func() string { return "entry '" + field + "'" })
		if err != nil {
			return err
		}
		if present {
			val = data.AsServer(val)
		}
		set(fields, field, val, present)
	}
	return label(n.nodeID, f.prog.provider.NewValue(n.typeName, fields))
}

// set sets an entry. One that is not present takes away an earlier one.
func set[K comparable](entries map[K]ref.Val, key K, val ref.Val, present bool) {
	if present {
		entries[key] = val
	} else {
		delete(entries, key)
	}
}
