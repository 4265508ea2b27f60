package eval

import (
	"fmt"
	"slices"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// builder makes the nodes of one program.
type builder struct {
	*Planner
	prog    *Program
	checked *celast.AST
	// scope holds the variables that comprehensions bind, the innermost last.
	scope []*local
	// loops is the number of loop bodies around the current expression.
	loops int
	// inputs are the names of variables from outside of the expression.
	inputs []string
	linked []linked
	seen   map[int64]bool
}

func (b *builder) plan(expr celast.Expr) node {
	// A macro may use an expression twice, with the same ids.
	b.prog.tracked = b.prog.tracked || b.seen[expr.ID()]
	b.seen[expr.ID()] = true
	switch expr.Kind() {
	case celast.CallKind:
		return b.planCall(expr)
	case celast.IdentKind:
		return b.planIdent(expr.ID())
	case celast.LiteralKind:
		return b.constant(expr.ID(), expr.AsLiteral())
	case celast.SelectKind:
		return b.planSelect(expr)
	case celast.ListKind:
		return b.planList(expr)
	case celast.MapKind:
		return b.planMap(expr)
	case celast.StructKind:
		return b.planStruct(expr)
	}
	return b.planFold(expr)
}

func (b *builder) planAll(exprs []celast.Expr) []node {
	nodes := make([]node, len(exprs))
	for i, e := range exprs {
		nodes[i] = b.plan(e)
	}
	return nodes
}

func (b *builder) planList(expr celast.Expr) node {
	list := expr.AsList()
	args := b.planAll(list.Elements())
	n := &listNode{create{parent: newParent(expr.ID(), args)}}
	for _, i := range list.OptionalIndices() {
		n.setOptional(int(i), len(args))
	}
	return b.literal(n, args)
}

func (b *builder) planMap(expr celast.Expr) node {
	entries := expr.AsMap().Entries()
	n := &mapNode{}
	args := make([]node, 0, 2*len(entries))
	for i, e := range entries {
		entry := e.AsMapEntry()
		args = append(args, b.plan(entry.Key()), b.plan(entry.Value()))
		if entry.IsOptional() {
			n.setOptional(i, len(entries))
		}
	}
	n.parent = newParent(expr.ID(), args)
	return b.literal(n, args)
}

func (b *builder) planStruct(expr celast.Expr) node {
	obj := expr.AsStruct()
	if _, found := b.prog.provider.FindStructType(obj.TypeName()); !found {
		panic(planFailed{fmt.Errorf("unknown type: %s", obj.TypeName())})
	}
	args := make([]node, len(obj.Fields()))
	n := &structNode{typeName: obj.TypeName(), fields: make([]string, len(args))}
	for i, field := range obj.Fields() {
		f := field.AsStructField()
		args[i], n.fields[i] = b.plan(f.Value()), f.Name()
		if f.IsOptional() {
			n.setOptional(i, len(args))
		}
	}
	n.parent = newParent(expr.ID(), args)
	return add(b, n)
}

func (c *create) setOptional(i, n int) {
	if c.optional == nil {
		c.optional = make([]bool, n)
	}
	c.optional[i] = true
}

// literal computes a list or map of constants.
func (b *builder) literal(n node, args []node) node {
	for _, arg := range args {
		if _, ok := arg.(*constNode); !ok {
			return add(b, n)
		}
	}
	return b.constant(n.id(), n.eval(&frame{prog: b.prog, limit: Unlimited, mode: modeMuted}))
}

// add remembers what is to be linked once the whole expression is planned.
func add[N linked](b *builder, n N) N {
	b.linked = append(b.linked, n)
	return n
}

func (b *builder) constant(id int64, val ref.Val) *constNode {
	return add(b, &constNode{identity{nodeID: id}, val, (&frame{prog: b.prog}).unbox(val)})
}

func (b *builder) planFold(expr celast.Expr) node {
	fold := expr.AsComprehension()
	n := &foldNode{identity: identity{nodeID: expr.ID()}, index: b.prog.folds, pairs: fold.IterVar2() != "", eager: b.config.Eager}
	b.prog.folds++
	n.accu = b.plan(fold.AccuInit())
	n.iterRange = b.plan(fold.IterRange())
	// The accumulator hides an iteration variable of the same name.
	outer := len(b.scope)
	b.bind(n, fold.IterVar2(), iter2Part)
	b.bind(n, fold.IterVar(), iterPart)
	accu := b.bind(n, fold.AccuVar(), accuPart)
	b.loops++
	n.cond = b.plan(fold.LoopCondition())
	if c, ok := n.cond.(*constNode); ok {
		n.endless = c.val == types.True
	}
	n.step = b.plan(fold.LoopStep())
	b.loops--
	b.scope = b.scope[:outer]
	last := b.bind(n, fold.AccuVar(), accuPart)
	n.result = b.plan(fold.Result())
	b.scope = b.scope[:outer]
	n.form = formOf(n, accu, last)
	return add(b, n)
}

func (b *builder) bind(n *foldNode, name string, part part) *local {
	l := &local{name: name, fold: n.index, part: part}
	if name != "" {
		b.scope = append(b.scope, l)
	}
	return l
}

func (b *builder) lookup(name string) *local {
	for _, l := range slices.Backward(b.scope) {
		if l.name == name {
			return l
		}
	}
	return nil
}
