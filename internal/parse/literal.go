package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// literal makes a literal.
func (s *state) literal(at place, value ref.Val) ast.Expr {
	return s.factory.NewLiteral(s.id(at), value)
}

// literalValue is the value of a literal with its sign, nil if it has none or
// is none.
func literalValue(k kind, text string) ref.Val {
	switch k {
	case tokTrue, tokFalse:
		return types.Bool(k == tokTrue)
	case tokNull:
		return types.NullValue
	case tokInt:
		if i, err := strconv.ParseInt(hexadecimal(text)); err == nil {
			return types.Int(i)
		}
	case tokUint:
		if u, err := strconv.ParseUint(hexadecimal(text[:len(text)-1])); err == nil {
			return types.Uint(u)
		}
	case tokFloat:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return types.Double(f)
		}
	case tokString:
		if s, ok := unquote(text, false); ok {
			return types.String(s)
		}
	case tokBytes:
		if s, ok := unquote(text[1:], true); ok {
			return types.Bytes(s)
		}
	}
	return nil
}

// hexadecimal takes the prefix of a hexadecimal number away, and gives the arguments for strconv.
func hexadecimal(text string) (number string, base, bits int) {
	sign, digits, ok := strings.Cut(text, "0x")
	if ok && (sign == "" || sign == "-") {
		return sign + digits, 16, 64
	}
	return text, 10, 64
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// unquote is the value of a literal in quotes, which the scanner has read. It fails on escape sequences
// for what is no character, or that bytes do not have.
func unquote(text string, bytes bool) (value string, ok bool) {
	if strings.Contains(text, "\r") {
		text = newlines.Replace(text)
	}
	escapes := text[0] != 'r' && text[0] != 'R'
	if !escapes {
		text = text[1:]
	}
	quotes := 1
	if len(text) >= 6 && text[1] == text[0] {
		quotes = 3 // an empty literal of one quote is not so long
	}
	text = text[quotes : len(text)-quotes]
	if !escapes || !strings.Contains(text, `\`) {
		return text, true
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if text[0] != '\\' {
			out = append(out, text[0])
			text = text[1:]
			continue
		}
		n := escapeLength(text)
		if n == 0 {
			return "", false
		}
		if out, ok = appendEscaped(out, text[1:n], bytes); !ok {
			return "", false
		}
		text = text[n:]
	}
	return string(out), true
}

// plainEscapes are the escape sequences of one character that mean another.
var plainEscapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// appendEscaped appends what an escape sequence means, which is without its backslash.
func appendEscaped(out []byte, sequence string, bytes bool) ([]byte, bool) {
	if len(sequence) == 1 {
		if c := plainEscapes[sequence[0]]; c != 0 {
			return append(out, c), true
		}
		return append(out, sequence[0]), true
	}
	digits, base := sequence[1:], 16
	switch sequence[0] {
	case 'u', 'U':
		if bytes {
			return nil, false
		}
	case '0', '1', '2', '3':
		digits, base = sequence, 8
	}
	r, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil:
		return nil, false
	case bytes:
		return append(out, byte(r)), true
	case r > utf8.MaxRune || !utf8.ValidRune(rune(r)):
		return nil, false
	}
	return utf8.AppendRune(out, rune(r)), true
}
