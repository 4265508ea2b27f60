package check

import (
	"strings"
	"sync"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/stdlib"
	"github.com/google/cel-go/common/types"
)

// function is a function with its overloads in the order of their declaration.
type function struct {
	name string
	// logic tells whether it is && or ||, which take any number of arguments.
	logic     bool
	overloads []overload
}

type overload struct {
	id     string
	member bool
	// mixed tells whether it compares numbers of different types.
	mixed  bool
	args   []*types.Type
	result *types.Type
	// params are the type parameters.
	params []string
	// ref refers to this overload alone.
	ref *ast.ReferenceInfo
}

func newFunction(f *decls.FunctionDecl) *function {
	out := &function{name: f.Name(), logic: f.Name() == operators.LogicalAnd || f.Name() == operators.LogicalOr}
	for _, o := range f.OverloadDecls() {
		out.overloads = append(out.overloads, overload{
			id: o.ID(), member: o.IsMemberFunction(), mixed: mixedComparisons()[o.ID()],
			args: o.ArgTypes(), result: o.ResultType(), params: o.TypeParams(), ref: ast.NewFunctionReference(o.ID()),
		})
	}
	return out
}

// mixedComparisons are the overloads that compare numbers of different types, by id.
var mixedComparisons = sync.OnceValue(func() map[string]bool {
	comparisons := map[string]bool{
		operators.Less: true, operators.LessEquals: true, operators.Greater: true, operators.GreaterEquals: true,
	}
	ids := map[string]bool{}
	for _, f := range stdlib.Functions() {
		for _, o := range f.OverloadDecls() {
			if comparisons[f.Name()] && !o.ArgTypes()[0].IsExactType(o.ArgTypes()[1]) {
				ids[o.ID()] = true
			}
		}
	}
	return ids
})

func (s *state) call(e ast.Expr) {
	call := e.AsCall()
	name := call.FunctionName()
	if name == operators.OptSelect {
		s.optionalSelection(e)
		return
	}
	for _, arg := range call.Args() {
		s.check(arg)
	}
	if s.failed {
		return
	}
	if !call.IsMemberFunction() {
		f := s.base.functions[strings.TrimPrefix(name, ".")]
		if f == nil {
			s.fail()
			return
		}
		if f.name != name {
			s.rewrites = append(s.rewrites, rewrite{node: e, name: f.name, call: true})
		}
		s.resolve(e, f, nil, call.Args())
		return
	}
	target := call.Target()
	if first := strings.TrimPrefix(root(target), "."); first != "" && s.base.roots[first] {
		full := strings.TrimPrefix(qualifiedName(target), ".") + "." + name
		if f := s.base.functions[full]; f != nil {
			s.rewrites = append(s.rewrites, rewrite{node: e, name: f.name, call: true})
			s.resolve(e, f, nil, call.Args())
			return
		}
	}
	s.check(target)
	f := s.base.functions[name]
	if f == nil || s.failed {
		s.fail()
		return
	}
	s.resolve(e, f, target, call.Args())
}

// maxArgs is how many arguments a call has for which no memory is needed.
const maxArgs = 4

// resolve finds the overloads that a call may have, and the type of its result.
func (s *state) resolve(e ast.Expr, f *function, target ast.Expr, args []ast.Expr) {
	var buffer [maxArgs]*types.Type
	given := buffer[:0]
	if target != nil {
		given = append(given, s.typeOf(target))
	}
	for _, arg := range args {
		given = append(given, s.typeOf(arg))
	}
	if s.failed {
		return
	}
	if f.logic {
		s.resolveLogic(e, f, target != nil, given)
		return
	}
	known := true
	for _, t := range given {
		known = known && ground(t)
	}
	r := resolution{state: s, member: target != nil, args: given}
	ok := false
	if known {
		ok = r.each(f, (*resolution).matchGround)
	}
	if !ok {
		r = resolution{state: s, member: target != nil, args: given}
		ok = r.each(f, (*resolution).matchOpen)
	}
	if !ok || r.result == nil {
		s.fail()
		return
	}
	s.setType(e, r.result)
	s.at(e.ID()).ref = r.ref
}

// resolveLogic resolves && and ||.
func (s *state) resolveLogic(e ast.Expr, f *function, member bool, given []*types.Type) {
	for i := range f.overloads {
		o := &f.overloads[i]
		if o.member != member {
			continue
		}
		for _, t := range given {
			if !s.assignable(t, types.BoolType) {
				s.fail()
			}
		}
		s.setType(e, types.BoolType)
		s.at(e.ID()).ref = o.ref
		return
	}
	s.fail()
}

// resolution is the state of resolving one call.
type resolution struct {
	*state
	member bool
	args   []*types.Type
	// result is the type of the result of what has matched so far, nil if nothing has. It is open
	// if it depends on a parameter that no argument tells.
	result *types.Type
	open   bool
	// unfit is set if an overload cannot be matched in this way.
	unfit bool
	ref   *ast.ReferenceInfo
	// shared tells whether ref belongs to an overload.
	shared bool
}

// each tries all overloads. It fails if match cannot tell the type of the result.
func (r *resolution) each(f *function, match func(*resolution, *overload) (result *types.Type, ok bool)) bool {
	for i := range f.overloads {
		o := &f.overloads[i]
		if o.member != r.member || len(o.args) != len(r.args) || o.mixed && r.strict {
			continue
		}
		result, ok := match(r, o)
		if !ok {
			continue
		}
		r.add(o)
		switch {
		case r.result == nil:
			if r.result = result; result == nil {
				r.result, r.open = openResult, true
			}
		case !isDyn(r.result) && (result == nil || !result.IsExactType(r.result)):
			r.result, r.open = types.DynType, false
		}
	}
	return !r.open && !r.unfit
}

// openResult stands for a type that depends on a parameter that no argument tells.
var openResult = types.NewTypeParamType("?")

// add adds an overload to the reference.
func (r *resolution) add(o *overload) {
	switch {
	case r.ref == nil:
		r.ref, r.shared = o.ref, true
		return
	case r.shared:
		r.ref, r.shared = ast.NewFunctionReference(r.ref.OverloadIDs...), false
	}
	r.ref.AddOverload(o.id)
}

// matchOpen unifies the types of the arguments, some of which are not known.
func (r *resolution) matchOpen(o *overload) (*types.Type, bool) {
	first := r.newVars(len(o.params))
	mark := len(r.trail)
	for i, arg := range r.args {
		if !r.unify(arg, r.instantiate(o.args[i], o.params, first)) {
			r.undo(mark)
			return nil, false
		}
	}
	return r.substitute(r.instantiate(o.result, o.params, first), false), true
}
