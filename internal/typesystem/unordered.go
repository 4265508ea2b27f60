package typesystem

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// setValue is a list of x-kubernetes-list-type set. Its order does not count, and + is the union.
type setValue struct{ listValue }

// Equal compares the elements as sets.
func (s *setValue) Equal(other ref.Val) ref.Val {
	return equalKeyed(s.elements(0), other, setKey, setKey, nil)
}

// Add appends what is new in another list.
func (s *setValue) Add(other ref.Val) ref.Val { return add(s.elements(0), other, setKey, false) }

// mapListValue is a list of x-kubernetes-list-type map. Its order does not count, and + replaces the
// elements that have the same key.
type mapListValue struct{ listValue }

// Equal compares the elements that have the same key. An API server finds keys in the data by their
// escaped names, so a key such as a-b is not found and does not tell elements apart.
func (m *mapListValue) Equal(other ref.Val) ref.Val {
	idents := m.schema.keyIdents
	return equalKeyed(m.data, other,
		func(elem any) (any, ref.Val) { return dataKey(elem, idents), nil },
		func(elem ref.Val) (any, ref.Val) { return dataKey(elem.Value(), idents), nil },
		m.schema.Items.Value)
}

// Add replaces the elements that another list has too, and appends the others.
func (m *mapListValue) Add(other ref.Val) ref.Val {
	return add(m.elements(0), other, valueKey(m.schema.keyIdents), true)
}

// key tells an element from others. Its error is a CEL value.
type key func(elem ref.Val) (any, ref.Val)

// sum is the result of adding to a list without order, and one itself. Its elements need not be data.
type sum struct {
	traits.Lister
	elems []ref.Val
	key   key
	// maps tells that the list is one of type map, and no set.
	maps bool
}

// Equal compares as the list that was added to.
func (s *sum) Equal(other ref.Val) ref.Val {
	if s.maps {
		return equalKeyed(s.elems, other, s.key, s.key, func(elem ref.Val) ref.Val { return elem })
	}
	return equalKeyed(s.elems, other, s.key, s.key, nil)
}

// Add adds as the list that was added to.
func (s *sum) Add(other ref.Val) ref.Val { return add(slices.Clone(s.elems), other, s.key, s.maps) }

// add appends the elements of another list that are new to a set. In a list of type map, it puts them
// in the places of elements with the same key. It changes elems.
func add(elems []ref.Val, other ref.Val, of key, maps bool) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	places := make(map[any]int, len(elems))
	for i, elem := range elems {
		k, err := of(elem)
		if err != nil {
			return err
		}
		places[k] = i
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		k, err := of(elem)
		if err != nil {
			return err
		}
		i, known := places[k]
		switch {
		case !known:
			elems = append(elems, elem)
			if !maps { // in an API server, lists of type map may repeat what is appended
				places[k] = len(elems) - 1
			}
		case maps:
			elems[i] = elem
		}
	}
	return &sum{Lister: types.NewRefValList(types.DefaultTypeAdapter, elems), elems: elems, key: of, maps: maps}
}

// equalKeyed compares the keys of two lists. If value is not nil, it also compares the elements with
// the same key. Of own elements with the same key the last counts.
func equalKeyed[E any](elems []E, other ref.Val, own func(E) (any, ref.Val), others key, value func(E) ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(len(elems)) != o.Size() {
		return types.False
	}
	byKey := make(map[any]int, len(elems))
	for i, elem := range elems {
		k, err := own(elem)
		if err != nil {
			return err
		}
		byKey[k] = i
	}
	seen := make(map[int]struct{}, len(byKey))
	for it := o.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		k, err := others(elem)
		if err != nil {
			return err
		}
		i, ok := byKey[k]
		if !ok {
			return types.False
		}
		if value != nil {
			if eq := value(elems[i]).Equal(elem); eq != types.True {
				return eq
			}
		}
		seen[i] = struct{}{}
	}
	return types.Bool(len(seen) == len(byKey))
}

// setKey is the key of an element of a set. Only scalars have one.
func setKey(elem ref.Val) (any, ref.Val) {
	switch elem.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	return hashable(elem.Value()), nil
}

// dataKey is the key of an element of a list of type map by its data. What is not an object has a key
// that nothing else has. A list or a map in the place of a key makes Go panic, which ends the
// evaluation, as in an API server.
func dataKey(elem any, idents []string) any {
	object, ok := elem.(map[string]any)
	if !ok {
		return new(int)
	}
	parts := make([]any, len(idents))
	for i, ident := range idents {
		parts[i] = object[ident]
	}
	return compositeKey(parts)
}

// valueKey finds the keys of elements that need not be data.
func valueKey(idents []string) key {
	return func(elem ref.Val) (any, ref.Val) {
		parts := make([]any, len(idents))
		for i, ident := range idents {
			if v := fieldOf(elem, types.String(ident)); v != nil && !types.IsUnknownOrError(v) {
				parts[i] = hashable(v.Value())
			}
		}
		return compositeKey(parts), nil
	}
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

// hashable returns a value that can be a Go map key: the value itself or, for types such as bytes, a
// description that no other value has.
func hashable(raw any) any {
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw)
	}
	return raw
}
