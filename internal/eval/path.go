package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// step is one step of a path: it selects a field, an entry or an element.
type step struct {
	identity
	// optional is true if what is absent makes the whole path absent.
	optional bool
	// test is true for the last step of has().
	test bool
	// key selects, unless one of the others does.
	key key
	// field has the accessors of a field.
	field *types.FieldType
	// attr computes the key, and is not charged for itself.
	attr attribute
	// operand is any other expression that computes the key.
	operand node
	// direct is true if nothing but the key is needed.
	direct bool
}

// qualify returns the part of an object, and fails if there is none. In has() it
// returns whether there is one.
func (s *step) qualify(f *frame, obj any) (any, error) {
	if s.direct {
		if val := s.quick(obj); val != nil {
			f.observe(s.slot, val)
			f.charge(s.nodeID, common.SelectAndIdentCost)
			return val, nil
		}
	}
	val, present, err := s.part(f, obj, s.test)
	if s.test && err == nil {
		val = present
	}
	if f.mode == modeTracked {
		s.dropOperand(f)
		f.stack.push(s.slot, observation(val, err))
	}
	f.charge(s.nodeID, common.SelectAndIdentCost)
	return val, s.position(err)
}

// find returns the part of an object and whether there is one. What is absent
// costs nothing.
func (s *step) find(f *frame, obj any) (any, bool, error) {
	val, present, err := s.part(f, obj, true)
	if present {
		if f.mode == modeTracked {
			s.dropOperand(f)
			f.stack.push(s.slot, val)
		}
		f.charge(s.nodeID, common.SelectAndIdentCost)
	}
	return val, present, s.position(err)
}

// quick returns what the usual kinds of objects have under the key. Nil leaves it
// to part.
func (s *step) quick(obj any) any {
	switch m := obj.(type) {
	case map[string]any:
		if s.key.kind == stringKey {
			return m[s.key.str]
		}
	case traits.Mapper:
		if val, found := m.Find(s.key.val); found && !types.IsError(val) {
			return val
		}
	}
	return nil
}

// part looks the part up. With test it reports what is absent, else it fails.
func (s *step) part(f *frame, obj any, test bool) (any, bool, error) {
	var val any
	var err error
	switch {
	case s.field != nil:
		return s.fieldOf(obj, test)
	case s.attr != nil:
		if val, err = s.attr.resolve(f); err != nil {
			return nil, false, err
		}
	case s.operand != nil:
		computed := s.operand.eval(f)
		if err, ok := computed.(*types.Err); ok {
			return nil, false, err
		}
		val = computed
	default:
		return s.key.lookup(f, obj, test, s.test)
	}
	key, err := newKey(val)
	if err != nil {
		return nil, false, err
	}
	return key.lookup(f, obj, test, false)
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
	if err != nil {
		return nil, false, err
	}
	return val, true, nil
}

// dropOperand removes the last value of a computed key from the stack. The tracker
// of cel-go takes it for an attribute.
func (s *step) dropOperand(f *frame) {
	if s.operand != nil {
		f.stack.drop(s.slot)
	}
}

// position gives the position of the step to an error that comes from a value.
func (s *step) position(err error) error {
	if e, ok := err.(*types.Err); ok {
		return label(s.nodeID, e).(*types.Err)
	}
	return err
}

func observation(val any, err error) any {
	switch {
	case err != nil:
		return err
	case val == nil:
		return types.NullValue
	}
	return val
}

// path is the steps of an attribute.
type path struct {
	startID int64
	steps   []*step
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
	opt, optional := obj.(*types.Optional)
	if optional {
		if !opt.HasValue() {
			return opt, nil
		}
		obj = opt.GetValue()
	}
	var err error
	for _, s := range p.steps {
		if optional = optional || s.optional; !optional {
			if obj, err = s.qualify(f, obj); err != nil {
				return nil, err
			}
			continue
		}
		var present bool
		if obj, present, err = s.find(f, obj); err != nil {
			return nil, err
		}
		if !present {
			return types.OptionalNone, nil
		}
	}
	if !optional {
		return obj, nil
	}
	return types.OptionalOf(f.adapt(obj)), nil
}
