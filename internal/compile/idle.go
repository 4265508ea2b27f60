package compile

import (
	"slices"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
)

// literals tells which of cel-go's validators have something to look at in an expression.
type literals struct {
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
func (l *literals) add(tree *celast.AST, e celast.Expr) {
	switch e.Kind() {
	case celast.SelectKind:
		l.add(tree, e.AsSelect().Operand())
	case celast.CallKind:
		l.addCall(tree, e.AsCall())
	case celast.ListKind:
		elems := e.AsList().Elements()
		l.aggregates = l.aggregates || len(e.AsList().OptionalIndices()) > 0 || mixed(tree, elems)
		l.addAll(tree, elems)
	case celast.MapKind:
		var keys, values []celast.Expr
		for _, entry := range e.AsMap().Entries() {
			keys, values = append(keys, entry.AsMapEntry().Key()), append(values, entry.AsMapEntry().Value())
			l.aggregates = l.aggregates || entry.AsMapEntry().IsOptional()
		}
		l.aggregates = l.aggregates || mixed(tree, keys) || mixed(tree, values)
		l.addAll(tree, keys)
		l.addAll(tree, values)
	case celast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			l.add(tree, field.AsStructField().Value())
		}
	case celast.ComprehensionKind:
		c := e.AsComprehension()
		for _, part := range [...]celast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			l.add(tree, part)
		}
	}
}

func (l *literals) addAll(tree *celast.AST, nodes []celast.Expr) {
	for _, e := range nodes {
		l.add(tree, e)
	}
}

func (l *literals) addCall(tree *celast.AST, call celast.CallExpr) {
	literal := len(call.Args()) > 0 && call.Args()[0].Kind() == celast.LiteralKind
	switch call.FunctionName() {
	case overloads.TypeConvertDuration:
		l.durations = l.durations || literal
	case overloads.TypeConvertTimestamp:
		l.timestamps = l.timestamps || literal
	case overloads.Matches:
		l.regexes = l.regexes || literal
	case "format":
		l.formats = true
	}
	if call.IsMemberFunction() {
		l.add(tree, call.Target())
	}
	l.addAll(tree, call.Args())
}

// mixed tells whether nodes have types that are not all equivalent.
func mixed(tree *celast.AST, nodes []celast.Expr) bool {
	if len(nodes) == 0 {
		return false
	}
	first := tree.GetType(nodes[0].ID())
	return slices.ContainsFunc(nodes, func(e celast.Expr) bool { return !first.IsEquivalentType(tree.GetType(e.ID())) })
}
