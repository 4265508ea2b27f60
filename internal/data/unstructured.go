package data

import (
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
)

// Holder is a CEL value over data, such as those of package typesystem.
type Holder interface {
	// Data returns the data. It must not be changed.
	Data() any
}

// texter is a value of a library, which may have a text.
type texter interface{ Text() (text string, ok bool) }

// Unstructured returns a CEL value as unstructured data of its own:
//
//   - unsigned integers as int64, durations such as 5m0s, timestamps by RFC 3339,
//     bytes in base64;
//   - an optional as its value, and as nil if it has none;
//   - types by their names, and the values of libraries as their texts;
//   - what a schema describes as the data itself, with fields that the schema does not know.
//
// What cannot be had so is an *Error: an unsigned integer beyond int64, a number that is
// not finite, a map with keys that are no strings, a value without a form as data.
func Unstructured(v ref.Val) (any, error) {
	w := walk{leaf: text}
	result, failed := w.value(v)
	if failed != nil {
		return nil, failed.located(resultName)
	}
	return result, nil
}

// resultName is what errors call the value.
const resultName = "result"

// walk makes a tree of a CEL value: of maps, lists, and leaves, which are nil, bool,
// int64, uint64, float64, string, []byte, time.Duration or time.Time.
type walk struct {
	extent
	// leaf converts the leaves.
	leaf func(any) (any, *failure)
}

func (w *walk) value(v ref.Val) (any, *failure) {
	if failed := w.enter(); failed != nil {
		return nil, failed
	}
	defer w.leave()
	switch v := v.(type) {
	case nil:
		return nil, fail("there is no value", nil)
	case types.Null:
		return w.leaf(nil)
	case types.Bool:
		return w.leaf(bool(v))
	case types.Int:
		return w.leaf(int64(v))
	case types.Uint:
		return w.leaf(uint64(v))
	case types.Double:
		return w.leaf(float64(v))
	case types.String:
		return w.leaf(string(v))
	case types.Bytes:
		return w.leaf([]byte(v))
	case types.Duration:
		return w.leaf(v.Duration)
	case types.Timestamp:
		return w.leaf(v.Time)
	case *types.Type:
		return w.leaf(v.TypeName())
	case *types.Optional:
		if !v.HasValue() {
			return w.leaf(nil)
		}
		return w.value(v.GetValue())
	case *types.Err, *types.Unknown:
		return nil, fail("an error is no data", nil)
	case Holder:
		return w.data(v.Data())
	case traits.Mapper:
		return w.mapping(v)
	case traits.Lister:
		return w.list(v)
	}
	return w.other(v)
}

func (w *walk) mapping(m traits.Mapper) (any, *failure) {
	keys := []string{} // in order, so that the same error is always the first
	for it := m.Iterator(); it.HasNext() == types.True; {
		key, ok := it.Next().(types.String)
		if !ok {
			return nil, fail("a map whose keys are no strings has no form as data", nil)
		}
		keys = append(keys, string(key))
	}
	slices.Sort(keys)
	entries := make(map[string]any, len(keys))
	for _, key := range keys {
		value, failed := w.value(m.Get(types.String(key)))
		if failed != nil {
			return nil, failed.in(keyStep(key))
		}
		entries[key] = value
	}
	return entries, nil
}

func (w *walk) list(l traits.Lister) (any, *failure) {
	elems := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		elem, failed := w.value(it.Next())
		if failed != nil {
			return nil, failed.in(indexStep(len(elems)))
		}
		elems = append(elems, elem)
	}
	return elems, nil
}

// data copies unstructured data. It has counted the value itself.
func (w *walk) data(value any) (any, *failure) {
	switch value := value.(type) {
	case map[string]any:
		entries := make(map[string]any, len(value))
		for _, key := range sortedKeys(value) {
			copied, failed := w.below(value[key])
			if failed != nil {
				return nil, failed.in(keyStep(key))
			}
			entries[key] = copied
		}
		return entries, nil
	case []any:
		elems := make([]any, len(value))
		for i, elem := range value {
			copied, failed := w.below(elem)
			if failed != nil {
				return nil, failed.in(indexStep(i))
			}
			elems[i] = copied
		}
		return elems, nil
	case nil, bool, int64, float64, string:
		return w.leaf(value)
	}
	n := normalizer{extent: w.extent}
	plain, _, failed := n.other(value)
	if failed != nil {
		return nil, failed
	}
	return w.below(plain)
}

func (w *walk) below(value any) (any, *failure) {
	if failed := w.enter(); failed != nil {
		return nil, failed
	}
	defer w.leave()
	return w.data(value)
}

// other converts what only knows how to convert itself: the values of libraries to
// their texts, and messages to JSON.
func (w *walk) other(v ref.Val) (any, *failure) {
	if v, ok := v.(texter); ok {
		if text, ok := v.Text(); ok {
			return w.leaf(text)
		}
	}
	value, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if message, ok := value.(*structpb.Value); ok && err == nil {
		return w.data(message.AsInterface())
	}
	return nil, fail(fmt.Sprintf("a value of type %s has no form as data", v.Type().TypeName()), err)
}

// text makes unstructured data of a leaf.
func text(leaf any) (any, *failure) {
	switch v := leaf.(type) {
	case uint64:
		if v > math.MaxInt64 {
			return nil, fail("an unsigned integer does not fit into 64 bits with a sign", nil)
		}
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fail("a number that is not finite has no form as data", nil)
		}
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	case time.Duration:
		return v.String(), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	}
	return leaf, nil
}
