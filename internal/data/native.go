package data

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/proto"
)

// Native converts a CEL value over data to a Go type, as ConvertToNative of ref.Val
// does: to itself, to the data, to the messages that JSON has in protocol buffers, and to
// what [As] can store it in.
func Native(v ref.Val, data any, to reflect.Type) (any, error) {
	for _, form := range []any{data, v} {
		if form != nil && reflect.TypeOf(form).AssignableTo(to) {
			return form, nil
		}
	}
	if to.Implements(reflect.TypeFor[proto.Message]()) {
		plain, _, err := Plain(data, "")
		if err != nil {
			return nil, err
		}
		return types.DefaultTypeAdapter.NativeToValue(plain).ConvertToNative(to)
	}
	w := walk{leaf: func(leaf any) (any, *failure) { return leaf, nil }}
	tree, failed := w.data(data)
	target := reflect.New(to).Elem()
	if failed == nil {
		failed = assign(target, tree)
	}
	if failed != nil {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s': %w", v.Type().TypeName(), to, failed.located(""))
	}
	return target.Interface(), nil
}

// serverValue is a CEL value that converts to more Go types here than in a server.
type serverValue interface {
	ref.Val
	// AsServer returns the value with the conversions that a server has.
	AsServer() ref.Val
}

// AsServer returns a value, and all in it, with the conversions that a server has. An
// expression that makes a message of values fails where a server's fails.
func AsServer(v ref.Val) ref.Val {
	v, _ = asServer(v)
	return v
}

// asServer also tells whether that is another value.
func asServer(v ref.Val) (ref.Val, bool) {
	changed := false
	below := func(v ref.Val) ref.Val {
		v, other := asServer(v)
		changed = changed || other
		return v
	}
	var copied ref.Val
	switch v := v.(type) {
	case serverValue:
		return v.AsServer(), true
	case *types.Optional:
		if v.HasValue() {
			copied = types.OptionalOf(below(v.GetValue()))
		}
	case traits.Mapper:
		entries := map[ref.Val]ref.Val{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries[key] = below(v.Get(key))
		}
		copied = types.NewRefValMap(types.DefaultTypeAdapter, entries)
	case traits.Lister:
		var elems []ref.Val
		for it := v.Iterator(); it.HasNext() == types.True; {
			elems = append(elems, below(it.Next()))
		}
		copied = types.NewRefValList(types.DefaultTypeAdapter, elems)
	}
	if changed {
		return copied, true
	}
	return v, false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
