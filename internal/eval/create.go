package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// create is what the constructions of lists, maps and structs have in common.
type create struct {
	nodeID int64
	slot   int32
	vals   []node
	slots  []int32
	// optional tells which values are optional, nil if none is.
	optional []bool
}

func (c *create) id() int64 { return c.nodeID }

func (c *create) link(l *linker) {
	c.slot = l.slot(c.nodeID)
	c.slots = l.slots(c.vals)
}

// finish charges for a construction, also for one that failed.
func (c *create) finish(f *frame, units uint64, result ref.Val) ref.Val {
	if f.mode == modeTracked {
		base := len(f.args)
		f.stack.take(f.adapter, c.slots, f.reserve(len(c.slots)))
		f.release(base)
		f.stack.push(c.slot, result)
	}
	f.charge(c.nodeID, units)
	return result
}

// unwrap returns the value of an optional entry, and whether it has one.
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

// listNode makes a list.
type listNode struct{ create }

func (n *listNode) eval(f *frame) ref.Val {
	vals := make([]ref.Val, 0, len(n.vals))
	for i, elem := range n.vals {
		val := elem.eval(f)
		if failed(val) {
			return n.finish(f, common.ListCreateBaseCost, val)
		}
		inner, present, ok := n.unwrap(i, val)
		if !ok {
			return n.finish(f, common.ListCreateBaseCost, types.NewErrWithNodeID(n.nodeID,
				"cannot initialize optional list element from non-optional value %v", val))
		}
		if present {
			vals = append(vals, inner)
		}
	}
	return n.finish(f, common.ListCreateBaseCost, types.NewRefValList(f.adapter, vals))
}

// mapNode makes a map. Its values are the keys and values in turn.
type mapNode struct{ create }

func (n *mapNode) eval(f *frame) ref.Val {
	entries := make(map[ref.Val]ref.Val, len(n.vals)/2)
	for i := 0; i < len(n.vals); i += 2 {
		key := n.vals[i].eval(f)
		if failed(key) {
			return n.finish(f, common.MapCreateBaseCost, key)
		}
		val := n.vals[i+1].eval(f)
		if failed(val) {
			return n.finish(f, common.MapCreateBaseCost, val)
		}
		inner, present, ok := n.unwrap(i/2, val)
		switch {
		case !ok:
			return n.finish(f, common.MapCreateBaseCost, n.notOptional(key, val))
		case present:
			entries[key] = inner
		default:
			delete(entries, key)
		}
	}
	return n.finish(f, common.MapCreateBaseCost, types.NewRefValMap(f.adapter, entries))
}

func (c *create) notOptional(key any, val ref.Val) ref.Val {
	return types.NewErrWithNodeID(c.nodeID, "cannot initialize optional entry '%v' from non-optional value %v", key, val)
}

// structNode makes a value of a declared type.
type structNode struct {
	create
	typeName string
	fields   []string
	provider types.Provider
}

func (n *structNode) eval(f *frame) ref.Val {
	fields := make(map[string]ref.Val, len(n.fields))
	for i, field := range n.fields {
		val := n.vals[i].eval(f)
		if failed(val) {
			return n.finish(f, common.StructCreateBaseCost, val)
		}
		inner, present, ok := n.unwrap(i, val)
		switch {
		case !ok:
			return n.finish(f, common.StructCreateBaseCost, n.notOptional(field, val))
		case present:
			fields[field] = inner
		default:
			delete(fields, field)
		}
	}
	val := label(n.nodeID, n.provider.NewValue(n.typeName, fields))
	return n.finish(f, common.StructCreateBaseCost, val)
}
