package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
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

// unwrap returns the value of an entry, and whether it is present. If it is
// optional, ok tells whether its value is.
func (c *create) unwrap(i int, val ref.Val) (inner ref.Val, present, ok bool) {
	if c.optional == nil || !c.optional[i] {
		return val, true, true
	}
	opt, ok := val.(*types.Optional)
	if !ok || !opt.HasValue() {
		return nil, false, ok
	}
	return opt.GetValue(), true, true
}

func (c *create) notOptional(key string, val ref.Val) ref.Val {
	return types.NewErrWithNodeID(c.nodeID, "cannot initialize optional entry '%s' from non-optional value %s", key, textOf(val))
}

// listNode makes a list.
type listNode struct{ create }

func (n *listNode) eval(f *frame) ref.Val {
	return n.finish(f, common.ListCreateBaseCost, n.make(f))
}

func (n *listNode) make(f *frame) ref.Val {
	vals := make([]ref.Val, 0, len(n.args))
	for i, elem := range n.args {
		val := elem.eval(f)
		if failed(val) {
			return val
		}
		inner, present, ok := n.unwrap(i, val)
		if !ok {
			return types.NewErrWithNodeID(n.nodeID, "cannot initialize optional list element from non-optional value %s", textOf(val))
		}
		if present {
			vals = append(vals, inner)
		}
	}
	return types.NewRefValList(f.prog.adapter, vals)
}

// mapNode makes a map. Its operands are the keys and values in turn.
type mapNode struct{ create }

func (n *mapNode) eval(f *frame) ref.Val {
	return n.finish(f, common.MapCreateBaseCost, n.make(f))
}

func (n *mapNode) make(f *frame) ref.Val {
	entries := make(map[ref.Val]ref.Val, len(n.args)/2)
	for i := 0; i < len(n.args); i += 2 {
		key := n.args[i].eval(f)
		if failed(key) {
			return key
		}
		val := n.args[i+1].eval(f)
		if failed(val) {
			return val
		}
		inner, present, ok := n.unwrap(i/2, val)
		switch {
		case !ok:
			return n.notOptional(textOf(key), val)
		case present:
			entries[key] = inner
		default:
			delete(entries, key)
		}
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

func (n *structNode) make(f *frame) ref.Val {
	fields := make(map[string]ref.Val, len(n.fields))
	for i, field := range n.fields {
		val := n.args[i].eval(f)
		if failed(val) {
			return val
		}
		inner, present, ok := n.unwrap(i, val)
		switch {
		case !ok:
			return n.notOptional(field, val)
		case present:
			fields[field] = inner
		default:
			delete(fields, field)
		}
	}
	return label(n.nodeID, f.prog.provider.NewValue(n.typeName, fields))
}
