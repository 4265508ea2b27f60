package compile

import (
	"slices"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
)

// literals tells which of cel-go's validators have something to look at in an expression.
type literals struct {
	env                                                 *Env
	tree                                                *celast.AST
	durations, timestamps, regexes, formats, aggregates bool
}

// idle tells whether the validator of a name has nothing to look at. Validators of callers never are.
func (l *literals) idle(validator string) bool {
	switch validator {
	case "cel.validator.duration":
		return !l.durations
	case "cel.validator.timestamp":
		return !l.timestamps
	case "cel.validator.matches":
		return !l.regexes
	case "cel.validator.homogeneous_literals":
		return !l.aggregates
	case "cel.validator.string_format":
		return !l.formats
	}
	return false
}

// add finds the literals of a node and of all below it.
func (l *literals) add(e celast.Expr) {
	switch e.Kind() {
	case celast.SelectKind:
		l.add(e.AsSelect().Operand())
	case celast.CallKind:
		l.addCall(e.AsCall())
	case celast.ListKind:
		elems := e.AsList().Elements()
		l.aggregates = l.aggregates || len(e.AsList().OptionalIndices()) > 0 || l.mixed(elems)
		l.addAll(elems)
	case celast.MapKind:
		var keys, values []celast.Expr
		for _, entry := range e.AsMap().Entries() {
			keys, values = append(keys, entry.AsMapEntry().Key()), append(values, entry.AsMapEntry().Value())
			l.aggregates = l.aggregates || entry.AsMapEntry().IsOptional()
		}
		l.aggregates = l.aggregates || l.mixed(keys) || l.mixed(values)
		l.addAll(keys)
		l.addAll(values)
	case celast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			l.add(field.AsStructField().Value())
		}
	case celast.ComprehensionKind:
		c := e.AsComprehension()
		for _, part := range [...]celast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			l.add(part)
		}
	}
}

func (l *literals) addAll(nodes []celast.Expr) {
	for _, e := range nodes {
		l.add(e)
	}
}

func (l *literals) addCall(call celast.CallExpr) {
	literal := len(call.Args()) > 0 && call.Args()[0].Kind() == celast.LiteralKind
	fails := func() bool {
		// The validator evaluates the call.
		return call.IsMemberFunction() || len(call.Args()) != 1 || !l.env.converts(call.FunctionName(), call.Args()[0].AsLiteral())
	}
	switch call.FunctionName() {
	case overloads.TypeConvertDuration:
		l.durations = l.durations || literal && fails()
	case overloads.TypeConvertTimestamp:
		l.timestamps = l.timestamps || literal && fails()
	case overloads.Matches:
		l.regexes = l.regexes || literal
	case "format":
		l.formats = true
	}
	if call.IsMemberFunction() {
		l.add(call.Target())
	}
	l.addAll(call.Args())
}

// mixed tells whether nodes have types that are not all equivalent.
func (l *literals) mixed(nodes []celast.Expr) bool {
	if len(nodes) == 0 {
		return false
	}
	first := l.tree.GetType(nodes[0].ID())
	return slices.ContainsFunc(nodes, func(e celast.Expr) bool { return !first.IsEquivalentType(l.tree.GetType(e.ID())) })
}
