package typesystem

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// setValue is a list of x-kubernetes-list-type set: its order does not count, and + is the union.
type setValue struct {
	listValue
}

// Equal compares the elements as sets.
func (s *setValue) Equal(other ref.Val) ref.Val {
	return equalSets(len(s.data), s.at, other)
}

// Add appends what is new in another list.
func (s *setValue) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return union(s.elements(0), o)
}

// setSum is the result of adding to a set, and still a set.
type setSum struct {
	traits.Lister
	elems []ref.Val
}

// Equal compares the elements as sets.
func (s *setSum) Equal(other ref.Val) ref.Val {
	return equalSets(len(s.elems), func(i int) ref.Val { return s.elems[i] }, other)
}

// Add appends what is new in another list.
func (s *setSum) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return union(append([]ref.Val(nil), s.elems...), o)
}

// union keeps the elements it gets, in their order, and appends those of other that are new.
func union(elems []ref.Val, other traits.Lister) ref.Val {
	set := make(map[any]struct{}, len(elems))
	for _, elem := range elems {
		key, err := setKey(elem)
		if err != nil {
			return err
		}
		set[key] = struct{}{}
	}
	for it := other.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		key, err := setKey(elem)
		if err != nil {
			return err
		}
		if _, ok := set[key]; !ok {
			set[key] = struct{}{}
			elems = append(elems, elem)
		}
	}
	return &setSum{Lister: types.NewRefValList(types.DefaultTypeAdapter, elems), elems: elems}
}

func equalSets(size int, at func(int) ref.Val, other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(size) != o.Size() {
		return types.False
	}
	// What is seen of the set counts down to nothing if both have the same elements.
	seen := make(map[any]bool, size)
	for i := range size {
		key, err := setKey(at(i))
		if err != nil {
			return err
		}
		seen[key] = false
	}
	left := len(seen)
	for it := o.Iterator(); it.HasNext() == types.True; {
		key, err := setKey(it.Next())
		if err != nil {
			return err
		}
		known, ok := seen[key]
		if !ok {
			return types.False
		}
		if !known {
			seen[key] = true
			left--
		}
	}
	return types.Bool(left == 0)
}

// setKey identifies an element of a set among Go map keys. Only scalars have a key.
func setKey(elem ref.Val) (key any, err ref.Val) {
	switch elem.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	return hashable(elem.Value()), nil
}

// hashable returns a value that can be a Go map key: the value itself, or, such as for bytes, a
// description that no other value has.
func hashable(raw any) any {
	if raw != nil && !reflect.TypeOf(raw).Comparable() {
		return fmt.Sprintf("%#v", raw)
	}
	return raw
}
