package typesystem

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// mapListValue is a list of x-kubernetes-list-type map: its order does not count, and + replaces the
// elements that have the same key.
type mapListValue struct {
	listValue
}

// Equal compares the elements that have the same key. An API server finds keys in the data by their
// escaped names, so a key such as a-b is not found and does not tell elements apart.
func (m *mapListValue) Equal(other ref.Val) ref.Val {
	idents := m.schema.keyIdents
	return equalKeyed(m.data, other, m.schema.Items.Value,
		func(elem any) (any, ref.Val) { return dataKey(elem, idents) },
		func(elem ref.Val) (any, ref.Val) { return dataKey(elem.Value(), idents) })
}

// Add replaces the elements that another list has too, and appends the others.
func (m *mapListValue) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return merge(m.elements(0), o, m.schema.keyIdents)
}

// mapListSum is the result of adding to a list of type map, and still one. Its elements need not be
// data, so their keys are looked up as expressions do.
type mapListSum struct {
	traits.Lister
	elems  []ref.Val
	idents []string
}

// Equal compares the elements that have the same key.
func (m *mapListSum) Equal(other ref.Val) ref.Val {
	key := func(elem ref.Val) (any, ref.Val) { return valueKey(elem, m.idents), nil }
	return equalKeyed(m.elems, other, func(elem ref.Val) ref.Val { return elem }, key, key)
}

// Add replaces the elements that another list has too, and appends the others.
func (m *mapListSum) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return merge(append([]ref.Val(nil), m.elems...), o, m.idents)
}

// merge puts the elements of other in the places of those of elems that have the same keys, and
// appends the others.
func merge(elems []ref.Val, other traits.Lister, idents []string) ref.Val {
	places := make(map[any]int, len(elems))
	for i, elem := range elems {
		places[valueKey(elem, idents)] = i
	}
	for it := other.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		// As in an API server, elements appended here are not in places: other may repeat keys.
		if i, ok := places[valueKey(elem, idents)]; ok {
			elems[i] = elem
		} else {
			elems = append(elems, elem)
		}
	}
	return &mapListSum{Lister: types.NewRefValList(types.DefaultTypeAdapter, elems), elems: elems, idents: idents}
}

// equalKeyed compares the elements of two lists that have the same key. Of own elements with the same
// key the last counts.
func equalKeyed[E any](elems []E, other ref.Val, value func(E) ref.Val,
	ownKey func(E) (any, ref.Val), otherKey func(ref.Val) (any, ref.Val)) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(len(elems)) != o.Size() {
		return types.False
	}
	byKey := make(map[any]int, len(elems))
	for i, elem := range elems {
		key, err := ownKey(elem)
		if err != nil {
			return err
		}
		byKey[key] = i
	}
	seen := make(map[int]struct{}, len(byKey))
	for it := o.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		key, err := otherKey(elem)
		if err != nil {
			return err
		}
		i, ok := byKey[key]
		if !ok {
			return types.False
		}
		if eq := value(elems[i]).Equal(elem); eq != types.True {
			return eq
		}
		seen[i] = struct{}{}
	}
	return types.Bool(len(seen) == len(byKey))
}

// dataKey is the key of an element by its data. What is not an object has a key that nothing else has.
// Keys that are no scalars are an error; an API server's evaluation ends there.
func dataKey(elem any, idents []string) (any, ref.Val) {
	object, ok := elem.(map[string]any)
	if !ok {
		return new(int), nil
	}
	parts := make([]any, len(idents))
	for i, ident := range idents {
		part := object[ident]
		if len(idents) <= 3 && part != nil && !reflect.TypeOf(part).Comparable() {
			return nil, types.NewErr("internal error: runtime error: hash of unhashable type %T", part)
		}
		parts[i] = part
	}
	return compositeKey(parts), nil
}

// valueKey is the key of an element that need not be data.
func valueKey(elem ref.Val, idents []string) any {
	parts := make([]any, len(idents))
	for i, ident := range idents {
		if v := fieldOf(elem, types.String(ident)); v != nil && !types.IsUnknownOrError(v) {
			parts[i] = hashable(v.Value())
		}
	}
	return compositeKey(parts)
}

// fieldOf returns a field of a map or of an object, nil if there is none.
func fieldOf(elem ref.Val, name types.String) ref.Val {
	switch e := elem.(type) {
	case traits.Mapper:
		if v, ok := e.Find(name); ok {
			return v
		}
	case traits.Indexer:
		if tester, ok := elem.(traits.FieldTester); ok && tester.IsSet(name) == types.True {
			return e.Get(name)
		}
	}
	return nil
}

// compositeKey makes a Go map key of the values of up to three keys, and a description of more.
func compositeKey(parts []any) any {
	switch len(parts) {
	case 1:
		return parts[0]
	case 2:
		return [2]any(parts)
	case 3:
		return [3]any(parts)
	}
	return fmt.Sprintf("%#v", parts)
}
