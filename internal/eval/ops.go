package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
)

// An op is a function that is computed without CEL values, for the kinds of operands
// that it knows. All else goes to the implementation of the function.
type op uint8

const (
	opNone op = iota
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opAdd
	opSubtract
	opMultiply
	opIn
	opStartsWith
	opEndsWith
	opContains
	opMatches
	opSize
	opNot
	opNotFalse
	opDyn

	// The other fast paths, so that tests can name all of them.

	// pathData and pathSchema are paths through data without and with a schema.
	pathData
	pathSchema
	pathMember
	// loopList and the next two are what loops go over.
	loopList
	loopMap
	loopValues
	loopAll
	loopExists
	loopExistsOne
	loopCollect
	// fastPaths is how many there are.
	fastPaths
)

// took tells a test which fast path gave an answer.
func (f *frame) took(path op) {
	if f.prog.watch != nil {
		f.prog.watch(path)
	}
}

// opsByName are the ops by the function that they are, and the overload without which
// there is no such function in an environment.
var opsByName = map[string]struct {
	op       op
	overload string
	arity    int
}{
	operators.Equals:           {opEqual, "", 2},
	operators.NotEquals:        {opNotEqual, "", 2},
	operators.Less:             {opLess, overloads.LessInt64, 2},
	operators.LessEquals:       {opLessEqual, overloads.LessEqualsInt64, 2},
	operators.Greater:          {opGreater, overloads.GreaterInt64, 2},
	operators.GreaterEquals:    {opGreaterEqual, overloads.GreaterEqualsInt64, 2},
	operators.Add:              {opAdd, overloads.AddInt64, 2},
	operators.Subtract:         {opSubtract, overloads.SubtractInt64, 2},
	operators.Multiply:         {opMultiply, overloads.MultiplyInt64, 2},
	operators.In:               {opIn, overloads.InList, 2},
	overloads.StartsWith:       {opStartsWith, overloads.StartsWithString, 2},
	overloads.EndsWith:         {opEndsWith, overloads.EndsWithString, 2},
	overloads.Contains:         {opContains, overloads.ContainsString, 2},
	overloads.Size:             {opSize, overloads.SizeString, 1},
	operators.LogicalNot:       {opNot, overloads.LogicalNot, 1},
	operators.NotStrictlyFalse: {opNotFalse, overloads.NotStrictlyFalse, 1},
	overloads.TypeConvertDyn:   {opDyn, overloads.ToDyn, 1},
}

// fast calls a function. It makes CEL values of the arguments only if the op does not
// know what they are.
func (n *callNode) fast(f *frame) value {
	switch {
	case n.op == opNone:
		return n.general(f)
	case len(n.args) == 1:
		arg := n.args[0].fast(f)
		if val, ok := n.one(arg); ok {
			f.took(n.op)
			if n.sized != nil {
				f.charge(n.nodeID, n.sized(arg.size(), 1))
				return val
			}
			return n.priced(f, val, arg)
		}
		f.args = append(f.args, f.box(arg))
		return f.unbox(n.leave(f))
	}
	lhs := n.args[0].fast(f)
	if n.stops && lhs.failed() {
		return f.unbox(n.abandon(f, f.box(lhs)))
	}
	rhs := n.args[1].fast(f)
	if val, ok := n.two(f, lhs, rhs); ok {
		f.took(n.op)
		if n.sized != nil {
			f.charge(n.nodeID, n.sized(lhs.size(), rhs.size()))
			return val
		}
		return n.priced(f, val, lhs, rhs)
	}
	f.args = append(f.args, f.box(lhs), f.box(rhs))
	return f.unbox(n.leave(f))
}

// general calls a function with CEL values.
func (n *callNode) general(f *frame) value {
	base := len(f.args)
	for _, arg := range n.args {
		val := f.box(arg.fast(f))
		f.args = append(f.args, val)
		if n.stops && len(f.args)-base < len(n.args) && failed(val) {
			f.release(base)
			return f.unbox(n.abandon(f, val))
		}
	}
	return f.unbox(n.leave(f))
}

// priced charges for a call by the CEL values of its arguments.
func (n *callNode) priced(f *frame, val value, args ...value) value {
	base := len(f.args)
	for _, arg := range args {
		f.args = append(f.args, f.box(arg))
	}
	n.finish(f, f.args[base:len(f.args):len(f.args)], f.box(val))
	f.release(base)
	return val
}

// one computes an op of one operand, false if it is none that it knows.
func (n *callNode) one(arg value) (value, bool) {
	switch n.op {
	case opSize:
		if k := arg.kind(); k == kindString || k == kindList || k == kindMap || arg.values() != nil {
			return intOf(int64(arg.size())), true
		}
	case opNot:
		if arg.isBool() {
			return boolOf(arg.num == 0), true
		}
	case opNotFalse:
		if arg.isBool() {
			return arg, true
		}
	case opDyn:
		return arg, !arg.isBoxed() || arg.values() != nil
	}
	return value{}, false
}

// two computes an op of two operands, false if they are none that it knows.
func (n *callNode) two(f *frame, l, r value) (value, bool) {
	switch n.op {
	case opEqual, opNotEqual:
		same, ok := equal(l, r)
		return boolOf(same == (n.op == opEqual)), ok
	case opIn:
		found, ok := in(f, l, r)
		return boolOf(found), ok
	case opMatches:
		if l.isString() {
			return boolOf(n.regex.MatchString(l.text())), true
		}
		return value{}, false
	}
	switch {
	case l.isString() && r.isString():
		return texts(n.op, l.text(), r.text())
	case l.isInt() && r.isInt():
		return ints(n.op, l.num, r.num)
	}
	return value{}, false
}

// ordered tells whether a comparison holds for an order (-1, 0 or 1).
func (o op) holds(order int) (value, bool) {
	switch o {
	case opLess:
		return boolOf(order < 0), true
	case opLessEqual:
		return boolOf(order <= 0), true
	case opGreater:
		return boolOf(order > 0), true
	case opGreaterEqual:
		return boolOf(order >= 0), true
	}
	return value{}, false
}

func texts(o op, l, r string) (value, bool) {
	switch o {
	case opStartsWith:
		return boolOf(strings.HasPrefix(l, r)), true
	case opEndsWith:
		return boolOf(strings.HasSuffix(l, r)), true
	case opContains:
		return boolOf(strings.Contains(l, r)), true
	case opAdd:
		return stringOf(l + r), true
	}
	return o.holds(strings.Compare(l, r))
}

// ints computes what does not overflow.
func ints(o op, l, r int64) (value, bool) {
	switch o {
	case opAdd:
		sum := l + r
		return intOf(sum), (sum > l) == (r > 0)
	case opSubtract:
		diff := l - r
		return intOf(diff), (diff < l) == (r > 0)
	case opMultiply:
		small := max(l, r, -l, -r) <= math.MaxInt32 && min(l, r) >= math.MinInt32
		return intOf(l * r), small
	}
	return o.holds(cmp.Compare(l, r))
}

// equal compares two values as types.Equal does. It is false in the second place if it
// does not know.
func equal(l, r value) (same, ok bool) {
	left, right := l.kind(), r.kind()
	switch {
	case left == boxed || right == boxed:
		return false, false
	case left != right:
		// A map or a list with a schema cannot be compared to anything else.
		return false, left == kindNull || right == kindNull || l.isScalar()
	}
	switch left {
	case kindString:
		return l.text() == r.text(), true
	case kindInt, kindBool:
		return l.num == r.num, true
	case kindNull:
		return true, true
	case kindMap, kindList:
		if l.dynamic() && r.dynamic() {
			return equalData(l.data, r.data)
		}
	}
	return false, false
}

// equalData compares data without a schema.
func equalData(l, r any) (same, ok bool) {
	switch l := l.(type) {
	case string:
		switch r := r.(type) {
		case string:
			return l == r, true
		case int64, bool, nil, map[string]any, []any:
			return false, true
		}
	case int64:
		switch r := r.(type) {
		case int64:
			return l == r, true
		case string, bool, nil, map[string]any, []any:
			return false, true
		}
	case bool:
		switch r := r.(type) {
		case bool:
			return l == r, true
		case string, int64, nil, map[string]any, []any:
			return false, true
		}
	case nil:
		switch r.(type) {
		case nil:
			return true, true
		case string, int64, bool, map[string]any, []any:
			return false, true
		}
	case map[string]any:
		if r, isMap := r.(map[string]any); isMap {
			return equalMaps(l, r)
		}
	case []any:
		if r, isList := r.([]any); isList {
			return equalLists(l, r)
		}
	}
	return false, false
}

func equalMaps(l, r map[string]any) (same, ok bool) {
	if len(l) != len(r) {
		return false, true
	}
	known := true
	for key, of := range l {
		other, found := r[key]
		if !found {
			return false, true
		}
		same, ok := equalData(of, other)
		if ok && !same {
			return false, true
		}
		known = known && ok
	}
	return true, known
}

func equalLists(l, r []any) (same, ok bool) {
	if len(l) != len(r) {
		return false, true
	}
	known := true
	for i := range l {
		same, ok := equalData(l[i], r[i])
		if ok && !same {
			return false, true
		}
		known = known && ok
	}
	return true, known
}

// in tells whether a scalar is in a list, or a string is a key of a map.
func in(f *frame, l, r value) (found, ok bool) {
	switch {
	case r.kind() == kindMap && l.isString():
		below, found := (&step{}).in(f, r, l.text())
		return found, !below.failed()
	case !l.isScalar():
		return false, false
	case r.values() != nil:
		ok = true
		for _, elem := range r.values().elems {
			same, known := equal(elem, l)
			if known && same {
				return true, true
			}
			ok = ok && known
		}
		return false, ok
	case r.kind() != kindList:
		return false, false
	}
	ok = true
	for _, data := range r.list() {
		if text, isText := data.(string); isText && l.isString() && r.dynamic() {
			if text == l.text() {
				return true, true
			}
			continue
		}
		same, known := equal(f.native(r.of.Items, data), l)
		if known && same {
			return true, true
		}
		ok = ok && known
	}
	return false, ok
}

// opOf finds the op of a call.
func (b *builder) opOf(n *callNode) op {
	o, ok := opsByName[n.function]
	if !ok || o.arity != len(n.args) || n.stops || n.variadic != nil {
		return opNone
	}
	if fn := b.config.Functions[n.function]; o.overload != "" &&
		(fn == nil || !slices.ContainsFunc(fn.OverloadDecls(), func(d *decls.OverloadDecl) bool { return d.ID() == o.overload })) {
		return opNone
	}
	return o.op
}
