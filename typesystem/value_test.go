package typesystem_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"sigs.k8s.io/yaml"
)

// goValues are the data of testdata/typesystem/values.yaml, by name.
var goValues = []struct {
	name  string
	value any
}{
	{"none", nil},
	{"string", "x"},
	{"empty string", ""},
	{"base64", "aGk="},
	{"base64 url", "_-8="},
	{"base64 std", "/+8="},
	{"duration", "1h30m"},
	{"duration 0", "0"},
	{"duration days", "2 days"},
	{"duration bad", "1x"},
	{"date", "2024-02-29"},
	{"date bad", "2023-02-29"},
	{"date-time", "2024-02-29T12:00:00.123456789+02:00"},
	{"date-time local", "2024-02-29T12:00:00"},
	{"int64", int64(5)},
	{"int", int(6)},
	{"int32", int32(7)},
	{"float64", 1.5},
	{"whole float64", 2.0},
	{"float32", float32(2.5)},
	{"uint64", uint64(8)},
	{"int8", int8(9)},
	{"bool", true},
	{"list", []any{int64(1), int64(2)}},
	{"empty list", []any{}},
	{"nil list", []any(nil)},
	{"mixed list", []any{"a", nil, 1.5}},
	{"[]string", []string{"a"}},
	{"map", map[string]any{"a": int64(1)}},
	{"empty map", map[string]any{}},
	{"nil map", map[string]any(nil)},
	{"map of null", map[string]any{"a": nil}},
	{"map[any]any", map[any]any{"a": 1}},
	{"map[string]string", map[string]string{"a": "b"}},
	{"time", time.Time{}},
	{"pointer", new(int)},
	{"func", func() {}},
}

func TestValues(t *testing.T) {
	data, err := os.ReadFile("../testdata/typesystem/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Schema string
		Want   map[string]string
	}
	if err := yaml.UnmarshalStrict(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := compile(t, c.Schema, false)
		for _, v := range goValues {
			got := s.Value(v.value)
			text := describe(got)
			if got.Type() == types.UnknownType {
				text = fmt.Sprintf("unknown %T", got.Value())
			}
			if want, ok := c.Want[v.name]; !ok || text != want {
				t.Errorf("%s of %s: got  %s\nwant %s", c.Schema, v.name, text, want)
			}
		}
	}
}
