package typesystem_test

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// describe writes a CEL value with its type, what it holds included.
func describe(v ref.Val) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case *types.Err:
		return "error: " + v.Error()
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none"
		}
		return "optional " + describe(v.GetValue())
	case types.Timestamp:
		return "timestamp " + v.Time.Format(time.RFC3339Nano)
	case *types.Type:
		return "type " + v.String()
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, describe(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil {
				parts = append(parts, "nil")
				continue
			}
			parts = append(parts, describe(key)+": "+describe(v.Get(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprintf("%s %#v", v.Type().TypeName(), v.Value())
}
