package eval

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// key selects a field, an entry or an element. A zero kind of native key means
// that only CEL values can be asked.
type key struct {
	kind keyKind
	str  string
	// num is the value of an int, the bits of a uint, and 1 for true.
	num int64
	val ref.Val
}

type keyKind uint8

const (
	otherKey keyKind = iota
	stringKey
	intKey
	uintKey
	boolKey
)

// newKey makes a key of a native or CEL value.
func newKey(v any) (key, error) {
	switch v := v.(type) {
	case string:
		return key{kind: stringKey, str: v, val: types.String(v)}, nil
	case types.String:
		return key{kind: stringKey, str: string(v), val: v}, nil
	case int:
		return intKeyOf(types.Int(v)), nil
	case int32:
		return intKeyOf(types.Int(v)), nil
	case int64:
		return intKeyOf(types.Int(v)), nil
	case types.Int:
		return intKeyOf(v), nil
	case uint:
		return uintKeyOf(types.Uint(v)), nil
	case uint32:
		return uintKeyOf(types.Uint(v)), nil
	case uint64:
		return uintKeyOf(types.Uint(v)), nil
	case types.Uint:
		return uintKeyOf(v), nil
	case bool:
		return boolKeyOf(types.Bool(v)), nil
	case types.Bool:
		return boolKeyOf(v), nil
	case float32:
		return key{val: types.Double(v)}, nil
	case float64:
		return key{val: types.Double(v)}, nil
	case types.Double:
		return key{val: v}, nil
	}
	return key{}, fmt.Errorf("invalid qualifier type: %T", v)
}

func intKeyOf(v types.Int) key   { return key{kind: intKey, num: int64(v), val: v} }
func uintKeyOf(v types.Uint) key { return key{kind: uintKey, num: int64(v), val: v} }

func boolKeyOf(v types.Bool) key {
	k := key{kind: boolKey, val: v}
	if v {
		k.num = 1
	}
	return k
}

// lookup returns what an object has under the key. A presence test reports what
// is absent, other lookups fail. With presenceOnly the value may be left out.
func (k *key) lookup(f *frame, obj any, test, presenceOnly bool) (any, bool, error) {
	var val any
	var found, known, isList bool
	switch k.kind {
	case stringKey:
		val, found, known = stringEntry(obj, k.str)
	case intKey:
		if val, found, known = element(obj, k.num); known {
			isList = true
		} else {
			val, found, known = intEntry(obj, k.num)
		}
	case uintKey:
		val, found, known = uintEntry(obj, uint64(k.num))
	case boolKey:
		if m, ok := obj.(map[bool]any); ok {
			known = true
			val, found = m[k.num == 1]
		}
	}
	switch {
	case !known:
		return k.lookupValue(f, obj, test, presenceOnly)
	case found:
		return val, true, nil
	case isList && !test:
		return nil, false, &lookupError{"index out of bounds", k.val}
	}
	return k.absent(test)
}

// lookupValue is lookup in an object that has to be asked as a CEL value.
func (k *key) lookupValue(f *frame, obj any, test, presenceOnly bool) (any, bool, error) {
	m, isMap := obj.(traits.Mapper)
	if !isMap {
		val := f.adapt(obj)
		if m, isMap = val.(traits.Mapper); !isMap {
			return k.lookupPart(val, test, presenceOnly)
		}
	}
	val, found := m.Find(k.val)
	if err, ok := val.(*types.Err); ok {
		return nil, false, err
	}
	if found {
		return val, true, nil
	}
	return k.absent(test)
}

func (k *key) absent(test bool) (any, bool, error) {
	if test {
		return nil, false, nil
	}
	return nil, false, &lookupError{"no such key", k.val}
}

// lookupPart is lookup in a value that is not a map.
func (k *key) lookupPart(val ref.Val, test, presenceOnly bool) (any, bool, error) {
	switch v := val.(type) {
	case *types.Unknown:
		return v, true, nil
	case *types.Err:
		return nil, false, v
	case traits.Lister:
		i, err := types.IndexOrError(k.val)
		if err != nil {
			return nil, false, err
		}
		if i >= 0 && types.Int(i) < v.Size().(types.Int) {
			return v.Get(k.val), true, nil
		}
		if !test {
			return nil, false, &lookupError{"index out of bounds", k.val}
		}
	case traits.Indexer:
		return k.lookupField(v, test, presenceOnly)
	}
	return k.absent(test)
}

func (k *key) lookupField(v traits.Indexer, test, presenceOnly bool) (any, bool, error) {
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

func entryOf[K comparable, V any](m map[K]V, k K) (any, bool, bool) {
	v, found := m[k]
	return v, found, true
}

func elementOf[V any](s []V, i int64) (any, bool, bool) {
	if i < 0 || i >= int64(len(s)) {
		return nil, false, true
	}
	return s[i], true, true
}

// stringEntry looks into the native maps that need no CEL value.
func stringEntry(obj any, k string) (val any, found, known bool) {
	switch m := obj.(type) {
	case map[string]any:
		return entryOf(m, k)
	case map[string]string:
		return entryOf(m, k)
	case map[string]int:
		return entryOf(m, k)
	case map[string]int32:
		return entryOf(m, k)
	case map[string]int64:
		return entryOf(m, k)
	case map[string]uint:
		return entryOf(m, k)
	case map[string]uint32:
		return entryOf(m, k)
	case map[string]uint64:
		return entryOf(m, k)
	case map[string]float32:
		return entryOf(m, k)
	case map[string]float64:
		return entryOf(m, k)
	case map[string]bool:
		return entryOf(m, k)
	}
	return nil, false, false
}

// element looks into the native slices that need no CEL value.
func element(obj any, i int64) (val any, found, known bool) {
	switch s := obj.(type) {
	case []any:
		return elementOf(s, i)
	case []string:
		return elementOf(s, i)
	case []int:
		return elementOf(s, i)
	case []int32:
		return elementOf(s, i)
	case []int64:
		return elementOf(s, i)
	case []uint:
		return elementOf(s, i)
	case []uint32:
		return elementOf(s, i)
	case []uint64:
		return elementOf(s, i)
	case []float32:
		return elementOf(s, i)
	case []float64:
		return elementOf(s, i)
	case []bool:
		return elementOf(s, i)
	}
	return nil, false, false
}

// intEntry looks into the native maps with int keys that need no CEL value.
func intEntry(obj any, k int64) (val any, found, known bool) {
	switch m := obj.(type) {
	case map[int]any:
		return entryOf(m, int(k))
	case map[int32]any:
		if int64(int32(k)) != k {
			return nil, false, true
		}
		return entryOf(m, int32(k))
	case map[int64]any:
		return entryOf(m, k)
	}
	return nil, false, false
}

// uintEntry looks into the native maps with uint keys that need no CEL value.
func uintEntry(obj any, k uint64) (val any, found, known bool) {
	switch m := obj.(type) {
	case map[uint]any:
		return entryOf(m, uint(k))
	case map[uint32]any:
		if uint64(uint32(k)) != k {
			return nil, false, true
		}
		return entryOf(m, uint32(k))
	case map[uint64]any:
		return entryOf(m, k)
	}
	return nil, false, false
}
