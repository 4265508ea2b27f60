package eval

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// key selects a field, an entry or an element.
type key struct {
	kind keyKind
	// str is the value of a stringKey, num that of an intKey.
	str string
	num int64
	val ref.Val
}

// keyKind says which native objects are asked for a key. With otherKey, only CEL values
// are.
type keyKind uint8

const (
	otherKey keyKind = iota
	stringKey
	intKey
)

// newKey makes a key of a native or CEL value.
func newKey(v any) (key, error) {
	switch v := v.(type) {
	case string:
		return key{kind: stringKey, str: v, val: types.String(v)}, nil
	case types.String:
		return key{kind: stringKey, str: string(v), val: v}, nil
	case int:
		return key{kind: intKey, num: int64(v), val: types.Int(v)}, nil
	case int32:
		return key{kind: intKey, num: int64(v), val: types.Int(v)}, nil
	case int64:
		return key{kind: intKey, num: v, val: types.Int(v)}, nil
	case types.Int:
		return key{kind: intKey, num: int64(v), val: v}, nil
	case uint:
		return key{val: types.Uint(v)}, nil
	case uint32:
		return key{val: types.Uint(v)}, nil
	case uint64:
		return key{val: types.Uint(v)}, nil
	case bool:
		return key{val: types.Bool(v)}, nil
	case float32:
		return key{val: types.Double(v)}, nil
	case float64:
		return key{val: types.Double(v)}, nil
	case types.Uint, types.Bool, types.Double:
		return key{val: v.(ref.Val)}, nil
	}
	return key{}, fmt.Errorf("invalid qualifier type: %T", v)
}

// lookup returns what an object has under the key. If nothing is there, a test reports
// it, and any other lookup fails. With presenceOnly, the value may be left out.
func (k *key) lookup(f *frame, obj any, test, presenceOnly bool) (any, bool, error) {
	switch o := obj.(type) {
	case map[string]any:
		if k.kind == stringKey {
			val, found := o[k.str]
			return k.result(val, found, test)
		}
	case map[string]string:
		if k.kind == stringKey {
			val, found := o[k.str]
			return k.result(val, found, test)
		}
	case []any:
		if k.kind == intKey && k.num >= 0 && k.num < int64(len(o)) {
			return o[k.num], true, nil
		}
	case []string:
		if k.kind == intKey && k.num >= 0 && k.num < int64(len(o)) {
			return o[k.num], true, nil
		}
	case traits.Mapper:
		return k.entry(o, test)
	}
	val := f.adapt(obj)
	switch v := val.(type) {
	case traits.Mapper:
		return k.entry(v, test)
	case *types.Err:
		return nil, false, v
	case traits.Lister:
		return k.element(v, test)
	case traits.Indexer:
		return k.fieldOf(v, test, presenceOnly)
	}
	return k.result(nil, false, test)
}

func (k *key) result(val any, found, test bool) (any, bool, error) {
	if found {
		return val, true, nil
	}
	if test {
		return nil, false, nil
	}
	return nil, false, &lookupError{"no such key", k.val}
}

func (k *key) entry(m traits.Mapper, test bool) (any, bool, error) {
	val, found := m.Find(k.val)
	if err, ok := val.(*types.Err); ok {
		return nil, false, err
	}
	return k.result(val, found, test)
}

func (k *key) element(l traits.Lister, test bool) (any, bool, error) {
	i, err := types.IndexOrError(k.val)
	switch {
	case err != nil:
		return nil, false, err
	case i >= 0 && types.Int(i) < l.Size().(types.Int):
		return l.Get(k.val), true, nil
	case test:
		return nil, false, nil
	}
	return nil, false, &lookupError{"index out of bounds", k.val}
}

func (k *key) fieldOf(v traits.Indexer, test, presenceOnly bool) (any, bool, error) {
	if tester, ok := v.(traits.FieldTester); ok && test {
		present := tester.IsSet(k.val)
		if err, ok := present.(*types.Err); ok {
			return nil, false, err
		}
		if presenceOnly || present == types.False {
			return nil, present == types.True, nil
		}
	}
	val := v.Get(k.val)
	if err, ok := val.(*types.Err); ok {
		return nil, false, err
	}
	return val, true, nil
}

// lookupError says that there is nothing under a key.
type lookupError struct {
	what string
	key  ref.Val
}

func (e *lookupError) Error() string { return fmt.Sprintf("%s: %v", e.what, e.key) }
