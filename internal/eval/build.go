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

func (b *builder) plan(expr celast.Expr) (node, error) {
	// A macro may use an expression twice, with the same ids.
	b.prog.tracked = b.prog.tracked || b.seen[expr.ID()]
	b.seen[expr.ID()] = true
	switch expr.Kind() {
	case celast.CallKind:
		return b.planCall(expr)
	case celast.IdentKind:
		return b.planIdent(expr.ID())
	case celast.LiteralKind:
		return b.constant(expr.ID(), expr.AsLiteral()), nil
	case celast.SelectKind:
		return b.planSelect(expr)
	case celast.ListKind:
		return b.planList(expr)
	case celast.MapKind:
		return b.planMap(expr)
	case celast.StructKind:
		return b.planStruct(expr)
	case celast.ComprehensionKind:
		return b.planFold(expr)
	}
	return nil, fmt.Errorf("unsupported expr: %v", expr)
}

func (b *builder) planAll(exprs []celast.Expr) ([]node, error) {
	nodes := make([]node, len(exprs))
	for i, e := range exprs {
		n, err := b.plan(e)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	return nodes, nil
}

func (b *builder) planList(expr celast.Expr) (node, error) {
	list := expr.AsList()
	args, err := b.planAll(list.Elements())
	if err != nil {
		return nil, err
	}
	n := &listNode{create{parent: newParent(expr.ID(), args)}}
	for _, i := range list.OptionalIndices() {
		n.setOptional(int(i), len(args))
	}
	return b.literal(n, args), nil
}

func (b *builder) planMap(expr celast.Expr) (node, error) {
	entries := expr.AsMap().Entries()
	exprs := make([]celast.Expr, 0, 2*len(entries))
	for _, e := range entries {
		exprs = append(exprs, e.AsMapEntry().Key(), e.AsMapEntry().Value())
	}
	args, err := b.planAll(exprs)
	if err != nil {
		return nil, err
	}
	n := &mapNode{create{parent: newParent(expr.ID(), args)}}
	for i, e := range entries {
		if e.AsMapEntry().IsOptional() {
			n.setOptional(i, len(entries))
		}
	}
	return b.literal(n, args), nil
}

func (b *builder) planStruct(expr celast.Expr) (node, error) {
	obj := expr.AsStruct()
	name, ok := b.typeName(obj.TypeName())
	if !ok {
		return nil, fmt.Errorf("unknown type: %s", obj.TypeName())
	}
	exprs := make([]celast.Expr, len(obj.Fields()))
	n := &structNode{typeName: name, fields: make([]string, len(exprs))}
	for i, field := range obj.Fields() {
		f := field.AsStructField()
		exprs[i], n.fields[i] = f.Value(), f.Name()
		if f.IsOptional() {
			n.setOptional(i, len(exprs))
		}
	}
	args, err := b.planAll(exprs)
	if err != nil {
		return nil, err
	}
	n.parent = newParent(expr.ID(), args)
	return add(b, n), nil
}

func (b *builder) typeName(name string) (string, bool) {
	for _, candidate := range b.config.Container.ResolveCandidateNames(name) {
		if _, found := b.prog.provider.FindStructType(candidate); found {
			return candidate, true
		}
	}
	return "", false
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
	return b.constant(n.id(), n.eval(b.scratch()))
}

// add remembers what is to be linked once the whole expression is planned.
func add[N linked](b *builder, n N) N {
	b.linked = append(b.linked, n)
	return n
}

func (b *builder) constant(id int64, val ref.Val) *constNode {
	return add(b, &constNode{identity{nodeID: id}, val})
}

// scratch is a frame for the computation of constants.
func (b *builder) scratch() *frame {
	return &frame{prog: b.prog, limit: Unlimited, mode: modeMuted}
}

func (b *builder) planFold(expr celast.Expr) (node, error) {
	fold := expr.AsComprehension()
	n := &foldNode{identity: identity{nodeID: expr.ID()}, index: b.prog.folds, pairs: fold.IterVar2() != "", eager: b.config.Eager}
	b.prog.folds++
	var err error
	if n.accu, err = b.plan(fold.AccuInit()); err != nil {
		return nil, err
	}
	if n.iterRange, err = b.plan(fold.IterRange()); err != nil {
		return nil, err
	}
	// The accumulator hides an iteration variable of the same name.
	outer := len(b.scope)
	b.bind(n, fold.IterVar2(), iter2Part)
	b.bind(n, fold.IterVar(), iterPart)
	b.bind(n, fold.AccuVar(), accuPart)
	b.loops++
	if n.cond, err = b.plan(fold.LoopCondition()); err != nil {
		return nil, err
	}
	if c, ok := n.cond.(*constNode); ok {
		n.endless = c.val == types.True
	}
	if n.step, err = b.plan(fold.LoopStep()); err != nil {
		return nil, err
	}
	b.loops--
	b.scope = b.scope[:outer]
	b.bind(n, fold.AccuVar(), accuPart)
	if n.result, err = b.plan(fold.Result()); err != nil {
		return nil, err
	}
	b.scope = b.scope[:outer]
	return add(b, n), nil
}

func (b *builder) bind(n *foldNode, name string, part part) {
	if name != "" {
		b.scope = append(b.scope, &local{name, n.index, part})
	}
}

func (b *builder) lookup(name string) *local {
	for _, l := range slices.Backward(b.scope) {
		if l.name == name {
			return l
		}
	}
	return nil
}
