package typesystem

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Provider declares the types of a schema to CEL.
type Provider struct {
	types.Provider
	adapter types.Adapter
	root    *Schema
	name    string
}

// NewProvider returns the types of a schema under a name, and those of base.
func NewProvider(base types.Provider, root *Schema, name string) *Provider {
	return &Provider{Provider: base, root: root, name: name}
}

// Type is the type of the schema itself.
func (p *Provider) Type() *types.Type { return types.DynType }

// WithoutKeywordFields returns a provider as before Kubernetes 1.31: a field named by a CEL keyword
// is accessible by its escaped name alone.
func (p *Provider) WithoutKeywordFields() *Provider { return p }

// NativeToValue converts Go values as base does.
func (p *Provider) NativeToValue(value any) ref.Val { return p.adapter.NativeToValue(value) }
