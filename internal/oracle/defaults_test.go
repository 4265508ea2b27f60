package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/internal/parity"
)

// TestDefaults completes objects as the server does when it reads a request: without nulls, and then
// with defaults. Objects are those of the corpus, and generated ones with every field
// there, missing, null or of another type.
func TestDefaults(t *testing.T) {
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]map[string]any{}
	objects := map[string][]any{}
	for _, s := range corpus.Schemas {
		schemas[s.Name] = s.Schema
		for _, o := range s.Objects {
			objects[s.Name] = append(objects[s.Name], o.New, o.Old)
		}
	}
	for i, text := range defaultSchemas {
		var schema map[string]any
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			t.Fatal(err)
		}
		schemas[fmt.Sprint("defaults ", i)] = schema
	}
	random := rand.New(rand.NewPCG(1, 2))
	compared, changed := 0, 0
	for name, schema := range schemas {
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		structural, err := structuralOf(text)
		if err != nil {
			continue
		}
		parsed, err := kubecel.ParseSchema(text)
		if err != nil {
			continue
		}
		rules, err := parsed.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			objects[name] = append(objects[name], generated(random, schema, 0))
		}
		for _, object := range objects[name] {
			given, ok := object.(map[string]any)
			if !ok || given == nil {
				continue
			}
			want := runtime.DeepCopyJSON(given)
			defaulting.PruneNonNullableNullsWithoutDefaults(want, structural)
			defaulting.Default(want, structural)
			before := runtime.DeepCopyJSON(given)
			if got := rules.ApplyDefaults(given); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v completed to %v, want %v", name, given, got, want)
			}
			if !reflect.DeepEqual(given, before) {
				t.Errorf("%s: the object changed from %v to %v", name, before, given)
			}
			compared++
			if !reflect.DeepEqual(given, want) {
				changed++
			}
		}
	}
	t.Logf("%d objects, %d of them changed", compared, changed)
	if compared < 1000 || changed < 500 {
		t.Error("too few to tell")
	}
}

// defaultSchemas have defaults in every place that may have one.
var defaultSchemas = []string{
	`{"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "integer", "default": 2, "nullable": true},
		"c": {"type": "integer", "nullable": true}, "d": {"type": "integer"}}}`,
	`{"type": "object", "properties": {"o": {"type": "object", "default": {}, "properties": {"a": {"type": "string", "default": "x"},
		"p": {"type": "object", "properties": {"b": {"type": "boolean", "default": true}}}}}}}`,
	`{"type": "object", "properties": {"o": {"type": "object", "default": {"a": null, "p": {"c": 1}}, "properties": {"a": {"type": "string", "default": "x"},
		"p": {"type": "object", "properties": {"b": {"type": "boolean", "default": true}, "c": {"type": "integer"}}}}}}}`,
	`{"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer", "default": 3}},
		"n": {"type": "object", "additionalProperties": {"type": "integer"}},
		"k": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer", "default": 4}}}}}}`,
	`{"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer", "default": 5}}, "n": {"type": "array", "items": {"type": "integer"}},
		"k": {"type": "array", "default": [{}, null], "items": {"type": "object", "default": {}, "properties": {"a": {"type": "integer", "default": 6}}}},
		"q": {"type": "array", "items": {"type": "array", "items": {"type": "string", "nullable": true, "default": "e"}}}}}`,
	`{"type": "object", "properties": {"i": {"x-kubernetes-int-or-string": true, "default": "50%"}, "j": {"x-kubernetes-int-or-string": true, "nullable": true, "default": 7},
		"u": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": {"z": null}, "properties": {"a": {"type": "integer", "default": 8}}}}}`,
}

// generated makes an object for a schema, now and then of another type.
func generated(random *rand.Rand, schema map[string]any, depth int) any {
	kind, _ := schema["type"].(string)
	if depth > 0 && random.IntN(5) == 0 {
		return nil
	}
	if depth > 0 && random.IntN(12) == 0 {
		kind = "other"
	}
	if depth > 8 {
		return int64(1)
	}
	switch kind {
	case "object":
		object := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			if property, ok := property.(map[string]any); ok && random.IntN(3) > 0 {
				object[name] = generated(random, property, depth+1)
			}
		}
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			for _, key := range []string{"x", "y", "z"} {
				object[key] = generated(random, values, depth+1)
			}
		}
		if random.IntN(3) == 0 {
			object["unknown"] = []any{nil, map[string]any{"n": nil}}
		}
		return object
	case "array":
		list := []any{}
		items, _ := schema["items"].(map[string]any)
		for range random.IntN(4) {
			list = append(list, generated(random, items, depth+1))
		}
		return list
	}
	return "text"
}
