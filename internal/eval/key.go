package eval

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// newKey makes the key of a field, an entry or an element of a native or CEL value.
func newKey(v any) (ref.Val, error) {
	switch v := v.(type) {
	case types.String, types.Int, types.Uint, types.Bool, types.Double:
		return v.(ref.Val), nil
	case string, int, int32, int64, uint, uint32, uint64, bool, float32, float64:
		return types.DefaultTypeAdapter.NativeToValue(v), nil
	}
	return nil, fmt.Errorf("invalid qualifier type: %T", v)
}

// lookup returns what an object has under a key. If nothing is there, a test reports
// it, and any other lookup fails. With presenceOnly, the value may be left out.
func lookup(f *frame, obj any, key ref.Val, test, presenceOnly bool) (any, bool, error) {
	switch o := obj.(type) {
	case map[string]any:
		if name, ok := key.(types.String); ok {
			val, found := o[string(name)]
			return orAbsent(key, val, found, test)
		}
	case []any:
		if i, ok := key.(types.Int); ok && i >= 0 && int64(i) < int64(len(o)) {
			return o[i], true, nil
		}
	}
	switch v := f.adapt(obj).(type) {
	case traits.Mapper:
		val, found := v.Find(key)
		if err, ok := val.(*types.Err); ok {
			return nil, false, err
		}
		return orAbsent(key, val, found, test)
	case *types.Err:
		return nil, false, v
	case traits.Lister:
		i, err := types.IndexOrError(key)
		switch {
		case err != nil:
			return nil, false, err
		case i >= 0 && types.Int(i) < v.Size().(types.Int):
			return v.Get(key), true, nil
		case test:
			return nil, false, nil
		}
		return nil, false, fmt.Errorf("index out of bounds: %v", key)
	case traits.Indexer:
		return fieldOf(v, key, test, presenceOnly)
	}
	return orAbsent(key, nil, false, test)
}

func orAbsent(key ref.Val, val any, found, test bool) (any, bool, error) {
	if found {
		return val, true, nil
	}
	if test {
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("no such key: %v", key)
}

func fieldOf(v traits.Indexer, key ref.Val, test, presenceOnly bool) (any, bool, error) {
	if tester, ok := v.(traits.FieldTester); ok && test {
		present := tester.IsSet(key)
		if err, ok := present.(*types.Err); ok {
			return nil, false, err
		}
		if presenceOnly || present == types.False {
			return nil, present == types.True, nil
		}
	}
	val := v.Get(key)
	if err, ok := val.(*types.Err); ok {
		return nil, false, err
	}
	return val, true, nil
}
