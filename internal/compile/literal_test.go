package compile

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// literal prints a value as text that tells its CEL type and all of its value.
func literal(v ref.Val) string {
	switch v := v.(type) {
	case types.Bool, types.Int:
		return fmt.Sprint(v.Value())
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(v), 'g', -1, 64) + ")"
	case types.String:
		return strconv.QuoteToASCII(string(v))
	case types.Bytes:
		return fmt.Sprintf("b%+q", string(v))
	case types.Duration:
		return "duration(" + v.Duration.String() + ")"
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format("2006-01-02T15:04:05.999999999Z") + ")"
	case types.Null:
		return "null"
	case *types.Optional:
		if v.HasValue() {
			return "optional(" + literal(v.GetValue()) + ")"
		}
		return "optional()"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case traits.Lister:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, literal(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		var parts []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			parts = append(parts, literal(k)+": "+literal(v.Get(k)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.Type().TypeName() + "(" + fmt.Sprint(v.Value()) + ")"
}
