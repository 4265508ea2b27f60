package admission

import (
	"fmt"
	"math"

	"github.com/kubecel/kubecel/diag"
)

// maxDepth is how deep data nests in what a server reads.
const maxDepth = 10_000

// check finds data in the objects of the request that JSON does not have.
func (r *Request) check() error {
	for _, part := range []struct {
		name string
		data map[string]any
	}{{"object", r.Object}, {"oldObject", r.OldObject}, {"options", r.Options}} {
		if part.data == nil || likeJSON(part.data, maxDepth) {
			continue
		}
		path, problem := part.name, fmt.Sprintf("the data nests deeper than %d", maxDepth)
		if !tooDeep(part.data, maxDepth) {
			path, problem = unlike(part.data, part.name)
		}
		return &diag.InputError{Code: diag.ArgumentInvalid, Path: path, Detail: problem}
	}
	return nil
}

// likeJSON tells whether data is what JSON decodes to, and nests no deeper.
func likeJSON(data any, depth int) bool {
	switch value := data.(type) {
	case nil, string, bool, int64:
		return true
	case float64:
		return !math.IsNaN(value) && !math.IsInf(value, 0)
	case map[string]any:
		for _, elem := range value {
			if depth == 0 || !likeJSON(elem, depth-1) {
				return false
			}
		}
		return true
	case []any:
		for _, elem := range value {
			if depth == 0 || !likeJSON(elem, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// tooDeep tells whether data nests deeper.
func tooDeep(data any, depth int) bool {
	switch value := data.(type) {
	case map[string]any:
		for _, elem := range value {
			if depth == 0 || tooDeep(elem, depth-1) {
				return true
			}
		}
	case []any:
		for _, elem := range value {
			if depth == 0 || tooDeep(elem, depth-1) {
				return true
			}
		}
	}
	return false
}

// unlike returns the first place of data that is not like JSON, and what it has. The data
// nests no deeper than maxDepth.
func unlike(data any, path string) (place, problem string) {
	switch value := data.(type) {
	case map[string]any:
		for _, key := range sorted(value) {
			if !likeJSON(value[key], maxDepth) {
				return unlike(value[key], path+"."+key)
			}
		}
	case []any:
		for i, elem := range value {
			if !likeJSON(elem, maxDepth) {
				return unlike(elem, fmt.Sprintf("%s[%d]", path, i))
			}
		}
	case float64:
		return path, fmt.Sprintf("%v is no number of JSON", value)
	}
	return path, fmt.Sprintf("%T is no unstructured data: map[string]any, []any, string, bool, int64, float64 and nil are", data)
}
