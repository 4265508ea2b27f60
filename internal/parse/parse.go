// Package parse reads expressions into the syntax trees of cel-go, without the
// generated parser of cel-go, which takes most of the time of a compilation.
//
// A [Parser] answers only on success. Then its tree is equal to that of cel-go's
// parser: the same ids, the same nodes, the same place for each id. It gives up on all
// else: on what is no expression, on what it is not sure about, and where a limit is
// near. The caller then asks cel-go's parser, which decides and says what is wrong.
//
// The text becomes tokens at once, and one pass over these makes the nodes
// (grammar.go). Ids are given in the order in which cel-go's parser gives them, which is
// not always that of the text. Macros are expanded by cel-go's own expanders, which
// build nodes through a helper (macro.go).
package parse

import (
	"sync"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
)

// Limits of cel-go's parser. What comes near them is left to it.
const (
	// maxSize is the length of a text in bytes. cel-go counts code points.
	maxSize = 100_000
	// maxDepth is how deep a rule of the grammar may nest, and how high the tree may be.
	maxDepth = 250
	// maxNodes is how many ids an expression may have, also those of macros (since v0.30).
	maxNodes = 100_000
)

// Syntax says what a parser accepts beside the standard syntax.
type Syntax struct {
	// Macros are those of the environment. A later one replaces an earlier one of the same form.
	Macros []parser.Macro
	// Optionals are a.?b, a[?b], [?a] and {?a: b}.
	Optionals bool
	// Backquotes are names of fields in backquotes.
	Backquotes bool
}

// Parser parses expressions. It is safe for concurrent use.
type Parser struct {
	macros                map[macroForm]parser.Macro
	optionals, backquotes bool
	// states are those that no call of Parse uses.
	states sync.Pool
}

// New returns a parser. It returns nil if a macro has the name of an operator: that is left to
// cel-go.
func New(s Syntax) *Parser {
	p := &Parser{macros: map[macroForm]parser.Macro{}, optionals: s.Optionals, backquotes: s.Backquotes}
	p.states.New = func() any { return &state{parser: p, factory: ast.NewExprFactory()} }
	for _, m := range s.Macros {
		form, ok := formOf(m)
		if !ok {
			return nil
		}
		p.macros[form] = m
	}
	return p
}

// Parse parses a text. If ok is false, nothing is known about the text.
func (p *Parser) Parse(text string) (parsed *ast.AST, ok bool) {
	if len(text) > maxSize {
		return nil, false
	}
	s := p.states.Get().(*state)
	defer s.release()
	ascii, ok := s.scan(text)
	if !ok || !ascii && !utf8.ValidString(text) {
		return nil, false
	}
	e := s.expr()
	if s.failed || s.peek() != tokEOF {
		return nil, false
	}
	return ast.NewAST(e, s.sourceInfo()), true
}

// state is what one call of Parse works with.
type state struct {
	parser  *Parser
	factory ast.ExprFactory
	text    string
	tokens  []token
	// next is the index of the token to read.
	next int
	// failed is set where the parser gives up. All functions go on with
	// nodes that nobody will see.
	failed bool
	// places are the places of the ids: that of id n stands at n-1.
	places []place
	// operands are arguments of the calls that are being parsed.
	operands []ast.Expr
	// slab is room for lists of nodes.
	slab []ast.Expr
	// Nesting of the rules of the grammar.
	exprs, relations, calcs int
	// height is that of the tree that was parsed last, in nodes that cel-go's parser counts.
	height int
	// macro is where a macro that is being expanded was called.
	macro place
}

// place is where an id stands, from start to stop. The stop of cel-go is the start in code points
// and the length in bytes.
type place struct{ start, stop int32 }

// nowhere is the place of an id that was taken back.
var nowhere = place{-1, -1}

// release makes a state ready for another call. It keeps no node of this one.
func (s *state) release() {
	clear(s.operands[:cap(s.operands)])
	*s = state{parser: s.parser, factory: s.factory, tokens: s.tokens[:0], places: s.places[:0], operands: s.operands[:0]}
	s.parser.states.Put(s)
}

// fail gives up.
func (s *state) fail() ast.Expr {
	s.failed = true
	s.next = len(s.tokens) - 1 // at the end, so that nothing loops
	return s.factory.NewUnspecifiedExpr(0)
}

// id gives the next id to a place.
func (s *state) id(p place) int64 {
	s.places = append(s.places, p)
	if len(s.places) > maxNodes {
		s.fail()
	}
	return int64(len(s.places))
}

// drop takes an id back.
func (s *state) drop(id int64) {
	s.places[id-1] = nowhere
	if id == int64(len(s.places)) {
		s.places = s.places[:id-1]
	}
}

// sourceInfo says where each id stands.
func (s *state) sourceInfo() *ast.SourceInfo {
	info := ast.NewSourceInfo(&source{text: s.text, lines: lineOffsets(s.text)})
	for i, p := range s.places {
		if p != nowhere {
			info.SetOffsetRange(int64(i+1), ast.OffsetRange{Start: p.start, Stop: p.stop})
		}
	}
	return info
}
