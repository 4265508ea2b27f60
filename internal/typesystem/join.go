package typesystem

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// JoinProviders returns a provider of the types of several. The first that knows a name
// counts.
func JoinProviders(first types.Provider, others ...types.Provider) types.Provider {
	joined := first
	for _, other := range others {
		joined = joinedProvider{joined, other}
	}
	return joined
}

// joinedProvider asks a provider, and another one for what the first does not know.
type joinedProvider struct{ first, second types.Provider }

// EnumValue is part of types.Provider.
func (p joinedProvider) EnumValue(name string) ref.Val {
	if val := p.first.EnumValue(name); !types.IsError(val) {
		return val
	}
	return p.second.EnumValue(name)
}

// FindIdent is part of types.Provider.
func (p joinedProvider) FindIdent(name string) (ref.Val, bool) {
	if val, ok := p.first.FindIdent(name); ok {
		return val, true
	}
	return p.second.FindIdent(name)
}

// of is the provider that knows a struct type, the second if neither does.
func (p joinedProvider) of(structType string) types.Provider {
	if _, ok := p.first.FindStructType(structType); ok {
		return p.first
	}
	return p.second
}

// FindStructType is part of types.Provider.
func (p joinedProvider) FindStructType(structType string) (*types.Type, bool) {
	return p.of(structType).FindStructType(structType)
}

// FindStructFieldNames is part of types.Provider.
func (p joinedProvider) FindStructFieldNames(structType string) ([]string, bool) {
	return p.of(structType).FindStructFieldNames(structType)
}

// FindStructFieldType is part of types.Provider.
func (p joinedProvider) FindStructFieldType(structType, field string) (*types.FieldType, bool) {
	return p.of(structType).FindStructFieldType(structType, field)
}

// NewValue is part of types.Provider.
func (p joinedProvider) NewValue(structType string, fields map[string]ref.Val) ref.Val {
	return p.of(structType).NewValue(structType, fields)
}
