package parity

import (
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// maxPrinted bounds the canonical text of a value; what is longer is cut and
// followed by its length and hash.
const maxPrinted = 1500

// Print writes a CEL value in a form that depends on nothing but the value:
// every kind is told from the others, map entries are sorted. It uses only the
// interfaces of cel-go, so that the same value of two implementations prints
// the same.
func Print(v ref.Val) string {
	var b strings.Builder
	printTo(&b, v, 0)
	return Clip(b.String())
}

func printTo(b *strings.Builder, v ref.Val, depth int) {
	if depth > 200 {
		b.WriteString("...")
		return
	}
	// The type of an unknown is another in older cel-go.
	if v != nil && types.IsUnknown(v) {
		fmt.Fprintf(b, "unknown(%v)", v)
		return
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("<nil>")
	case types.Null:
		b.WriteString("null")
	case types.Bool:
		b.WriteString(strconv.FormatBool(bool(v)))
	case types.Int:
		b.WriteString(strconv.FormatInt(int64(v), 10))
	case types.Uint:
		b.WriteString(strconv.FormatUint(uint64(v), 10) + "u")
	case types.Double:
		b.WriteString(printDouble(float64(v)))
	case types.String:
		b.WriteString(strconv.Quote(string(v)))
	case types.Bytes:
		b.WriteString("b(" + hex.EncodeToString([]byte(v)) + ")")
	case types.Timestamp:
		b.WriteString("timestamp(" + v.UTC().Format(time.RFC3339Nano) + ")")
	case types.Duration:
		b.WriteString("duration(" + v.Duration.String() + ")")
	case *types.Optional:
		if !v.HasValue() {
			b.WriteString("none")
			return
		}
		b.WriteString("some(")
		printTo(b, v.GetValue(), depth+1)
		b.WriteString(")")
	case *types.Err:
		b.WriteString("error(" + strconv.Quote(v.Error()) + ")")
	case ref.Type:
		b.WriteString("type(" + v.TypeName() + ")")
	case traits.Mapper:
		printMap(b, v, depth)
	case traits.Lister:
		printList(b, v, depth)
	default:
		b.WriteString(v.Type().TypeName() + "(" + stringForm(v) + ")")
	}
}

func printDouble(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(fmt.Sprintf("%+v", f), "+")
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// printMap lists the keys that the iterator gives and looks each of them up. A
// reference object with unknown fields gives nil keys for those: they are
// printed too, since a macro sees them.
func printMap(b *strings.Builder, m traits.Mapper, depth int) {
	var entries []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if key == nil {
			entries = append(entries, "<nil>")
			continue
		}
		var e strings.Builder
		printTo(&e, key, depth+1)
		e.WriteString(": ")
		value, found := m.Find(key)
		if !found {
			e.WriteString("<missing>")
		} else {
			printTo(&e, value, depth+1)
		}
		entries = append(entries, e.String())
	}
	slices.Sort(entries)
	b.WriteString("{" + strings.Join(entries, ", ") + "}")
}

func printList(b *strings.Builder, l traits.Lister, depth int) {
	b.WriteString("[")
	for i, it := 0, l.Iterator(); it.HasNext() == types.True; i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		printTo(b, it.Next(), depth+1)
	}
	b.WriteString("]")
}

// stringForm is how a value of a library's own type describes itself: as CEL
// string if it converts to one, else as native string.
func stringForm(v ref.Val) string {
	if s, ok := v.ConvertToType(types.StringType).(types.String); ok {
		return string(s)
	}
	if s, err := v.ConvertToNative(reflect.TypeFor[string]()); err == nil {
		if s, ok := s.(string); ok {
			return s
		}
	}
	return ""
}
