package eval

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

func (b *builder) planCall(expr celast.Expr) node {
	ast := expr.AsCall()
	exprs := ast.Args()
	if ast.IsMemberFunction() {
		exprs = append([]celast.Expr{ast.Target()}, exprs...)
	}
	args := b.planAll(exprs)
	id, function := expr.ID(), ast.FunctionName()
	switch function {
	case operators.LogicalAnd:
		return add(b, &logicNode{newParent(id, args), types.False})
	case operators.LogicalOr:
		return add(b, &logicNode{newParent(id, args), types.True})
	case operators.Conditional:
		return b.planConditional(id, args)
	case operators.Index:
		return b.planIndex(id, args, false)
	case operators.OptIndex, operators.OptSelect:
		return b.planIndex(id, args, true)
	}
	n := &callNode{parent: newParent(id, args), function: function, repeated: b.loops > 0}
	if ref, ok := b.checked.ReferenceMap()[id]; ok && len(ref.OverloadIDs) == 1 {
		n.overload = ref.OverloadIDs[0]
	}
	return b.specialize(n)
}

// specialize replaces calls that can be made while planning, or in less time. The order
// is that of the API server's planner.
func (b *builder) specialize(n *callNode) node {
	b.implement(n)
	if id, ok := optionalOverloads[n.function]; ok && b.optionals && len(n.args) == 2 && (n.overload == "" || n.overload == id) {
		return add(b, &orElseNode{identity{nodeID: n.nodeID}, n.args[0], n.args[1], n.function == "orValue"})
	}
	if n.overload == overloads.InList {
		if member := b.planMember(n); member != nil {
			return member
		}
	} else if overloads.IsTypeConversionFunction(n.function) && len(n.args) == 1 {
		if arg, ok := n.args[0].(*constNode); ok {
			val := n.invoke([]ref.Val{arg.val})
			if err, ok := val.(*types.Err); ok {
				panic(planFailed{err})
			}
			return b.constant(n.nodeID, val)
		}
	}
	if op := b.compileRegex(n); op != nil {
		*n = callNode{
			parent: n.parent, function: n.function, overload: n.overload, price: n.price, sized: n.sized, repeated: n.repeated,
			variadic: op, stops: true, borrows: true,
		}
		if n.function == overloads.Matches {
			n.regex = b.regexOf(n)
		}
	}
	if n.op = b.opOf(n); n.regex != nil {
		n.op = opMatches
	}
	return add(b, quicken(n))
}

// implement finds the implementation of a call and its price.
func (b *builder) implement(n *callNode) {
	switch n.function {
	case operators.Equals:
		n.overload, n.binary = overloads.Equals, types.Equal
	case operators.NotEquals:
		n.overload, n.binary = overloads.NotEquals, notEqual
	}
	n.price = b.config.Price(n.function, n.overload)
	if b.config.Sized != nil {
		n.sized = b.config.Sized(n.function, n.overload)
	}
	if n.binary != nil {
		return
	}
	impl, bound := b.overloads[n.overload]
	if !bound {
		impl, bound = b.overloads[n.function]
	}
	if !bound {
		// Only the values themselves may implement the function.
		impl = &functions.Overload{}
	}
	n.trait, n.nonStrict = impl.OperandTrait, impl.NonStrict
	switch arity := len(n.args); {
	case arity == 1 && impl.Unary != nil:
		n.unary = impl.Unary
	case arity == 2 && impl.Binary != nil:
		n.binary = impl.Binary
	case impl.Function == nil && (bound || arity == 0):
		shape := []string{"()", "(arg)", "(lhs, rhs)", "(...)"}[min(arity, 3)]
		panic(planFailed{fmt.Errorf("no such overload: %s%s", n.function, shape)})
	default:
		n.variadic = impl.Function
		n.stops = !n.nonStrict && (bound || arity > 2)
		if arity == 0 {
			n.trait = 0
		}
	}
}

func notEqual(lhs, rhs ref.Val) ref.Val { return types.Bool(types.Equal(lhs, rhs) != types.True) }

// optionalOverloads are the functions of orElseNode.
var optionalOverloads = map[string]string{"or": "optional_or_optional", "orValue": "optional_orValue_value"}

// planMember makes a set of a constant list of primitive values.
func (b *builder) planMember(n *callNode) node {
	list, ok := n.args[1].(*constNode)
	if !ok {
		return nil
	}
	lister := list.val.(traits.Lister)
	if lister.Size() == types.IntZero {
		return b.constant(n.nodeID, types.False)
	}
	set, strings := map[ref.Val]struct{}{}, map[string]struct{}{}
	for it := lister.Iterator(); it.HasNext() == types.True; {
		elem := it.Next()
		if !types.IsPrimitiveType(elem) || elem.Type() == types.BytesType {
			return nil
		}
		set[elem] = struct{}{}
		if str, ok := elem.(types.String); ok {
			strings[string(str)] = struct{}{}
		}
		for _, same := range equalNumbers(elem) {
			set[same] = struct{}{}
		}
	}
	var few []string
	if len(strings) <= fewStrings {
		few = slices.AppendSeq(make([]string, 0, len(strings)), maps.Keys(strings))
	}
	return add(b, &memberNode{identity{nodeID: n.nodeID}, n.args[0], set, strings, few})
}

// equalNumbers returns the numbers of all types that equal a number. For an API server,
// an int or uint equals any double that it converts to. A double equals only what it
// converts to without loss.
func equalNumbers(elem ref.Val) []ref.Val {
	numbers := []ref.Type{types.IntType, types.UintType, types.DoubleType}
	if !slices.Contains(numbers, elem.Type()) {
		return nil
	}
	_, exact := elem.(types.Double)
	var same []ref.Val
	for _, t := range numbers {
		v := elem.ConvertToType(t)
		if !types.IsError(v) && (!exact || v.Equal(elem) == types.True) {
			same = append(same, v)
		}
	}
	return same
}

// compileRegex returns the implementation of a call with a constant regular
// expression, or nil for any other call.
func (b *builder) compileRegex(n *callNode) functions.FunctionOp {
	r, found := b.regexes[n.function]
	if !found || r.Index >= len(n.args) {
		return nil
	}
	arg, _ := n.args[r.Index].(*constNode)
	if arg == nil {
		return nil
	}
	pattern, ok := arg.val.(types.String)
	if !ok {
		return nil
	}
	op, err := r.Compile(string(pattern))
	if err != nil {
		panic(planFailed{err})
	}
	return op
}

// regexOf is the constant regular expression of matches, which compiles.
func (b *builder) regexOf(n *callNode) *regexp.Regexp {
	pattern, _ := n.args[1].(*constNode).val.(types.String)
	re, err := regexp.Compile(string(pattern))
	if err != nil {
		return nil
	}
	return re
}

// compileMatches compiles the regular expressions of matches.
func compileMatches(pattern string) (functions.FunctionOp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return func(args ...ref.Val) ref.Val {
		if len(args) != 2 {
			return types.NoSuchOverloadErr()
		}
		if str, ok := args[0].(types.String); ok {
			return types.Bool(re.MatchString(string(str)))
		}
		if str, ok := args[0].Value().(string); ok {
			return types.Bool(re.MatchString(str))
		}
		return types.NoSuchOverloadErr()
	}, nil
}
