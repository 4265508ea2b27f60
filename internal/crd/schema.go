package crd

import (
	"maps"
	"slices"

	"github.com/kubecel/kubecel/internal/typesystem"
)

// items is the schema of an array's elements, nil if there is none.
func items(s *typesystem.OpenAPI) *typesystem.OpenAPI {
	if s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// additional is the schema of a map's values, nil if there is none.
func additional(s *typesystem.OpenAPI) *typesystem.OpenAPI {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

// property is the schema of a property, nil if there is none.
func property(s *typesystem.OpenAPI, name string) *typesystem.OpenAPI {
	if p, ok := s.Properties[name]; ok {
		return &p
	}
	return nil
}

// preserves tells whether unknown fields are kept.
func preserves(s *typesystem.OpenAPI) bool {
	return s.PreserveUnknownFields != nil && *s.PreserveUnknownFields
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
