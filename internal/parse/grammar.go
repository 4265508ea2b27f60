package parse

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// The functions of this file read one rule of the grammar each, from the token at next on. The
// rules are, from the loosest to the tightest:
//
//	expr     = or ["?" or ":" expr]
//	or       = and {"||" and}
//	and      = relation {"&&" relation}
//	relation = calc {("<" | "<=" | ">=" | ">" | "==" | "!=" | "in") calc}
//	calc     = unary {("*" | "/" | "%" | "+" | "-") unary}      products before sums
//	unary    = member | "!" {"!"} member | "-" {"-"} member
//	member   = primary {"." ["?"] name | "." name "(" args ")" | "[" ["?"] expr "]"}
//	primary  = ["."] name ["(" args ")"] | "(" expr ")" | list | map | message | literal

// peek is the kind of the next token.
func (s *state) peek() kind { return s.tokens[s.next].kind }

// take reads a token. At the end it stays there.
func (s *state) take() token {
	t := s.tokens[s.next]
	if t.kind != tokEOF {
		s.next++
	}
	return t
}

// accept reads a token if it is of a kind.
func (s *state) accept(k kind) bool {
	if s.peek() == k {
		s.next++
		return true
	}
	return false
}

// expect reads a token, which must be of a kind.
func (s *state) expect(k kind) token {
	if s.peek() != k {
		s.fail()
	}
	return s.take()
}

// textOf is the text of a token.
func (s *state) textOf(t token) string { return s.text[t.from:t.to] }

func (t token) place() place { return place{t.at, t.at + t.to - t.from} }

// enter counts how deep a rule nests. The caller counts down again.
func (s *state) enter(depth *int) {
	if *depth++; *depth > maxDepth {
		s.fail()
	}
}

// raise makes the height that of a node above.
func (s *state) raise(height int) {
	if s.height = height + 1; s.height > maxDepth {
		s.fail()
	}
}

func (s *state) expr() ast.Expr {
	s.enter(&s.exprs)
	e := s.logic(operators.LogicalOr)
	if s.peek() == tokQuestion {
		id, height := s.id(s.take().place()), s.height
		yes := s.logic(operators.LogicalOr)
		height = max(height, s.height)
		s.expect(tokColon)
		no := s.expr()
		s.raise(max(height, s.height))
		e = s.call(id, operators.Conditional, e, yes, no)
	}
	s.exprs--
	return e
}

// logic reads the terms of || or &&, and makes a balanced tree of them.
func (s *state) logic(operator string) ast.Expr {
	sign, operand := tokOr, func() ast.Expr { return s.logic(operators.LogicalAnd) }
	if operator == operators.LogicalAnd {
		sign, operand = tokAnd, s.relation
	}
	first := operand()
	if s.peek() != sign {
		return first
	}
	base, height := len(s.operands), s.height
	s.operands = append(s.operands, first)
	var ids []int64
	for s.peek() == sign {
		at := s.take().place()
		s.operands = append(s.operands, operand())
		height = max(height, s.height)
		ids = append(ids, s.id(at))
	}
	s.height = height
	e := s.balance(operator, s.operands[base:], ids)
	s.operands = s.operands[:base]
	return e
}

// balance splits the terms in the middle. There is an id less than terms.
func (s *state) balance(operator string, terms []ast.Expr, ids []int64) ast.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	mid := len(ids) / 2
	return s.call(ids[mid], operator, s.balance(operator, terms[:mid+1], ids[:mid]), s.balance(operator, terms[mid+1:], ids[mid+1:]))
}

var relations = [...]string{
	tokLess: operators.Less, tokLessEqual: operators.LessEquals, tokGreaterEqual: operators.GreaterEquals,
	tokGreater: operators.Greater, tokEqual: operators.Equals, tokNotEqual: operators.NotEquals, tokIn: operators.In,
}

func (s *state) relation() ast.Expr {
	s.enter(&s.relations)
	e := s.calc(sums)
	for k := s.peek(); k >= tokIn && k <= tokGreater; k = s.peek() {
		id, height := s.id(s.take().place()), s.height
		s.enter(&s.relations)
		right := s.calc(sums)
		s.relations--
		s.raise(max(height, s.height))
		e = s.call(id, relations[k], e, right)
	}
	s.relations--
	return e
}

// Precedences of calculations.
const (
	sums = iota
	products
	neither
)

type calculation struct {
	precedence int
	function   string
}

var calculations = [...]calculation{
	tokMinus:  {sums, operators.Subtract},
	tokPlus:   {sums, operators.Add},
	tokTimes:  {products, operators.Multiply},
	tokOver:   {products, operators.Divide},
	tokModulo: {products, operators.Modulo},
}

// calc reads a calculation of operators with at least a precedence.
func (s *state) calc(precedence int) ast.Expr {
	s.enter(&s.calcs)
	e := s.unary()
	for {
		k := s.peek()
		if int(k) >= len(calculations) || calculations[k].function == "" || calculations[k].precedence < precedence {
			s.calcs--
			return e
		}
		id, height := s.id(s.take().place()), s.height
		right := s.calc(calculations[k].precedence + 1)
		s.raise(max(height, s.height))
		e = s.call(id, calculations[k].function, e, right)
	}
}

// unary reads signs and what they stand before. Two of them are none.
func (s *state) unary() ast.Expr {
	k := s.peek()
	if k != tokNot && k != tokMinus {
		return s.member()
	}
	// One minus before a number is part of the number.
	if k == tokMinus && (s.tokens[s.next+1].kind == tokInt || s.tokens[s.next+1].kind == tokFloat) {
		return s.member()
	}
	first, count := s.take(), 1
	for s.accept(k) {
		count++
	}
	if count%2 == 0 {
		return s.member()
	}
	id, function := s.id(first.place()), operators.LogicalNot
	if k == tokMinus {
		function = operators.Negate
	}
	return s.call(id, function, s.member())
}

func (s *state) member() ast.Expr {
	e := s.primary()
	for {
		switch s.peek() {
		case tokDot:
			e = s.selection(e)
		case tokLeftBracket:
			e = s.index(e)
		default:
			return e
		}
	}
}

// selection reads what follows a dot.
func (s *state) selection(operand ast.Expr) ast.Expr {
	dot := s.take()
	if s.accept(tokQuestion) {
		name := s.take()
		field := s.fieldName(name)
		if !s.parser.optionals {
			s.fail()
		}
		s.raise(s.height)
		literal := s.literal(name.place(), types.String(field))
		return s.call(s.id(dot.place()), operators.OptSelect, operand, literal)
	}
	name := s.take()
	if name.kind == tokIdent && s.peek() == tokLeftParen {
		id, height := s.id(s.take().place()), s.height
		args := s.args()
		s.raise(max(height, s.height))
		return s.memberCall(id, s.textOf(name), operand, args)
	}
	s.raise(s.height)
	field := s.fieldName(name)
	return s.factory.NewSelect(s.id(dot.place()), operand, field)
}

// fieldName is the name that a token gives to a field.
func (s *state) fieldName(t token) string {
	switch text := s.textOf(t); {
	case t.kind == tokIdent:
		return text
	case t.kind == tokQuoted && s.parser.backquotes:
		return text[1 : len(text)-1]
	}
	s.fail()
	return ""
}

func (s *state) index(operand ast.Expr) ast.Expr {
	id, height := s.id(s.take().place()), s.height
	function := operators.Index
	if s.accept(tokQuestion) {
		if !s.parser.optionals {
			s.fail()
		}
		function = operators.OptIndex
	}
	index := s.expr()
	s.expect(tokRightBracket)
	s.raise(max(height, s.height))
	return s.call(id, function, operand, index)
}

// args reads the arguments of a call from behind the parenthesis on, and makes
// the height that of the highest.
func (s *state) args() []ast.Expr {
	base, height := len(s.operands), 0
	if !s.accept(tokRightParen) {
		for {
			s.operands = append(s.operands, s.expr())
			height = max(height, s.height)
			if !s.accept(tokComma) {
				break
			}
		}
		s.expect(tokRightParen)
	}
	s.height = height
	return s.pop(base)
}

// pop takes the operands from base on.
func (s *state) pop(base int) []ast.Expr {
	list := s.list(s.operands[base:]...)
	s.operands = s.operands[:base]
	return list
}

// slabSize is how many nodes the lists of a slab hold.
const slabSize = 32

// list makes a list of nodes that shares memory with others.
func (s *state) list(nodes ...ast.Expr) []ast.Expr {
	if len(nodes) > slabSize {
		return slices.Clone(nodes)
	}
	if len(nodes) > cap(s.slab)-len(s.slab) {
		s.slab = make([]ast.Expr, 0, slabSize)
	}
	from := len(s.slab)
	s.slab = append(s.slab, nodes...)
	return s.slab[from:len(s.slab):len(s.slab)]
}

// call makes a call of an operator. No macro has the name of one.
func (s *state) call(id int64, function string, args ...ast.Expr) ast.Expr {
	return s.factory.NewCall(id, function, s.list(args...)...)
}

func (s *state) memberCall(id int64, function string, operand ast.Expr, args []ast.Expr) ast.Expr {
	if e := s.expand(id, function, operand, args); e != nil {
		return e
	}
	return s.factory.NewMemberCall(id, function, operand, args...)
}
