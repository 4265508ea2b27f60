package kubecel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
)

// resultOf evaluates an expression over an object with a schema, and any.
func resultOf(t *testing.T, expression string) kubecel.Result {
	t.Helper()
	object := map[string]any{
		"name": "web", "size": int64(3), "data": "aGk=", "day": "2024-02-29", "names": []any{"a", "b"}, "unknown": "kept",
		"any": map[string]any{"x": []any{nil, 1.5}}, "either": "80%",
	}
	vars := map[string]any{"self": object, "any": map[string]any{"deep": []any{map[string]any{"n": int64(1)}}}}
	result, err := mustCompile(t, testEnv(t), expression).Eval(t.Context(), vars)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return result
}

func TestResultJSON(t *testing.T) {
	for expression, want := range map[string]string{
		"null": `null`, "true": `true`, "1": `1`, "2u": `2`, "2.0": `2`, "2.5": `2.5`, "'<a>'": `"<a>"`, "b'hi'": `"aGk="`,
		"9007199254740993": `9007199254740993`, "9223372036854775807u": `9223372036854775807`,
		"duration('300s')": `"5m0s"`, "timestamp('2024-02-29T12:00:00.5+02:00')": `"2024-02-29T12:00:00.5+02:00"`,
		"[]": `[]`, "{}": `{}`, "[dyn(1), dyn([dyn(2.5), dyn('a')]), dyn({'b': null})]": `[1,[2.5,"a"],{"b":null}]`,
		"quantity('1.5Gi')": `"1536Mi"`, "ip('::1')": `"::1"`, "cidr('10.0.0.0/8')": `"10.0.0.0/8"`, "url('https://a/b?c')": `"https://a/b?c"`,
		"semver('1.2.3-a')": `"1.2.3-a"`, "format.named('dns1123Label')": `"DNS1123Label"`, "format.date()": `"date"`,
		"type(1)": `"int"`, "type(quantity('1'))": `"kubernetes.Quantity"`,
		"optional.of(1)": `1`, "optional.none()": `null`, "{'a': dyn(optional.none()), 'b': dyn([optional.of('c')])}": `{"a":null,"b":["c"]}`,
		"self.names": `["a","b"]`, "self.names + ['c']": `["a","b","c"]`, "{'x': dyn(self.names[0]), 'y': dyn(self.names)}": `{"x":"a","y":["a","b"]}`,
		"self.data": `"aGk="`, "self.either": `"80%"`, "[self.any]": `[{"x":[null,1.5]}]`, "any.deep[0]": `{"n":1}`, "[any]": `[{"deep":[{"n":1}]}]`,
		"self":                              `{"any":{"x":[null,1.5]},"data":"aGk=","day":"2024-02-29","either":"80%","name":"web","names":["a","b"],"size":3,"unknown":"kept"}`,
		"self.names.map(n, {n: self.size})": `[{"a":3},{"b":3}]`,
	} {
		if text, err := resultOf(t, expression).JSON(); err != nil || string(text) != want {
			t.Errorf("%s: %s, %v; want %s", expression, text, err, want)
		}
	}
}

// TestResultAsCelGo holds that plain values are the JSON that cel-go makes of them.
// Numbers beyond 53 bits and durations are texts there that no Kubernetes API takes.
func TestResultAsCelGo(t *testing.T) {
	for _, expression := range []string{
		"null", "true", "1", "2u", "-2.5", "'a'", "b'hi'", "[]", "{}", "[dyn(1), dyn('a'), dyn(null), dyn(2.5)]", "{'a': dyn({'b': [true]}), 'c': dyn(b'd')}",
		"timestamp('2024-02-29T12:00:00.5Z')", "optional.of({'a': 1})", "any", "[any.deep]",
	} {
		result := resultOf(t, expression)
		message, err := result.Value.ConvertToNative(reflect.TypeFor[*structpb.Value]())
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		text, err := protojson.Marshal(message.(*structpb.Value))
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		ours, err := result.JSON()
		var got any
		if err := errors.Join(err, json.Unmarshal(ours, &got)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s, %v; cel-go %s", expression, ours, err, text)
		}
	}
}

// TestResultErrors holds that what has no form as data is an error with a place.
func TestResultErrors(t *testing.T) {
	for expression, want := range map[string]string{
		"9223372036854775808u":                        "result: an unsigned integer does not fit into 64 bits with a sign",
		"[1.0, 1.0 / 0.0]":                            "result[1]: a number that is not finite has no form as data",
		"{'a': {1: 'b'}}":                             "result.a: a map whose keys are no strings has no form as data",
		"{'b c': {'a': [{true: 'b'}]}}":               `result["b c"].a[0]: a map whose keys are no strings has no form as data`,
		"{'z': dyn([0.0 / 0.0]), 'a': dyn({2: 'b'})}": "result.a: a map whose keys are no strings has no form as data",
	} {
		result := resultOf(t, expression)
		_, err := result.Unstructured()
		_, other := result.JSON()
		var target any
		third := result.As(&target)
		for _, err := range []error{err, other, third} {
			if err == nil || err.Error() != want || code(err) != diag.ConversionFailed {
				t.Errorf("%s: %v (%s), want %s", expression, err, code(err), want)
			}
		}
	}
	if _, err := (kubecel.Result{}).Unstructured(); err == nil {
		t.Error("the zero Result has data")
	}
	if _, err := (kubecel.Result{Value: types.NewErr("secret")}).JSON(); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("an error value: %v", err)
	}
}

// TestResultIsACopy holds that changing a result changes nothing else.
func TestResultIsACopy(t *testing.T) {
	data := map[string]any{"list": []any{map[string]any{"a": int64(1)}}}
	x := mustCompile(t, testEnv(t), "[any, dyn(self)]")
	result, err := x.Eval(t.Context(), map[string]any{"any": data, "self": data})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range mustData(t, result).([]any) {
		part.(map[string]any)["list"].([]any)[0].(map[string]any)["a"] = "changed"
	}
	if data["list"].([]any)[0].(map[string]any)["a"] != int64(1) {
		t.Error("the data of the caller changed")
	}
}

func mustData(t *testing.T, result kubecel.Result) any {
	t.Helper()
	value, err := result.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestLargeResults holds that what nests deep or shares its parts neither overflows nor
// takes forever.
func TestLargeResults(t *testing.T) {
	var deep any = int64(1)
	for range 100_000 {
		deep = []any{deep}
	}
	x := mustCompile(t, testEnv(t), "[any]")
	result, err := x.Eval(t.Context(), map[string]any{"any": deep})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := result.JSON(); err != nil || len(text) != 200_003 {
		t.Errorf("deep: %d bytes, %v", len(text), err)
	}
	cycle := map[string]any{}
	cycle["a"] = cycle
	var wide any = int64(1)
	for range 40 {
		wide = []any{wide, wide}
	}
	for want, data := range map[string]any{"deep, or holds itself": cycle, "more than 10,000,000 values": wide} {
		result, err := x.Eval(t.Context(), map[string]any{"any": data})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.Unstructured(); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

type inner struct {
	Kept  string `json:"kept"`
	Outer string `json:"name"`
}

type meta struct {
	Labels     map[string]string `json:"labels,omitempty"`
	Generation int64             `json:"generation,omitempty"`
}

// celsius reads text.
type celsius float64

func (c *celsius) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%g C", (*float64)(c))
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

type target struct {
	inner   `json:",inline"`
	Name    string            `json:"name"`
	Size    *int32            `json:"size,omitempty"`
	Ratio   float32           `json:"ratio"`
	Wait    time.Duration     `json:"wait"`
	At      time.Time         `json:"at"`
	Data    []byte            `json:"data"`
	Labels  map[string]string `json:"labels"`
	Any     any               `json:"any"`
	Many    []inner           `json:"many"`
	Pair    [2]uint8          `json:"pair"`
	Memory  resource.Quantity `json:"memory"`
	Meta    *meta             `json:"meta"`
	Text    celsius           `json:"text"`
	Skipped string            `json:"-"`
}

func TestResultAs(t *testing.T) {
	result := resultOf(t, `{'kept': dyn('in'), 'name': dyn('n'), 'size': dyn(3u), 'ratio': dyn(1), 'wait': dyn(duration('90s')),
		'at': dyn(timestamp('2024-02-29T12:00:00Z')), 'data': dyn(b'hi'), 'labels': dyn({'a': 'b'}), 'any': dyn({'w': [duration('1s')]}),
		'many': dyn([{'kept': 'x', 'name': self.name}]), 'pair': dyn([dyn(1.0), dyn(2)]), 'memory': dyn(quantity('1Gi')), 'text': dyn('21.5 C'),
		'meta': dyn({'name': dyn('m'), 'labels': dyn({'c': 'd'}), 'generation': dyn(2)}), 'Skipped': dyn('s'), 'more': dyn(1)}`)
	var got target
	if err := result.As(&got); err != nil {
		t.Fatal(err)
	}
	at, three := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), int32(3)
	want := target{
		inner: inner{Kept: "in"}, Name: "n", Size: &three, Ratio: 1, Wait: 90 * time.Second, At: at, Data: []byte("hi"),
		Labels: map[string]string{"a": "b"}, Any: map[string]any{"w": []any{"1s"}}, Many: []inner{{"x", "web"}}, Pair: [2]uint8{1, 2},
		Memory: resource.MustParse("1Gi"),
		Meta:   &meta{Labels: map[string]string{"c": "d"}, Generation: 2}, Text: 21.5,
	}
	got.Memory.Format, want.Memory = want.Memory.Format, got.Memory
	if want.Memory.Value() != 1<<30 || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestResultAsScalars holds which values fit into which Go types.
func TestResultAsScalars(t *testing.T) {
	for _, c := range []struct {
		expression string
		target     any
		want       any
	}{
		{"1", new(int), 1}, {"-1", new(int8), int8(-1)}, {"255", new(uint8), uint8(255)}, {"18446744073709551615u", new(uint64), uint64(math.MaxUint64)},
		{"2.0", new(int), 2}, {"-2.0", new(int16), int16(-2)}, {"3", new(float64), 3.0}, {"3u", new(float32), float32(3)}, {"1.0 / 0.0", new(float64), math.Inf(1)},
		{"true", new(bool), true}, {"'a'", new(string), "a"}, {"null", new(*int), (*int)(nil)}, {"null", new(int), 0}, {"optional.none()", new(string), ""},
		{"optional.of(4)", new(int), 4}, {"ip('1.2.3.4')", new(string), "1.2.3.4"}, {"duration('1s')", new(string), "1s"}, {"b'a'", new(string), "YQ=="},
		{"'5m0s'", new(time.Duration), 5 * time.Minute}, {"'aGk='", new([]byte), []byte("hi")}, {"self.data", new([]byte), []byte("hi")},
		{"self.names", new([]string), []string{"a", "b"}}, {"self.any", new(map[string][]*float64), nil},
		{"'https://a/b'", new(any), "https://a/b"}, {"[1]", new([]any), []any{int64(1)}}, {"{'a': 1u}", new(map[string]uint), map[string]uint{"a": 1}},
		{"self", new(struct {
			Size int8 `json:"size"`
		}), struct {
			Size int8 `json:"size"`
		}{3}},
	} {
		if err := resultOf(t, c.expression).As(c.target); err != nil {
			t.Errorf("%s: %v", c.expression, err)
		} else if got := reflect.ValueOf(c.target).Elem().Interface(); c.want != nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, want %#v", c.expression, got, c.want)
		}
	}
}

func TestResultAsErrors(t *testing.T) {
	var nothing *int
	for _, c := range []struct {
		expression string
		target     any
		want       string
	}{
		{"1", nil, "result: the target is of the Go type <nil>, want a pointer that is not nil"},
		{"1", 1, "result: the target is of the Go type int, want a pointer that is not nil"},
		{"1", nothing, "result: the target is of the Go type *int, want a pointer that is not nil"},
		{"256", new(uint8), "result: an int does not fit into the Go type uint8"},
		{"-1", new(uint), "result: an int does not fit into the Go type uint"},
		{"1.5", new(int), "result: a double does not fit into the Go type int"},
		{"1e300", new(float32), "result: a double does not fit into the Go type float32"},
		{"'secret'", new(int), "result: a string cannot be stored in the Go type int"},
		{"'secret'", new(time.Duration), "result: a string is not one that the Go type time.Duration takes"},
		{"'secret'", new(celsius), "result: a string is not one that the Go type kubecel_test.celsius takes"},
		{"'secret'", new(url.URL), "result: a string cannot be stored in the Go type url.URL"},
		{"duration('1s')", new(int), "result: a duration cannot be stored in the Go type int"},
		{"[1, 2]", new([1]int), "result: a list of 2 elements does not fit into the Go type [1]int"},
		{"{'a': 1}", new(map[int]int), "result: a map cannot be stored in the Go type map[int]int"},
		{"{'a': 1}", new(func()), "result: a map cannot be stored in the Go type func()"},
		{"{'many': [{'name': 1}]}", new(target), "result.many[0].name: an int cannot be stored in the Go type string"},
		{"{'meta': {'labels': {'a/b': 1, 'z': 2}}}", new(target), "result.meta.labels.a/b: an int cannot be stored in the Go type string"},
		{"'a'", new(error), "result: a string cannot be stored in the Go type error"},
	} {
		if err := resultOf(t, c.expression).As(c.target); err == nil || err.Error() != c.want || code(err) != diag.ConversionFailed {
			t.Errorf("%s as %T: %v, want %s", c.expression, c.target, err, c.want)
		}
	}
}
