package kubecel

import (
	"cmp"
	"slices"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/compile"
	"github.com/kubecel/kubecel/internal/server"
	"github.com/kubecel/kubecel/library"
	"github.com/kubecel/kubecel/release"
)

// ReleaseCapabilities is what an API server of a release has besides the standard
// functions and macros of CEL, as data. Lists are sorted by name.
type ReleaseCapabilities struct {
	// Release is the release.
	Release release.Release `json:"release"`
	// Settings are the settings of the language.
	Settings []Capability `json:"settings"`
	// Functions are the functions.
	Functions []FunctionCapability `json:"functions"`
	// Macros are the macros, each with the forms of its calls.
	Macros []Capability `json:"macros"`
	// Types are the types that expressions can name.
	Types []Capability `json:"types,omitempty"`
	// Limits are the limits on expressions.
	Limits Limits `json:"limits"`
}

// Capability is something that a release has.
type Capability struct {
	// Name is its name.
	Name string `json:"name"`
	// Doc says what it is.
	Doc string `json:"doc"`
	// Written tells whether the release accepts it in new expressions. The release
	// evaluates everything that is listed in stored expressions.
	Written bool `json:"written"`
	// Usage are the forms of a call of a macro.
	Usage []string `json:"usage,omitempty"`
}

// FunctionCapability is a function with its overloads.
type FunctionCapability struct {
	// Name is the name in expressions. It may be qualified, as in format.named.
	Name string `json:"name"`
	// Doc says what the function does.
	Doc string `json:"doc"`
	// Overloads are the signatures, in the order in which they are tried.
	Overloads []OverloadCapability `json:"overloads"`
}

// OverloadCapability is one signature of a function.
type OverloadCapability struct {
	// ID is the overload id of the API server.
	ID string `json:"id"`
	// Signature is the signature, such as <net.IP>.family() → int.
	Signature string `json:"signature"`
	// Cost is the price of a call as a formula in cost units.
	Cost string `json:"cost"`
	// Written tells whether the release accepts it in new expressions.
	Written bool `json:"written"`
}

// Limits are the limits of a server, in cost units unless they say otherwise. They
// are the same in every release.
type Limits struct {
	// Expression is the greatest size of an expression, in code points.
	Expression int `json:"expressionCodePoints"`
	// Evaluation is the greatest cost of one evaluation.
	Evaluation uint64 `json:"evaluation"`
	// Object is the greatest cost of all evaluations on one object.
	Object uint64 `json:"object"`
	// RuleEstimate is the greatest estimate of a rule.
	RuleEstimate uint64 `json:"ruleEstimate"`
	// SchemaEstimate is the greatest estimate of all rules of a schema.
	SchemaEstimate uint64 `json:"schemaEstimate"`
	// Request is the size of the largest request, in bytes. Estimates assume it
	// where a schema has no bound.
	Request int `json:"requestBytes"`
}

// Capabilities returns what an API server of a release has. The error for a
// release that is not known is an *InputError.
func Capabilities(r release.Release) (*ReleaseCapabilities, error) {
	if err := r.Check(); err != nil {
		return nil, optionError(err)
	}
	c := &ReleaseCapabilities{Release: r, Limits: Limits{
		Expression: compile.DefaultExpressionSize,
		Evaluation: cost.PerCallLimit, Object: cost.Budget,
		RuleEstimate: cost.EstimateLimit, SchemaEstimate: cost.SchemaEstimateLimit,
		Request: cost.MaxRequestSizeBytes,
	}}
	written := map[string]bool{}
	for _, lib := range server.WrittenTo(r).Libraries() {
		if lib = lib.Released(); len(lib.Functions) == 0 {
			written[lib.Name] = true
		}
		for _, f := range lib.Functions {
			for _, o := range f.Overloads {
				written[o.ID] = true
			}
		}
		for _, m := range lib.Macros {
			written[macroKey(m)] = true
		}
		for _, t := range lib.Types {
			written[t.CEL.TypeName()] = true
		}
	}
	for _, lib := range server.StoredIn(r).Libraries() {
		c.add(lib.Released(), r, written)
	}
	for _, list := range [][]Capability{c.Settings, c.Macros, c.Types} {
		slices.SortFunc(list, func(a, b Capability) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), slices.Compare(a.Usage, b.Usage))
		})
	}
	slices.SortFunc(c.Functions, func(a, b FunctionCapability) int { return cmp.Compare(a.Name, b.Name) })
	return c, nil
}

func macroKey(m library.Macro) string { return m.Name + " " + m.Usage[0] }

// add adds what a library has.
func (c *ReleaseCapabilities) add(lib library.Library, r release.Release, written map[string]bool) {
	if len(lib.Functions) == 0 {
		c.Settings = append(c.Settings, Capability{Name: lib.Name, Doc: lib.Doc, Written: written[lib.Name]})
	}
	for _, f := range lib.Functions {
		i := slices.IndexFunc(c.Functions, func(known FunctionCapability) bool { return known.Name == f.Name })
		if i < 0 {
			i = len(c.Functions)
			c.Functions = append(c.Functions, FunctionCapability{Name: f.Name, Doc: f.Doc})
		}
		for _, o := range f.Overloads {
			c.Functions[i].Overloads = append(c.Functions[i].Overloads, OverloadCapability{
				ID: o.ID, Signature: f.Signature(o), Cost: o.CostText(r), Written: written[o.ID],
			})
		}
	}
	for _, m := range lib.Macros {
		c.Macros = append(c.Macros, Capability{Name: m.Name, Doc: m.Doc, Written: written[macroKey(m)], Usage: m.Usage})
	}
	for _, t := range lib.Types {
		if t.Named {
			c.Types = append(c.Types, Capability{Name: t.CEL.TypeName(), Doc: t.Doc, Written: written[t.CEL.TypeName()]})
		}
	}
}
