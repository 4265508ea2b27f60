package parity

import (
	"maps"
	"slices"
	"strings"
)

// Example derives an object from a schema: required properties everywhere, the
// optional ones down to a depth, and so many items in each list and map. It
// takes the first of an enum, the least of a range and defaults where there are
// any. Rules it does not read, so that some of them will refuse the object.
func Example(schema map[string]any, depth, items int) any {
	return example(schema, depth, items, 0)
}

func example(schema map[string]any, depth, items, nth int) any {
	if d, ok := schema["default"]; ok && nth == 0 {
		return DeepCopy(d)
	}
	if enum, ok := schema["enum"].([]any); ok && len(enum) > 0 {
		return enum[nth%len(enum)]
	}
	if schema["x-kubernetes-int-or-string"] == true {
		return []any{int64(80), "50%"}[nth%2]
	}
	switch schema["type"] {
	case "object":
		return exampleObject(schema, depth, items, nth)
	case "array":
		n := items
		if low, ok := schema["minItems"].(int64); ok {
			n = max(n, int(low))
		}
		if high, ok := schema["maxItems"].(int64); ok {
			n = min(n, int(high))
		}
		list := []any{}
		sub, _ := schema["items"].(map[string]any)
		for i := range n {
			list = append(list, example(sub, depth-1, items, i))
		}
		return list
	case "string":
		return exampleString(schema, nth)
	case "integer", "number":
		if low, ok := schema["minimum"].(int64); ok {
			return low + int64(nth)
		}
		return int64(nth)
	case "boolean":
		return nth%2 == 0
	}
	return map[string]any{}
}

func exampleObject(schema map[string]any, depth, items, nth int) any {
	object := map[string]any{}
	props, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if depth > 0 || slices.Contains(required, any(name)) {
			sub, _ := props[name].(map[string]any)
			object[name] = example(sub, depth-1, items, nth)
		}
	}
	if sub, ok := schema["additionalProperties"].(map[string]any); ok && depth > 0 {
		object["key"] = example(sub, depth-1, items, nth)
	}
	return object
}

// exampleString fits the format or the length; a pattern only by luck.
func exampleString(schema map[string]any, nth int) string {
	switch schema["format"] {
	case "date-time":
		return "2024-01-02T03:04:05Z"
	case "date":
		return "2024-01-02"
	case "duration":
		return "30s"
	case "byte":
		return "YWJj"
	}
	s := "example" + string(rune('a'+nth%26))
	if pattern, _ := schema["pattern"].(string); strings.HasPrefix(pattern, "^/") || strings.Contains(pattern, "(/") {
		s = "/" + s
	}
	if high, ok := schema["maxLength"].(int64); ok && int(high) < len(s) {
		s = s[:high]
	}
	return s
}
