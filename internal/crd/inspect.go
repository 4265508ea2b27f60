package crd

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/internal/typesystem"
)

// Site is a rule of a schema with all that its estimate rests on.
type Site struct {
	Rule *typesystem.Rule
	// Path is the path of the rule in the CRD, as findings name it.
	Path *field.Path
	// Place is the node in the schema, Doc what stands there and Self its type.
	Place typesystem.Place
	Doc   *typesystem.OpenAPI
	Self  *typesystem.Schema
	// Chain are the lists and maps on the way to the node, the outermost first.
	Chain []Link
	// Cardinality is how often the rule can apply to one object, Fallback how
	// often if a list or map on the way has no bound.
	Cardinality, Fallback uint64
	compiledRule
	// Findings are what is wrong with the rule alone.
	Findings []diag.Finding
}

// Link is a list or a map on the way to a rule.
type Link struct {
	Place typesystem.Place
	// Keyword is maxItems or maxProperties, Value its value, nil if it is missing.
	Keyword string
	Value   *int64
}

// Cardinality is how often a rule below lists and maps with these bounds can apply:
// fallback if a bound is missing. Negative bounds count as zero.
func Cardinality(chain []Link, fallback uint64) uint64 {
	product := uint64(1)
	for _, l := range chain {
		if l.Value == nil {
			return fallback
		}
		product = pricing.Repeated(product, uint64(max(*l.Value, 0)))
	}
	return product
}
