package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"
)

// Decode reads YAML or JSON as an API server does: whole numbers that fit are
// int64, all others float64.
func Decode(data []byte) (any, error) {
	j, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(j))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return numbers(v)
}

func numbers(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i, nil
		}
		return v.Float64()
	case []any:
		for i := range v {
			n, err := numbers(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = n
		}
	case map[string]any:
		for k := range v {
			n, err := numbers(v[k])
			if err != nil {
				return nil, err
			}
			v[k] = n
		}
	}
	return v, nil
}

// DeepCopy copies decoded JSON.
func DeepCopy(v any) any {
	switch v := v.(type) {
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = DeepCopy(v[i])
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(v))
		for k := range v {
			c[k] = DeepCopy(v[k])
		}
		return c
	}
	return v
}

// readAll decodes every YAML file of a folder in the order of names.
func readAll(dir string) ([]map[string]any, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []map[string]any
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		v, err := Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: not a mapping", f)
		}
		name := filepath.Base(f)
		m["@file"] = name[:len(name)-len(".yaml")]
		all = append(all, m)
	}
	return all, nil
}

// reader picks fields of decoded YAML and keeps the first complaint.
type reader struct{ err error }

func get[T any](r *reader, m map[string]any, key string) (zero T) {
	v, ok := m[key]
	if !ok || v == nil {
		return zero
	}
	t, ok := v.(T)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("%v: %s: expected %T, got %T", m["@file"], key, zero, v)
	}
	return t
}
