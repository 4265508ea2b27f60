package parse

import "github.com/google/cel-go/common/ast"

// primary reads what no operator splits.
func (s *state) primary() ast.Expr {
	s.height = 0
	switch t := s.take(); t.kind {
	case tokIdent:
		return s.named("", t)
	case tokDot:
		return s.named(".", s.expect(tokIdent))
	case tokLeftParen:
		e := s.expr()
		s.expect(tokRightParen)
		return e
	case tokLeftBracket:
		return s.listLiteral(s.id(t.place()))
	case tokLeftBrace:
		return s.mapLiteral(s.id(t.place()))
	default:
		return s.scalar(t)
	}
}

// named reads what begins with a name: a message, a call or a variable.
func (s *state) named(dot string, t token) ast.Expr {
	name := dot + s.textOf(t)
	end := s.next // behind the dots and names that follow
	for s.tokens[end].kind == tokDot && s.tokens[end+1].kind == tokIdent {
		end += 2
	}
	switch {
	case s.tokens[end].kind == tokLeftBrace:
		for s.next < end {
			s.next++ // the dot
			name += "." + s.textOf(s.take())
		}
		return s.message(name)
	case reserved(s.textOf(t)):
		return s.fail()
	case s.peek() == tokLeftParen:
		id := s.id(s.take().place())
		args := s.args()
		if e := s.expand(id, name, nil, args); e != nil {
			return e
		}
		return s.factory.NewCall(id, name, args...)
	}
	return s.factory.NewIdent(s.id(t.place()), name)
}

// reserved tells whether a word cannot be the name of a variable or a function.
func reserved(word string) bool {
	switch word {
	case "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
		"package", "namespace", "null", "return", "true", "var", "void", "while":
		return true
	}
	return false
}

// noIndices are the optional elements of a list without any.
var noIndices = []int32{}

func (s *state) listLiteral(id int64) ast.Expr {
	base, height, optionals := len(s.operands), 0, noIndices
	for more := s.begins(tokRightBracket); more; more = s.continues(tokRightBracket) {
		if s.optional() {
			optionals = append(optionals, int32(len(s.operands)-base))
		}
		s.operands = append(s.operands, s.expr())
		height = max(height, s.height)
	}
	s.height = height
	return s.factory.NewList(id, s.pop(base), optionals)
}

// begins tells whether a literal has elements, and reads its end if not. There
// may be a comma before the end, with or without elements.
func (s *state) begins(end kind) bool {
	if s.peek() != end && s.peek() != tokComma {
		return true
	}
	s.accept(tokComma)
	s.expect(end)
	return false
}

// continues tells whether another element follows, and reads the end if not.
func (s *state) continues(end kind) bool {
	if s.accept(tokComma) && s.peek() != end {
		return true
	}
	s.expect(end)
	return false
}

// optional reads the sign before an optional element.
func (s *state) optional() bool {
	if !s.accept(tokQuestion) {
		return false
	}
	if !s.parser.optionals {
		s.fail()
	}
	return true
}

func (s *state) mapLiteral(id int64) ast.Expr {
	entries, height := []ast.EntryExpr{}, 0
	for more := s.begins(tokRightBrace); more; more = s.continues(tokRightBrace) {
		// The id of an entry comes before that of its key, and its place behind.
		entry, optional := s.id(nowhere), s.optional()
		key := s.expr()
		height = max(height, s.height)
		if colon := s.expect(tokColon); !s.failed {
			s.places[entry-1] = colon.place()
		}
		value := s.expr()
		height = max(height, s.height)
		entries = append(entries, s.factory.NewMapEntry(entry, key, value, optional))
	}
	s.height = height
	return s.factory.NewMap(id, entries)
}

// message reads the fields of a message.
func (s *state) message(name string) ast.Expr {
	id, height := s.id(s.take().place()), 0
	fields := []ast.EntryExpr{}
	for more := s.begins(tokRightBrace); more; more = s.continues(tokRightBrace) {
		optional := s.optional()
		field := s.fieldName(s.take())
		entry := s.id(s.expect(tokColon).place())
		value := s.expr()
		height = max(height, s.height)
		fields = append(fields, s.factory.NewStructField(entry, field, value, optional))
	}
	s.height = height
	return s.factory.NewStruct(id, name, fields)
}

// scalar reads a number, a text or a word that is a value.
func (s *state) scalar(t token) ast.Expr {
	at, text := t.place(), s.textOf(t)
	if t.kind == tokMinus {
		sign := t
		if t = s.take(); t.kind != tokInt && t.kind != tokFloat {
			return s.fail()
		}
		if text = s.text[sign.from:t.to]; sign.to != t.from {
			text = "-" + s.textOf(t) // without the space between them
		}
		at.stop = at.start + int32(len(text))
	}
	value := literalValue(t.kind, text)
	if value == nil {
		return s.fail()
	}
	return s.literal(at, value)
}
