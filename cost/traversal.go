package cost

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Traversal prices a visit of every element of the list at index i.
//
// The estimate is one unit for each element, and for strings and bytes the scan
// of each. An operand whose type says nothing of elements is estimated at
// untyped units for each unit of its size: it may also be a string.
//
// The evaluation counts differently: one unit for each scalar in the list,
// however deep, and a tenth of the length of each string, rounded down. So a
// list of short strings costs nothing.
func Traversal(i int, untyped float64) Model {
	return Model{
		Estimate: func(operands []Operand) Estimate {
			size, elem := operands[i].Size(), operands[i].Elem()
			switch {
			case elem == nil && untyped == 1:
				return Estimate{Cost: size} // counted, hence not rounded
			case elem == nil:
				return Estimate{Cost: size.Scale(untyped)}
			}
			each := Exactly(1)
			switch elem.Type().Kind() {
			case types.StringKind, types.BytesKind:
				each = each.Add(elem.Size().Scale(StringFactor))
			}
			return Estimate{Cost: size.Mul(each)}
		},
		Runtime: func(args []ref.Val, _ ref.Val) uint64 { return traverse(args[i]) },
		text:    "traversing " + placeholder(i),
	}
}

func traverse(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * StringFactor)
	case types.Bytes:
		return uint64(float64(len(v)) * StringFactor)
	case traits.Lister:
		var total uint64
		for it := v.Iterator(); it.HasNext() == types.True; {
			total += traverse(it.Next())
		}
		return total
	case traits.Mapper:
		var total uint64
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			total += traverse(key) + traverse(v.Get(key))
		}
		return total
	default:
		return 1
	}
}
