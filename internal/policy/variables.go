package policy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/escaping"
	"github.com/kubecel/kubecel/internal/eval"
)

// variablesValueType is the type of the value of `variables`, which has no more traits
// than in a server (k8s.io/apiserver v0.37.2, pkg/cel/lazy).
var variablesValueType = types.NewTypeValue(variablesType, traits.IndexerType|traits.FieldTesterType|traits.IterableType)

// variables is the value of `variables`. It computes a variable when it is first
// selected. It belongs to the evaluation of one group.
type variables struct {
	ctx      context.Context
	declared map[string]*Expression
	vars     eval.Vars
	limit    uint64
	values   map[string]ref.Val
	// spent is what was computed since the last call of settle.
	spent uint64
	// computed are the costs by variable.
	computed map[string]uint64
}

var _ traits.Mapper = (*variables)(nil)

// settle returns what variables have cost since the last call, in cost units.
func (m *variables) settle() uint64 {
	spent := m.spent
	m.spent = 0
	return spent
}

// compute evaluates a variable once. A variable that needs itself, which only
// duplicates make possible, is an error; a server does not return from it.
func (m *variables) compute(name string) ref.Val {
	if v, ok := m.values[name]; ok {
		return v
	}
	x := m.declared[name]
	m.values[name] = types.NewErr("composited variable %q fails to evaluate: it needs its own value", name)
	m.values[name] = m.evaluate(name, x)
	return m.values[name]
}

func (m *variables) evaluate(name string, x *Expression) ref.Val {
	if x.Err != nil {
		return types.NewErr("composited variable %q fails to compile: %v", name, x.Err.Server)
	}
	result := x.program.Eval(m.ctx, m.vars, m.limit)
	m.spent += result.Cost // at most the limit of a call and one step, for each variable
	m.computed[name] = result.Cost
	if result.Err != nil {
		return types.NewErr("composited variable %q fails to evaluate: %v", name, result.Err)
	}
	return result.Value
}

// Find returns the value of a variable. As in a server, names are unescaped.
func (m *variables) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	plain, ok := escaping.Unescape(string(name))
	if !ok || m.declared[plain] == nil {
		return nil, false
	}
	return m.compute(plain), true
}

func (m *variables) Get(key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (m *variables) Contains(key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

func (m *variables) Size() ref.Val  { return types.Int(len(m.declared)) }
func (m *variables) Type() ref.Type { return variablesValueType }
func (m *variables) Value() any     { return types.NoSuchOverloadErr() }

func (m *variables) Equal(other ref.Val) ref.Val {
	o, ok := other.(*variables)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(m == o)
}

func (m *variables) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("disallowed conversion from %q to %q", variablesType, t.Name())
}

func (m *variables) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case variablesValueType:
		return m
	case types.TypeType:
		return variablesValueType
	}
	return types.NewErr("disallowed conversion from %q to %q", variablesType, t.TypeName())
}

// Iterator gives the values in the order of their names; a server has no order.
func (m *variables) Iterator() traits.Iterator {
	return &variableIterator{variables: m, names: slices.Sorted(maps.Keys(m.declared))}
}

type variableIterator struct {
	*variables
	names []string
}

func (it *variableIterator) HasNext() ref.Val { return types.Bool(len(it.names) > 0) }

func (it *variableIterator) Next() ref.Val {
	if len(it.names) == 0 {
		return types.NewErr("no more variables")
	}
	name := it.names[0]
	it.names = it.names[1:]
	return it.Get(types.String(name))
}

func (it *variableIterator) Type() ref.Type { return types.IteratorType }
func (it *variableIterator) Value() any     { return nil }

// asInt is a cost as a server counts it.
func asInt(units uint64) int64 { return int64(min(units, math.MaxInt64)) }
