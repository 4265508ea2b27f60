package document

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
)

// texts are JSON that is easy to read differently, and what is no JSON.
var texts = []string{
	`{}`, `[]`, ` { } `, "\t[\r\n] ", `{"a":1,"a":[2]}`, `{"a":{"b":1},"A":2,"a":{"c":1}}`, `[1,-0,0.0,-0.0,1.0,1e2,1E+2,1e-2,1.5e300,-1]`,
	`[9223372036854775807,9223372036854775808,-9223372036854775808,-9223372036854775809]`, `[1e308,1e309]`, `1e400`, `[01]`, `[-]`, `[1.]`, `[.5]`, `[1e]`, `[1e+]`, `[+1]`, `[0x1]`,
	`"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00\ud800"`, `"\u003c\u2028"`, `"\u12"`, `"\x"`, `"\'"`, `"\`, `"\"`, `"`, "\"\xff\xc3\"", "\"\x01\"", "\"\x7f\u0085\"",
	"\"\xc3\"", "\"\xc3", `{"\u0061":1,"a":2}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[,]`, `[1,]`, `[1 2]`, `{"a":1 "b":2}`, `{a:1}`, `{1:2}`, `{null:1}`, `nul`, `nullx`, `null null`, `truefalse`, `tru`, `[true,false,null]`,
	`{} {}`, `{}x`, `[}`, `{]`, `{"a":[}]`, "", " ", "\x00", "{}\x00", "[\x00]", "\ufeff{}", "\u00a0{}", "[1\v]", `{"a":"b\`, strings.Repeat("1", 400), "[" + strings.Repeat("1", 400) + "]", "1" + strings.Repeat("0", 308) + ".5", "0." + strings.Repeat("0", 400) + "1",
	strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
}

// judge compares what Text reads with what the decoder of API servers does. It tells whether Text read it.
func judge(t *testing.T, data []byte) bool {
	t.Helper()
	var want any
	err := json.Unmarshal(data, &want)
	read, skipped := Text{data: data}, Text{data: data}
	got := read.Value()
	ok := read.end()
	if skipped.Skip(); skipped.end() != ok {
		t.Fatalf("%.200q: read %v, skipped %v", data, ok, !ok)
	}
	switch {
	case ok && err != nil:
		t.Fatalf("%.200q: %v, want error %v", data, got, err)
	case ok && !same(got, want):
		t.Fatalf("%.200q: %#v, want %#v", data, got, want)
	}
	return ok || err != nil
}

// same also tells the zeros apart.
func same(a, b any) bool {
	return reflect.DeepEqual(a, b) && (strings.Count(fmt.Sprint(a), "-0") == strings.Count(fmt.Sprint(b), "-0"))
}

// TestText: nothing that the decoder of API servers reads is left to it.
func TestText(t *testing.T) {
	for _, text := range texts {
		if !judge(t, []byte(text)) {
			t.Errorf("%.200q is not read", text)
		}
	}
}

func TestTextTypes(t *testing.T) {
	read := map[string]func(*Text) any{
		"string": func(t *Text) any { return t.String() },
		"name":   func(t *Text) any { return t.Name() },
		"bool":   func(t *Text) any { return t.Bool() },
		"number": func(t *Text) any { return t.Number() },
		"object": func(t *Text) any { return t.Object(func([]byte) { t.Skip() }) },
		"array":  func(t *Text) any { return t.Array(t.Skip) },
	}
	values := map[string]string{`"x"`: "string name", `true`: "bool", `false`: "bool", `1`: "number", `1.5`: "number", `{"a":[1]}`: "object", `[{}]`: "array"}
	for name, read := range read {
		for text, kinds := range values {
			x := Text{data: []byte(text)}
			read(&x)
			if x.end() != strings.Contains(kinds, name) {
				t.Errorf("%s as %s: %v", text, name, x.end())
			}
		}
		x := Text{data: []byte(`null`)}
		if got := read(&x); !x.end() || got != nil && !reflect.ValueOf(got).IsZero() {
			t.Errorf("null as %s: %v", name, got)
		}
	}
	if f := (&Text{data: []byte("-0.0")}).Number(); !math.Signbit(f.(float64)) {
		t.Error(f)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range texts {
		if len(text) < 1000 { // long ones are slow to vary
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { judge(t, data) })
}
