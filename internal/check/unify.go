package check

import (
	"slices"
	"strconv"

	"github.com/google/cel-go/common/types"
)

// unifier finds types for variables. A variable stands for the element of an empty list, for what an
// empty optional may hold, or for a type parameter of an overload at one call.
type unifier struct {
	// bound are the types of the variables, nil if one is free.
	bound []*types.Type
	// vars are the variables as types; they are the same in all checks.
	vars []*types.Type
	// trail is what was bound before, so that a failed attempt can be undone.
	trail []binding
}

type binding struct {
	variable int
	before   *types.Type
}

// reset forgets all variables.
func (u *unifier) reset() {
	clear(u.bound)
	clear(u.trail[:cap(u.trail)])
	u.bound, u.trail = u.bound[:0], u.trail[:0]
}

// newVars makes variables, and returns the number of the first.
func (u *unifier) newVars(n int) int {
	first := len(u.bound)
	for range n {
		if len(u.vars) == len(u.bound) {
			u.vars = append(u.vars, types.NewTypeParamType(strconv.Itoa(len(u.vars))))
		}
		u.bound = append(u.bound, nil)
	}
	return first
}

func (u *unifier) newVar() *types.Type { return u.vars[u.newVars(1)] }

// number is that of a variable.
func number(t *types.Type) int {
	n, _ := strconv.Atoi(t.TypeName()) // no others come here
	return n
}

func (u *unifier) bind(n int, t *types.Type) {
	u.trail = append(u.trail, binding{n, u.bound[n]})
	u.bound[n] = t
}

// undo takes back what was bound since the trail had a length.
func (u *unifier) undo(mark int) {
	for i := len(u.trail) - 1; i >= mark; i-- {
		u.bound[u.trail[i].variable] = u.trail[i].before
	}
	u.trail = u.trail[:mark]
}

// assignable tells whether a type can be assigned to another one, and binds variables so
// that it can.
func (u *unifier) assignable(t, to *types.Type) bool {
	mark := len(u.trail)
	if u.unify(t, to) {
		return true
	}
	u.undo(mark)
	return false
}

// unify is assignable. If it fails, it leaves variables bound.
func (u *unifier) unify(t, to *types.Type) bool {
	if to.Kind() == types.TypeParamKind {
		ok, taken := u.settle(t, to)
		if ok || taken {
			return ok
		}
	}
	if t.Kind() == types.TypeParamKind {
		ok, _ := u.settle(to, t)
		return ok
	}
	if verdict, known := assignableKinds(t, to); known {
		return verdict
	}
	if t.TypeName() != to.TypeName() || len(t.Parameters()) != len(to.Parameters()) {
		return false
	}
	for i, p := range t.Parameters() {
		if !u.unify(p, to.Parameters()[i]) {
			return false
		}
	}
	return true
}

// settle makes a variable stand for a type, if it can. Taken tells whether it stands for one
// already.
func (u *unifier) settle(t, variable *types.Type) (ok, taken bool) {
	if t.IsExactType(variable) {
		return true, true
	}
	n := number(variable)
	known := u.bound[n]
	switch {
	case known == nil:
		if u.occurs(variable, t) {
			return false, false
		}
		u.bind(n, t)
		return true, false
	case t.IsExactType(known):
		return true, true
	case u.unify(t, known):
		if general := mostGeneral(t, known); !u.occurs(variable, general) {
			u.bind(n, general)
		}
		return true, true
	}
	return false, true
}

// occurs tells whether a variable is in a type.
func (u *unifier) occurs(variable, t *types.Type) bool {
	if variable.IsExactType(t) {
		return true
	}
	if t.Kind() == types.TypeParamKind {
		known := u.bound[number(t)]
		return known != nil && u.occurs(variable, known)
	}
	return slices.ContainsFunc(t.Parameters(), func(p *types.Type) bool { return u.occurs(variable, p) })
}

// substitute puts the types of variables into a type. Of those that are free it leaves none if free is
// to become dyn.
func (u *unifier) substitute(t *types.Type, dyn bool) *types.Type {
	return replace(t, func(variable *types.Type) *types.Type {
		switch known := u.bound[number(variable)]; {
		case known != nil:
			return u.substitute(known, dyn)
		case dyn:
			return types.DynType
		}
		return variable
	})
}

// instantiate replaces the type parameters of an overload by variables.
func (u *unifier) instantiate(t *types.Type, params []string, first int) *types.Type {
	return replace(t, func(p *types.Type) *types.Type { return u.vars[first+slices.Index(params, p.TypeName())] })
}
