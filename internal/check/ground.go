package check

import (
	"slices"

	"github.com/google/cel-go/common/types"
)

// maxParams is how many type parameters an overload has that is matched without unification.
const maxParams = 4

// bindings are the types of the parameters of an overload, nil if no argument tells.
type bindings [maxParams]*types.Type

// matchGround matches the types of the arguments, all of which are known. The result is nil if it
// depends on a parameter that no argument tells.
func (r *resolution) matchGround(o *overload) (result *types.Type, ok bool) {
	if len(o.params) > maxParams {
		r.unfit = true
		return nil, false
	}
	var bound bindings
	for i, arg := range r.args {
		if !bound.match(o.params, arg, o.args[i]) {
			return nil, false
		}
	}
	if len(o.params) == 0 {
		return o.result, true
	}
	return bound.apply(o.params, o.result), true
}

// match tells whether a type without parameters can be assigned to one of an overload, which may have
// some.
func (b *bindings) match(params []string, arg, param *types.Type) bool {
	if param.Kind() == types.TypeParamKind {
		p := &b[slices.Index(params, param.TypeName())]
		switch {
		case *p == nil:
			*p = arg
		case arg.IsExactType(*p):
		case assignableGround(arg, *p):
			*p = mostGeneral(arg, *p)
		default:
			return false
		}
		return true
	}
	if verdict, known := assignableKinds(arg, param); known {
		return verdict
	}
	// Types of one kind that have parameters.
	if arg.TypeName() != param.TypeName() || len(arg.Parameters()) != len(param.Parameters()) {
		return false
	}
	for i, p := range arg.Parameters() {
		if !b.match(params, p, param.Parameters()[i]) {
			return false
		}
	}
	return true
}

// apply puts the types of the parameters into a type. It returns nil if one is not known.
func (b *bindings) apply(params []string, t *types.Type) *types.Type {
	return replace(t, func(p *types.Type) *types.Type { return b[slices.Index(params, p.TypeName())] })
}

// assignableGround tells whether a type can be assigned to another one, both without
// parameters.
func assignableGround(t, to *types.Type) bool { return new(bindings).match(nil, t, to) }

// assignableKinds decides whether a type can be assigned to another one where their kinds tell. Neither is a
// parameter.
func assignableKinds(t, to *types.Type) (verdict, known bool) {
	kind, other := t.Kind(), to.Kind()
	switch {
	case isDyn(t) || isDyn(to):
		return true, true
	case kind == types.NullTypeKind:
		return nullable(to), true
	case other == types.NullTypeKind:
		return nullable(t), true
	}
	switch kind {
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.IntKind, types.StringKind, types.UintKind,
		types.DurationKind, types.TimestampKind, types.StructKind:
		return to.IsAssignableType(t), true
	case types.TypeKind:
		return other == types.TypeKind, true
	case types.OpaqueKind, types.ListKind, types.MapKind:
		return false, kind != other
	}
	return false, true
}

// nullable tells whether null can be assigned to a type.
func nullable(t *types.Type) bool {
	switch t.Kind() {
	case types.OpaqueKind, types.StructKind, types.AnyKind, types.DurationKind, types.TimestampKind:
		return true
	}
	return t.IsAssignableType(types.NullType)
}

// ground tells whether a type has no parameters in it, and is no error.
func ground(t *types.Type) bool {
	switch t.Kind() {
	case types.TypeParamKind, types.ErrorKind, types.UnspecifiedKind:
		return false
	}
	for _, p := range t.Parameters() {
		if !ground(p) {
			return false
		}
	}
	return true
}

func isDyn(t *types.Type) bool { return t.Kind() == types.DynKind || t.Kind() == types.AnyKind }

// unwrapOptional is what an optional holds.
func unwrapOptional(t *types.Type) (*types.Type, bool) {
	if t.Kind() == types.OpaqueKind && t.TypeName() == types.OptionalType.TypeName() {
		return t.Parameters()[0], true
	}
	return t, false
}

// mostGeneral is the more general of two types of which one can be assigned to the other.
func mostGeneral(a, b *types.Type) *types.Type {
	if lessSpecific(a, b) {
		return a
	}
	return b
}

// lessSpecific tells whether a type is equal to another one, or has dyn or a parameter where that has
// more.
func lessSpecific(a, b *types.Type) bool {
	kind, other := a.Kind(), b.Kind()
	switch {
	case isDyn(a) || kind == types.TypeParamKind:
		return true
	case isDyn(b) || other == types.TypeParamKind || kind != other:
		return false
	}
	switch kind {
	case types.TypeKind:
		return true
	case types.OpaqueKind, types.ListKind, types.MapKind:
		if a.TypeName() != b.TypeName() || len(a.Parameters()) != len(b.Parameters()) {
			return false
		}
		for i, p := range a.Parameters() {
			if !lessSpecific(p, b.Parameters()[i]) {
				return false
			}
		}
		return true
	}
	return a.IsExactType(b)
}

// replace replaces the parameters in a type. It returns nil if one has no replacement.
func replace(t *types.Type, of func(param *types.Type) *types.Type) *types.Type {
	if t.Kind() == types.TypeParamKind {
		return of(t)
	}
	if ground(t) {
		return t
	}
	params := make([]*types.Type, len(t.Parameters()))
	for i, p := range t.Parameters() {
		if params[i] = replace(p, of); params[i] == nil {
			return nil
		}
	}
	switch t.Kind() {
	case types.ListKind:
		return types.NewListType(params[0])
	case types.MapKind:
		return types.NewMapType(params[0], params[1])
	case types.TypeKind:
		return types.NewTypeTypeWithParam(params[0])
	}
	return types.NewOpaqueType(t.TypeName(), params...)
}
