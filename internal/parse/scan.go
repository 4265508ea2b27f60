package parse

import (
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	tokEOF kind = iota
	tokIdent
	tokQuoted // a name in backquotes
	tokInt
	tokUint
	tokFloat
	tokString
	tokBytes
	tokTrue
	tokFalse
	tokNull
	tokIn
	tokEqual
	tokNotEqual
	tokLess
	tokLessEqual
	tokGreaterEqual
	tokGreater
	tokAnd
	tokOr
	tokLeftBracket
	tokRightBracket
	tokLeftBrace
	tokRightBrace
	tokLeftParen
	tokRightParen
	tokDot
	tokComma
	tokMinus
	tokNot
	tokQuestion
	tokColon
	tokPlus
	tokTimes
	tokOver
	tokModulo
)

// single are the tokens of one character that begin no longer one.
var single = [128]kind{
	'[': tokLeftBracket, ']': tokRightBracket, '{': tokLeftBrace, '}': tokRightBrace, '(': tokLeftParen, ')': tokRightParen,
	',': tokComma, '-': tokMinus, '?': tokQuestion, ':': tokColon, '+': tokPlus, '*': tokTimes, '%': tokModulo,
	'.': tokDot, '/': tokOver, // behind numbers and comments
}

// token is a token of the text.
type token struct {
	kind kind
	// from and to are offsets in bytes, at is from in code points.
	from, to, at int32
}

// Classes of characters: letters or underscores, digits, hexadecimal digits, space between tokens, and
// what a name in backquotes may have beside letters and digits.
const letter, digit, hexDigit, space, quotation = 1, 2, 4, 8, 16

var classes = func() (c [256]uint8) {
	for r := 'a'; r <= 'z'; r++ {
		c[r], c[r-'a'+'A'] = letter, letter
	}
	for r := '0'; r <= '9'; r++ {
		c[r] = digit | hexDigit
	}
	for r := 'a'; r <= 'f'; r++ {
		c[r], c[r-'a'+'A'] = letter|hexDigit, letter|hexDigit
	}
	c['_'] = letter
	for _, r := range "\t \r\n\f" {
		c[r] = space
	}
	for _, r := range ".-/ " {
		c[r] |= quotation
	}
	return c
}()

// scanner splits a text into tokens. Like cel-go's, it takes the longest one
// that fits.
type scanner struct {
	text string
	pos  int
	// extra is how many bytes before pos go on with a code point.
	extra int
	// wide tells whether there are bytes that are not ASCII before pos.
	wide bool
}

// scan splits the text into tokens, and tells whether all of it is ASCII. It
// fails on what no token begins with.
func (s *state) scan(text string) (ascii, ok bool) {
	s.text = text
	sc := scanner{text: text}
	for {
		for sc.pos < len(text) && classes[text[sc.pos]]&space != 0 {
			sc.pos++
		}
		t := token{from: int32(sc.pos), at: int32(sc.pos - sc.extra)}
		if sc.pos == len(text) {
			t.to = t.from
			s.tokens = append(s.tokens, t)
			return !sc.wide, true
		}
		if strings.HasPrefix(text[sc.pos:], "//") {
			sc.skipLine()
			continue
		}
		if t.kind = sc.token(); t.kind == tokEOF {
			return false, false
		}
		t.to = int32(sc.pos)
		s.tokens = append(s.tokens, t)
	}
}

// token reads one token. Its kind is tokEOF if there is none.
func (sc *scanner) token() kind {
	c := sc.text[sc.pos]
	switch class := classes[c]; {
	case class&letter != 0:
		return sc.word()
	case class&digit != 0, c == '.' && classes[sc.ahead(1)]&digit != 0:
		return sc.number()
	case c == '"' || c == '\'':
		return sc.literal(tokString, 0)
	case c == '`':
		return sc.backquoted()
	case c >= 128:
		return tokEOF
	}
	sc.pos++
	if k := single[c]; k != tokEOF {
		return k
	}
	switch c {
	case '!':
		return sc.either('=', tokNotEqual, tokNot)
	case '<':
		return sc.either('=', tokLessEqual, tokLess)
	case '>':
		return sc.either('=', tokGreaterEqual, tokGreater)
	case '=':
		return sc.either('=', tokEqual, tokEOF)
	case '&':
		return sc.either('&', tokAnd, tokEOF)
	case '|':
		return sc.either('|', tokOr, tokEOF)
	}
	return tokEOF
}

// ahead is a character behind that at pos, zero behind the end.
func (sc *scanner) ahead(n int) byte {
	if sc.pos+n < len(sc.text) {
		return sc.text[sc.pos+n]
	}
	return 0
}

// either reads a second character.
func (sc *scanner) either(second byte, both, one kind) kind {
	if sc.ahead(0) == second {
		sc.pos++
		return both
	}
	return one
}

func (sc *scanner) skipLine() {
	for ; sc.pos < len(sc.text) && sc.text[sc.pos] != '\n'; sc.pos++ {
		sc.count(sc.text[sc.pos])
	}
}

// count counts code points.
func (sc *scanner) count(c byte) {
	if c >= utf8.RuneSelf {
		sc.wide = true
		if !utf8.RuneStart(c) {
			sc.extra++
		}
	}
}

// word reads a name, or a literal with a prefix.
func (sc *scanner) word() kind {
	from := sc.pos
	for sc.pos < len(sc.text) && classes[sc.text[sc.pos]]&(letter|digit) != 0 {
		sc.pos++
	}
	word := sc.text[from:sc.pos]
	if len(word) <= 2 && (sc.ahead(0) == '"' || sc.ahead(0) == '\'') {
		switch word {
		case "r", "R":
			return sc.literal(tokString, raw)
		case "b", "B":
			return sc.literal(tokBytes, 0)
		case "br", "bR", "Br", "BR":
			return sc.literal(tokBytes, raw)
		}
	}
	switch word {
	case "true":
		return tokTrue
	case "false":
		return tokFalse
	case "null":
		return tokNull
	case "in":
		return tokIn
	}
	return tokIdent
}

// number reads a number.
func (sc *scanner) number() kind {
	if sc.ahead(0) == '0' && sc.ahead(1) == 'x' && classes[sc.ahead(2)]&hexDigit != 0 {
		sc.pos += 2
		sc.digits(hexDigit)
		return sc.suffix()
	}
	sc.digits(digit)
	k := tokInt
	if sc.ahead(0) == '.' && classes[sc.ahead(1)]&digit != 0 {
		sc.pos++
		sc.digits(digit)
		k = tokFloat
	}
	if c := sc.ahead(0); c == 'e' || c == 'E' {
		n := 1
		if c := sc.ahead(1); c == '+' || c == '-' {
			n = 2
		}
		if classes[sc.ahead(n)]&digit != 0 {
			sc.pos += n
			sc.digits(digit)
			k = tokFloat
		}
	}
	if k == tokInt {
		return sc.suffix()
	}
	return k
}

func (sc *scanner) digits(class uint8) {
	for classes[sc.ahead(0)]&class != 0 {
		sc.pos++
	}
}

// suffix reads that of an unsigned number.
func (sc *scanner) suffix() kind {
	if c := sc.ahead(0); c == 'u' || c == 'U' {
		sc.pos++
		return tokUint
	}
	return tokInt
}

// backquoted reads a name in backquotes.
func (sc *scanner) backquoted() kind {
	for sc.pos++; classes[sc.ahead(0)]&(letter|digit|quotation) != 0; sc.pos++ {
	}
	if sc.ahead(0) != '`' || sc.text[sc.pos-1] == '`' {
		return tokEOF
	}
	sc.pos++
	return tokQuoted
}

// raw says that a literal has no escape sequences.
const raw = 1

// literal reads a literal from its quotes on.
func (sc *scanner) literal(k kind, mode int) kind {
	quote := sc.text[sc.pos]
	end := sc.text[sc.pos : sc.pos+1]
	triple := sc.ahead(1) == quote && sc.ahead(2) == quote
	if triple {
		end = sc.text[sc.pos : sc.pos+3]
	}
	for sc.pos += len(end); sc.pos < len(sc.text); sc.pos++ {
		c := sc.text[sc.pos]
		switch {
		case c == quote && strings.HasPrefix(sc.text[sc.pos:], end):
			sc.pos += len(end)
			return k
		case c == '\\' && mode != raw:
			n := escapeLength(sc.text[sc.pos:])
			if n == 0 {
				return tokEOF
			}
			sc.pos += n - 1
		case (c == '\n' || c == '\r') && !triple:
			return tokEOF
		}
		sc.count(c)
	}
	return tokEOF
}

// escapeLength is how long the escape sequence is that a text begins with, zero if it is none.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 0
	}
	digits, class := 0, uint8(hexDigit)
	switch c := text[1]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v', '"', '\'', '\\', '?', '`':
		return 2
	case 'x', 'X':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '0', '1', '2', '3':
		digits, class = 2, digit
	default:
		return 0
	}
	if len(text) < 2+digits {
		return 0
	}
	for i := 2; i < 2+digits; i++ {
		if classes[text[i]]&class == 0 || class == digit && text[i] > '7' {
			return 0
		}
	}
	return 2 + digits
}
