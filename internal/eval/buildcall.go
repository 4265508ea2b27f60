package eval

import (
	"fmt"
	"regexp"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kubecel/kubecel/library"
)

func (b *builder) planCall(expr celast.Expr) (node, error) {
	ast := expr.AsCall()
	exprs := ast.Args()
	if ast.IsMemberFunction() {
		exprs = append([]celast.Expr{ast.Target()}, exprs...)
	}
	args, err := b.planAll(exprs)
	if err != nil {
		return nil, err
	}
	c := call{nodeID: expr.ID(), function: ast.FunctionName(), args: args, repeated: b.loops > 0}
	switch c.function {
	case operators.LogicalAnd:
		return link(b, &logicNode{nodeID: c.nodeID, terms: args, decisive: types.False})
	case operators.LogicalOr:
		return link(b, &logicNode{nodeID: c.nodeID, terms: args, decisive: types.True})
	case operators.Conditional:
		return b.planConditional(c.nodeID, args)
	case operators.Index:
		return b.planIndex(c.nodeID, args, false)
	case operators.OptIndex, operators.OptSelect:
		return b.planIndex(c.nodeID, args, true)
	}
	if ref, ok := b.refs[expr.ID()]; ok && len(ref.OverloadIDs) == 1 {
		c.overload = ref.OverloadIDs[0]
	}
	return b.specialize(c)
}

func link[N interface {
	node
	linked
}](b *builder, n N) (node, error) {
	b.linked = append(b.linked, n)
	return n, nil
}

// specialize replaces calls that need not be made, or not every time. The order
// is that in which the API server's planner applies them.
func (b *builder) specialize(c call) (node, error) {
	n, err := b.dispatch(&c)
	if err != nil {
		return nil, err
	}
	if or := b.planOptional(&c); or != nil {
		return link(b, or)
	}
	if c.overload == overloads.InList {
		if member := b.planMember(&c); member != nil {
			return member, nil
		}
	} else if overloads.IsTypeConversionFunction(c.function) && len(c.args) == 1 {
		if arg, ok := c.args[0].(*constNode); ok {
			val := convert(n, arg.val)
			if err, ok := val.(*types.Err); ok {
				return nil, err
			}
			return b.constant(c.nodeID, val), nil
		}
	}
	if op, err := b.compileRegex(&c); op != nil || err != nil {
		if err != nil {
			return nil, err
		}
		c.trait, c.nonStrict = 0, false
		n = &variadicNode{call: c, impl: op, borrows: true}
	}
	n = quicken(n)
	b.linked = append(b.linked, n.(linked))
	return n, nil
}

// dispatch finds the implementation of a call and completes the call.
func (b *builder) dispatch(c *call) (node, error) {
	switch c.function {
	case operators.Equals, operators.NotEquals:
		c.overload = overloads.Equals
		negate := c.function == operators.NotEquals
		if negate {
			c.overload = overloads.NotEquals
		}
		c.price = b.priceOf(c)
		return &equalNode{call: *c, negate: negate}, nil
	}
	c.price = b.priceOf(c)
	var impl *functions.Overload
	if c.overload != "" {
		impl = b.overloads[c.overload]
	}
	if impl == nil {
		impl = b.overloads[c.function]
	}
	bound := impl != nil
	if !bound {
		impl = &functions.Overload{}
	}
	c.trait, c.nonStrict = impl.OperandTrait, impl.NonStrict
	switch n := len(c.args); {
	case n == 0:
		if impl.Function == nil {
			return nil, fmt.Errorf("no such overload: %s()", c.function)
		}
		c.trait, c.nonStrict = 0, false
		return &nullaryNode{*c, impl.Function}, nil
	case n == 1 && (impl.Unary != nil || impl.Function == nil):
		if bound && impl.Unary == nil {
			return nil, fmt.Errorf("no such overload: %s(arg)", c.function)
		}
		return &unaryNode{*c, impl.Unary}, nil
	case n == 2 && (impl.Binary != nil || impl.Function == nil):
		if bound && impl.Binary == nil {
			return nil, fmt.Errorf("no such overload: %s(lhs, rhs)", c.function)
		}
		return &binaryNode{*c, impl.Binary}, nil
	}
	if bound && impl.Function == nil {
		return nil, fmt.Errorf("no such overload: %s(...)", c.function)
	}
	return &variadicNode{call: *c, impl: impl.Function}, nil
}

func (b *builder) priceOf(c *call) Price {
	if b.config.Price == nil {
		return nil
	}
	return b.config.Price(c.function, c.overload)
}

// convert applies a conversion to a constant.
func convert(n node, arg ref.Val) ref.Val {
	switch n := n.(type) {
	case *unaryNode:
		return n.apply(arg)
	case *variadicNode:
		return n.apply([]ref.Val{arg})
	}
	return nil
}

func (b *builder) planOptional(c *call) *orElseNode {
	if !b.optionals || len(c.args) != 2 {
		return nil
	}
	unwrap := false
	switch {
	case c.function == "or" && (c.overload == "" || c.overload == optionalOr):
	case c.function == "orValue" && (c.overload == "" || c.overload == optionalOrValue):
		unwrap = true
	default:
		return nil
	}
	return &orElseNode{nodeID: c.nodeID, lhs: c.args[0], rhs: c.args[1], unwrap: unwrap}
}

// planMember makes a set of a constant list of primitive values.
func (b *builder) planMember(c *call) node {
	list, ok := c.args[1].(*constNode)
	if !ok {
		return nil
	}
	lister := list.val.(traits.Lister)
	if lister.Size() == types.IntZero {
		return b.constant(c.nodeID, types.False)
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
	n := &memberNode{nodeID: c.nodeID, arg: c.args[0], set: set, strings: strings}
	b.linked = append(b.linked, n)
	return n
}

// equalNumbers returns the numbers of other types that equal a number. The API
// server holds an int or uint equal to any double it converts to, and a double only
// to what it converts to without loss.
func equalNumbers(elem ref.Val) []ref.Val {
	var others []*types.Type
	exact := false
	switch elem.(type) {
	case types.Double:
		others, exact = []*types.Type{types.IntType, types.UintType}, true
	case types.Int:
		others = []*types.Type{types.DoubleType, types.UintType}
	case types.Uint:
		others = []*types.Type{types.DoubleType, types.IntType}
	}
	var same []ref.Val
	for _, t := range others {
		v := elem.ConvertToType(t)
		if !types.IsError(v) && (!exact || v.Equal(elem) == types.True) {
			same = append(same, v)
		}
	}
	return same
}

// compileRegex returns the implementation of a call with a constant regular
// expression, or nil for any other call.
func (b *builder) compileRegex(c *call) (functions.FunctionOp, error) {
	r, found := b.regexByOverload[c.overload]
	if !found {
		if r, found = b.regexByFunction[c.function]; !found {
			return nil, nil
		}
	}
	if r.Index >= len(c.args) {
		return nil, nil
	}
	arg, ok := c.args[r.Index].(*constNode)
	if !ok {
		return nil, nil
	}
	pattern, ok := arg.val.(types.String)
	if !ok {
		return nil, nil
	}
	return r.Compile(string(pattern))
}

// matchesRegex compiles the regular expressions of matches.
func matchesRegex() library.Pattern {
	return library.Pattern{Function: overloads.Matches, Index: 1, Compile: compileMatches}
}

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
