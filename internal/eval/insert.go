package eval

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// insertEntriesID is the overload by which transformMapEntry adds the entries of a
// map to the one that it builds.
const insertEntriesID = "@mapInsert_map_map"

// insertEntries is cel-go's implementation but for the text of its error, which
// names a key that is there already. cel-go takes the first one in Go's random
// order, and of a list or map it prints an address of memory.
func insertEntries(target, entries ref.Val) ref.Val {
	to, from := target.(traits.Mapper), entries.(traits.Mapper)
	if from.Size() != types.IntOne {
		var taken []string
		for it := from.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if _, found := to.Find(key); found {
				taken = append(taken, textOf(key))
			}
		}
		if len(taken) > 0 {
			return keyExists(slices.Min(taken))
		}
	}
	for it := from.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		next := types.InsertMapKeyValue(to, key, from.Get(key))
		if failed(next) {
			return keyExists(textOf(key))
		}
		to = next.(traits.Mapper)
	}
	return to
}

func keyExists(key string) ref.Val {
	return types.NewErr("insert failed: key %s already exists", key)
}

// textOf is a value as cel-go's errors print it, or its type where they print an
// address of memory.
func textOf(val ref.Val) string {
	switch val.(type) {
	case types.Timestamp, types.Duration, types.Null, *types.Type:
	default:
		if !types.IsPrimitiveType(val) {
			return "of type " + val.Type().TypeName()
		}
	}
	return fmt.Sprint(val)
}
