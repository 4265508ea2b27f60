package eval

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// qualifier is one step of a path: a field, an entry or an element.
type qualifier interface {
	id() int64
	// optional tells whether what is absent makes the whole path absent.
	optional() bool
	// qualify returns the part of an object, and fails if there is none.
	qualify(f *frame, obj any) (any, error)
	// find returns the part of an object and whether there is one.
	find(f *frame, obj any) (any, bool, error)
}

// qualID is the identity of a qualifier.
type qualID struct {
	nodeID     int64
	slot       int32
	isOptional bool
}

func (q *qualID) id() int64      { return q.nodeID }
func (q *qualID) optional() bool { return q.isOptional }
func (q *qualID) link(l *linker) { q.slot = l.slot(q.nodeID) }

// observed charges for a part that was selected, or an error. A position is given
// to an error that comes from a value.
func (q *qualID) observed(f *frame, val any, err error) (any, error) {
	if f.mode == modeTracked {
		f.stack.push(q.slot, observation(val, err))
	}
	f.charge(q.nodeID, common.SelectAndIdentCost)
	return val, q.position(err)
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

func (q *qualID) position(err error) error {
	if e, ok := err.(*types.Err); ok {
		return label(q.nodeID, e).(*types.Err)
	}
	return err
}

// found is observed for a part that may be absent, which costs nothing.
func (q *qualID) found(f *frame, val any, present bool, err error) (any, bool, error) {
	if present {
		f.observe(q.slot, val)
		f.charge(q.nodeID, common.SelectAndIdentCost)
	}
	return val, present, q.position(err)
}

// constQualifier selects by a constant.
type constQualifier struct {
	qualID
	key key
}

func (q *constQualifier) qualify(f *frame, obj any) (any, error) {
	if val := q.quick(obj); val != nil {
		f.observe(q.slot, val)
		f.charge(q.nodeID, common.SelectAndIdentCost)
		return val, nil
	}
	val, _, err := q.key.lookup(f, obj, false, false)
	return q.observed(f, val, err)
}

// quick returns what the usual kinds of objects have under the key. Nil leaves it
// to lookup.
func (q *constQualifier) quick(obj any) any {
	switch m := obj.(type) {
	case map[string]any:
		if q.key.kind == stringKey {
			return m[q.key.str]
		}
	case traits.Mapper:
		if val, found := m.Find(q.key.val); found && !types.IsError(val) {
			return val
		}
	}
	return nil
}

func (q *constQualifier) find(f *frame, obj any) (any, bool, error) {
	val, present, err := q.key.lookup(f, obj, true, false)
	return q.found(f, val, present, err)
}

// fieldQualifier selects a field of a type that has accessors.
type fieldQualifier struct {
	qualID
	field *types.FieldType
}

func (q *fieldQualifier) qualify(f *frame, obj any) (any, error) {
	val, err := q.field.GetFrom(nativeOf(obj))
	if err != nil {
		val = nil
	}
	return q.observed(f, val, err)
}

func (q *fieldQualifier) find(f *frame, obj any) (any, bool, error) {
	obj = nativeOf(obj)
	if !q.field.IsSet(obj) {
		return q.found(f, nil, false, nil)
	}
	val, err := q.field.GetFrom(obj)
	if err != nil {
		return q.found(f, nil, false, err)
	}
	return q.found(f, val, true, nil)
}

// testQualifier tests the presence of a field. The last step of has().
type testQualifier struct {
	qualID
	key   key
	field *types.FieldType
}

// test returns whether the field is present. Some values give the field as well.
func (q *testQualifier) test(f *frame, obj any) (any, bool, error) {
	if q.field != nil {
		return nil, q.field.IsSet(nativeOf(obj)), nil
	}
	return q.key.lookup(f, obj, true, true)
}

func (q *testQualifier) qualify(f *frame, obj any) (any, error) {
	val, present, err := q.test(f, obj)
	if err != nil {
		return q.observed(f, nil, err)
	}
	if unknown, ok := val.(*types.Unknown); ok {
		return q.observed(f, unknown, nil)
	}
	return q.observed(f, present, nil)
}

func (q *testQualifier) find(f *frame, obj any) (any, bool, error) {
	val, present, err := q.test(f, obj)
	return q.found(f, val, present, err)
}

// attrQualifier selects by the value of an attribute, which is not charged for
// itself.
type attrQualifier struct {
	qualID
	attr attribute
}

func (q *attrQualifier) key(f *frame) (key, error) {
	val, err := q.attr.resolve(f)
	if err != nil {
		return key{}, err
	}
	return newKey(val)
}

func (q *attrQualifier) qualify(f *frame, obj any) (any, error) {
	k, err := q.key(f)
	if err != nil {
		return q.observed(f, nil, err)
	}
	val, _, err := k.lookup(f, obj, false, false)
	return q.observed(f, val, err)
}

func (q *attrQualifier) find(f *frame, obj any) (any, bool, error) {
	k, err := q.key(f)
	if err != nil {
		return q.found(f, nil, false, err)
	}
	val, present, err := k.lookup(f, obj, true, false)
	return q.found(f, val, present, err)
}

// exprQualifier selects by the value of any other expression.
type exprQualifier struct {
	qualID
	operand node
}

func (q *exprQualifier) key(f *frame) (key, error) {
	val := q.operand.eval(f)
	if err, ok := val.(*types.Err); ok {
		return key{}, err
	}
	return newKey(val)
}

func (q *exprQualifier) qualify(f *frame, obj any) (any, error) {
	k, err := q.key(f)
	if err != nil {
		return q.dropped(f).observed(f, nil, err)
	}
	val, _, err := k.lookup(f, obj, false, false)
	return q.dropped(f).observed(f, val, err)
}

func (q *exprQualifier) find(f *frame, obj any) (any, bool, error) {
	k, err := q.key(f)
	if err != nil {
		return q.found(f, nil, false, err)
	}
	val, present, err := k.lookup(f, obj, true, false)
	if present {
		q.dropped(f)
	}
	return q.found(f, val, present, err)
}

// dropped removes the qualifier's last value from the stack: the tracker takes it
// for an attribute.
func (q *exprQualifier) dropped(f *frame) *qualID {
	if f.mode == modeTracked {
		f.stack.drop(q.slot)
	}
	return &q.qualID
}

// nativeOf is what the accessors of a field take.
func nativeOf(obj any) any {
	if v, ok := obj.(ref.Val); ok {
		return v.Value()
	}
	return obj
}
