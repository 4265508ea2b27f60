package parity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// place is a value inside a document: how to name it and how to put another in
// its stead.
type place struct {
	path   string
	value  any
	schema map[string]any
	set    func(any)
	remove func()
}

// Mutations derives objects from one by a single change each: every value in
// turn is dropped, made null, emptied, given another type, made long or huge,
// swapped with another enum value; list items are doubled; unknown fields
// appear. Mutations of an update change the new object only, and once for each
// value the old one only. At most so many values are changed, evenly chosen; 0
// means all of them.
func Mutations(schema map[string]any, o Object, limit int) []Object {
	var all []Object
	change := func(onOld bool) {
		base := o.New
		if onOld {
			base = o.Old
		}
		count, step := len(places(schema, DeepCopy(base))), 1
		if limit > 0 {
			step = (count + limit - 1) / limit
		}
		for i := 0; i < count; i += max(step, 1) {
			for _, m := range changesOf(schema, base, i) {
				if onOld && m.name != "drop" && m.name != "bump" {
					continue
				}
				obj := Object{Name: o.Name + ":" + m.name + ":" + m.path, New: m.doc, Old: o.Old, Budget: o.Budget}
				if onOld {
					obj.Name, obj.New, obj.Old = o.Name+":old-"+m.name+":"+m.path, o.New, m.doc
				}
				all = append(all, obj)
			}
		}
	}
	change(false)
	if o.Old != nil {
		change(true)
	}
	return all
}

type mutation struct {
	name, path string
	doc        any
}

// changesOf makes all changes of the i-th place, each on a copy of its own.
func changesOf(schema map[string]any, base any, i int) []mutation {
	var all []mutation
	at := func() (any, place) {
		doc := DeepCopy(base)
		return doc, places(schema, doc)[i]
	}
	with := func(name string, v any) {
		doc, p := at()
		p.set(v)
		all = append(all, mutation{name, p.path, doc})
	}
	doc, p := at()
	p.remove()
	all = append(all, mutation{"drop", p.path, doc})
	with("null", nil)
	switch v := p.value.(type) {
	case string:
		with("empty", "")
		with("bump", v+"x")
		with("number", int64(7))
		with("long", strings.Repeat("long-", 60))
		with("unicode", "ü\u2028🙂")
		if enum, ok := p.schema["enum"].([]any); ok {
			for _, e := range enum {
				if e != v {
					with("enum", e)
					break
				}
			}
		}
	case int64:
		with("bump", v+1)
		with("text", "seven")
		with("huge", int64(math.MaxInt64))
		with("negative", int64(-1))
		with("fraction", 1.5)
		with("overflow", 1e19)
	case float64:
		with("bump", v+1)
		with("text", "seven")
		with("huge", math.MaxFloat64)
	case bool:
		with("bump", !v)
		with("text", "true")
	case []any:
		with("empty", []any{})
		with("map", map[string]any{})
		if len(v) > 0 {
			with("double", append(slices.Clone(v), DeepCopy(v[0])))
			with("reverse", reversed(v))
			with("nulls", append(slices.Clone(v), nil))
			with("mixed", append(slices.Clone(v), int64(1), "s", map[string]any{"zz": "zz"}))
			var many []any
			for range 20 {
				for _, e := range v {
					many = append(many, DeepCopy(e))
				}
			}
			with("many", many)
		}
	case map[string]any:
		with("empty", map[string]any{})
		with("list", []any{})
		unknown := maps.Clone(v)
		unknown["zz-unknown"] = "?"
		with("unknown", unknown)
	}
	return all
}

func reversed(v []any) []any {
	r := slices.Clone(v)
	slices.Reverse(r)
	return r
}

// places walks a document in a fixed order, its root left out.
func places(schema map[string]any, doc any) []place {
	var all []place
	var walk func(path string, schema map[string]any, v any)
	walk = func(path string, schema map[string]any, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				p := path + "." + k
				sub := child(schema, k)
				all = append(all, place{p, v[k], sub, func(n any) { v[k] = n }, func() { delete(v, k) }})
				walk(p, sub, v[k])
			}
		case []any:
			for i := range v {
				p := fmt.Sprintf("%s[%d]", path, i)
				sub, _ := schema["items"].(map[string]any)
				// A slice cannot shrink in place: a dropped item becomes a
				// second copy of the one before it.
				all = append(all, place{p, v[i], sub, func(n any) { v[i] = n }, func() { v[i] = v[max(i-1, 0)] }})
				walk(p, sub, v[i])
			}
		}
	}
	walk("", schema, doc)
	return all
}

func child(schema map[string]any, key string) map[string]any {
	if props, ok := schema["properties"].(map[string]any); ok {
		if s, ok := props[key].(map[string]any); ok {
			return s
		}
	}
	s, _ := schema["additionalProperties"].(map[string]any)
	return s
}
