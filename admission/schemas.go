package admission

import (
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// MergeSchemas say how apply configurations are merged into objects, by their kinds.
type MergeSchemas struct {
	kinds map[GroupVersionKind]typed.ParseableType
}

// merging returns how objects of a kind are merged, and false if the cluster has schemas
// and none of the kind.
func (c *Cluster) merging(kind GroupVersionKind) (typed.ParseableType, bool) {
	if c == nil || c.Schemas == nil {
		return typed.DeducedParseableType, true
	}
	t, ok := c.Schemas.kinds[kind]
	return t, ok
}
