package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// step is one step of a path: it selects a field, an entry or an element.
type step struct {
	identity
	// optional is true if what is absent makes the whole path absent.
	optional bool
	// test is true for the last step of has().
	test bool
	// key selects, unless one of the others does.
	key ref.Val
	// field has the accessors of a field.
	field *types.FieldType
	// attr computes the key, and is not charged for itself.
	attr attribute
	// popped is true if the tracker of cel-go takes the last value of a computed key
	// for an attribute, and drops it.
	popped bool
	// direct is true if nothing but the key is needed.
	direct bool

	// name or index is the key where it is a constant, and byVar the path to it where it
	// is a variable. Owner is the type of the object, if it has a schema, and property
	// what the key selects there.
	name     string
	index    int64
	indexed  bool
	byVar    *variable
	owner    *typesystem.Schema
	property *typesystem.Property
}

// qualify returns the part of an object, and fails if there is none. In has() it
// returns whether there is one. On an optional path it tells whether there is a part;
// what is absent costs nothing.
func (s *step) qualify(f *frame, obj any, optional bool) (val any, present bool, err error) {
	if s.direct && !optional {
		if val := s.quick(obj); val != nil {
			f.observe(s.slot, val)
			f.charge(s.nodeID, common.SelectAndIdentCost)
			return val, true, nil
		}
	}
	val, present, err = s.part(f, obj, s.test || optional)
	seen := val
	switch {
	case optional && !present:
		return nil, false, s.position(err)
	case optional:
	case err != nil:
		seen = err
	case s.test:
		val, seen = present, present
	case val == nil:
		seen = types.NullValue
	}
	if s.popped && f.mode == modeTracked {
		f.stack.drop(s.slot)
	}
	f.observe(s.slot, seen)
	f.charge(s.nodeID, common.SelectAndIdentCost)
	return val, true, s.position(err)
}

// quick returns what the usual kinds of objects have under the key. Nil leaves it
// to part.
func (s *step) quick(obj any) any {
	switch m := obj.(type) {
	case map[string]any:
		if name, ok := s.key.(types.String); ok {
			return m[string(name)]
		}
	case traits.Mapper:
		if val, found := m.Find(s.key); found && !types.IsError(val) {
			return val
		}
	}
	return nil
}

// part looks the part up. With test it reports what is absent, else it fails.
func (s *step) part(f *frame, obj any, test bool) (any, bool, error) {
	key := s.key
	if s.field != nil {
		return s.fieldOf(obj, test)
	}
	if s.attr != nil {
		val, err := s.attr.resolve(f)
		if err != nil {
			return nil, false, err
		}
		if key, err = newKey(val); err != nil {
			return nil, false, err
		}
	}
	return lookup(f, obj, key, test, s.test)
}

func (s *step) fieldOf(obj any, test bool) (any, bool, error) {
	if v, ok := obj.(ref.Val); ok {
		obj = v.Value()
	}
	if test {
		if present := s.field.IsSet(obj); s.test || !present {
			return nil, present, nil
		}
	}
	val, err := s.field.GetFrom(obj)
	return val, err == nil, err
}

// position gives the position of the step to an error that comes from a value.
func (s *step) position(err error) error {
	if e, ok := err.(*types.Err); ok {
		return label(s.nodeID, e).(*types.Err)
	}
	return err
}

// path is the steps of an attribute.
type path struct {
	startID int64
	steps   []*step
	// walkable is true if walk can try.
	walkable bool
}

func (p *path) id() int64 {
	if n := len(p.steps); n > 0 {
		return p.steps[n-1].id()
	}
	return p.startID
}

func (p *path) add(s *step) { p.steps = append(p.steps, s) }

// follow goes along the path. If the object or a step is optional, so is the
// result. It is then a new optional, also at the end of an empty path: as the key
// of a map it equals no other.
func (p *path) follow(f *frame, obj any) (any, error) {
	if err, ok := obj.(*types.Err); ok {
		return nil, err
	}
	opt, optional := obj.(*types.Optional)
	if optional {
		if !opt.HasValue() {
			return opt, nil
		}
		obj = opt.GetValue()
	}
	for _, s := range p.steps {
		optional = optional || s.optional
		val, present, err := s.qualify(f, obj, optional)
		if err != nil {
			return nil, err
		}
		if !present {
			return types.OptionalNone, nil
		}
		obj = val
	}
	if !optional {
		return obj, nil
	}
	return types.OptionalOf(f.adapt(obj)), nil
}
