package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// This file has the fast way along a path: over unstructured data, without a CEL value
// for what lies on the way. What it does not know, it leaves to path.follow, which begins
// at the same object.

// plain prepares a path for walk, once all steps are there. A path of which a step asks
// accessors or computes its key of anything but a variable is left to follow.
func (p *path) prepare() { p.walkable = p.plain() }

func (p *path) plain() bool {
	for _, s := range p.steps {
		if s.field != nil || s.optional {
			return false
		}
		switch key := s.key.(type) {
		case types.String:
			s.name = string(key)
		case types.Int:
			s.index, s.indexed = int64(key), true
		default:
			v, ok := s.attr.(*variable)
			if !ok || v.global || !v.plain() {
				return false
			}
			s.byVar = v
		}
	}
	return true
}

// walk goes along the path. It counts the units of what it passes, each of one step. It
// charges nothing, and is false where only follow can tell.
func (p *path) walk(f *frame, at value) (end value, units uint64, ok bool) {
	for _, s := range p.steps {
		units++
		name, index := s.name, s.index
		byIndex := s.indexed
		if s.byVar != nil {
			key, more, ok := s.byVar.walk(f)
			units += more
			switch {
			case !ok:
				return value{}, 0, false
			case key.isString():
				name = key.text()
			case key.isInt():
				index, byIndex = key.num, true
			default:
				return value{}, 0, false
			}
		}
		switch at.kind() {
		case kindMap:
			if byIndex {
				return value{}, 0, false
			}
			below, found := s.in(f, at, name)
			if s.test {
				return boolOf(found), units, !below.failed()
			}
			if !found {
				return value{}, 0, false
			}
			at = below
		case kindList:
			list := at.list()
			if !byIndex || s.test || index < 0 || index >= int64(len(list)) {
				return value{}, 0, false
			}
			at = f.native(at.of.Items, list[index])
		default:
			list := at.values()
			if list == nil || !byIndex || s.test || index < 0 || index >= int64(len(list.elems)) {
				return value{}, 0, false
			}
			at = list.elems[index]
		}
		if at.failed() {
			return value{}, 0, false
		}
	}
	return at, units, true
}

// in is what an object or a map has under a key.
func (s *step) in(f *frame, at value, name string) (below value, found bool) {
	if at.of == typesystem.MapShape {
		data, found := at.object()[name]
		if !found {
			return value{}, false
		}
		return f.unbox(data), true
	}
	var data any
	var of *typesystem.Schema
	if at.of == s.owner {
		data, of = s.property.Of(at.object())
	} else {
		data, of = at.of.Select(at.object(), name)
	}
	if of == nil {
		return value{}, false
	}
	return f.native(of, data), true
}

// walk is a path from a variable.
func (v *variable) walk(f *frame) (end value, units uint64, ok bool) {
	start, ok := v.start(f)
	if !ok {
		return value{}, 0, false
	}
	return v.path.walk(f, start)
}

// start is the value of the variable, false if it has none.
func (v *variable) start(f *frame) (value, bool) {
	if v.local != nil {
		if val, ok := v.local.value(f); ok {
			return val, true
		}
	}
	in := &f.inputs[v.input]
	if in.unboxed {
		return in.value, true
	}
	if f.natives != nil {
		if data, of := f.natives.ResolveNative(v.name); of != nil {
			in.value, in.unboxed = f.native(of, data), true
			return in.value, true
		}
	}
	if !in.known {
		in.val, in.present = f.vars.ResolveName(v.name)
		in.known = true
	}
	if in.present {
		val := f.unbox(in.val)
		if val.isBoxed() {
			return val, true // a map finds a key that is a list by identity
		}
		in.value, in.unboxed = val, true
	}
	return in.value, in.present
}

// fast is resolve without a CEL value where none is needed.
func (v *variable) fast(f *frame) (value, error) {
	if !v.walkable || v.global {
		return f.unboxed(v.resolve(f))
	}
	start, ok := v.start(f)
	if !ok {
		return f.unboxed(v.resolve(f))
	}
	if len(v.steps) == 0 {
		if start.isBoxed() && start.values() == nil {
			obj, err := v.follow(f, start.data)
			return f.unboxed(obj, err)
		}
		return start, nil
	}
	if end, units, ok := v.path.walk(f, start); ok {
		if start.dynamic() {
			f.took(pathData)
		} else {
			f.took(pathSchema)
		}
		f.spend(units * common.SelectAndIdentCost)
		return end, nil
	}
	return f.unboxed(v.follow(f, f.raw(start)))
}

// raw is a value as follow takes it: data without a schema as it is.
func (f *frame) raw(v value) any {
	if v.dynamic() {
		return v.data
	}
	return f.box(v)
}

func (f *frame) unboxed(val any, err error) (value, error) {
	if err != nil {
		return value{}, err
	}
	return f.unbox(val), nil
}

func (d *derived) fast(f *frame) (value, error) {
	start := d.operand.fast(f)
	known := !start.isBoxed() || start.values() != nil
	if len(d.steps) == 0 && known {
		return start, nil
	}
	if d.walkable && known {
		if end, units, ok := d.path.walk(f, start); ok {
			f.spend(units * common.SelectAndIdentCost)
			return end, nil
		}
	}
	if val, ok := start.data.(*types.Unknown); ok {
		return boxedOf(val), nil
	}
	return f.unboxed(d.follow(f, f.raw(start)))
}

func (c *conditional) fast(f *frame) (value, error) {
	cond := c.condition.fast(f)
	switch {
	case cond.is(true):
		return c.yes.fast(f)
	case cond.is(false):
		return c.no.fast(f)
	}
	val := f.box(cond)
	if types.IsUnknown(val) {
		return boxedOf(val), nil
	}
	return value{}, types.MaybeNoSuchOverloadErr(val).(*types.Err)
}

func (n *attrNode) fast(f *frame) value {
	val, err := n.attr.fast(f)
	if err != nil {
		val = boxedOf(n.errorOf(err))
	} else if opt, ok := val.data.(*types.Optional); ok && n.test {
		val = boolOf(opt.HasValue())
	}
	switch {
	case n.test && n.choice != nil:
		f.refund(n.startID, common.SelectAndIdentCost)
	case !n.test && n.choice == nil:
		f.charge(n.startID, common.SelectAndIdentCost)
	}
	return val
}

// spend charges units of different nodes at once, each of which costs one.
func (f *frame) spend(units uint64) {
	f.cost += units
	if f.cost > f.limit {
		f.cost = f.limit + 1
		panic(cutShort{})
	}
}
