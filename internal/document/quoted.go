package document

import (
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/json"
)

// Classes of bytes in strings.
const (
	plain = iota
	closing
	escaping
	control
	beyondASCII
)

// classes are those of the bytes.
var classes = func() (classes [256]uint8) {
	for i := range classes {
		switch {
		case i < ' ':
			classes[i] = control
		case i == '"':
			classes[i] = closing
		case i == '\\':
			classes[i] = escaping
		case i >= utf8.RuneSelf:
			classes[i] = beyondASCII
		}
	}
	return classes
}()

// quoted reads a string. It tells whether there is one.
func (t *Text) quoted() (text []byte, ok bool) {
	if !t.take('"') {
		return nil, false
	}
	begin, escapes, invalid := t.at, 0, false
	data := t.data
	for at := t.at; at < len(data); {
		switch classes[data[at]] {
		case plain:
			at++
		case closing:
			t.at = at + 1
			switch {
			case invalid:
				return rare(data[begin-1 : t.at])
			case escapes > 0:
				return unescape(data[begin:at], at-begin-escapes, data[begin-1:t.at])
			}
			return data[begin:at], true
		case escaping:
			escapes++
			at += 2
		case control:
			return nil, false
		case beyondASCII:
			r, size := utf8.DecodeRune(data[at:])
			invalid = invalid || r == utf8.RuneError && size == 1
			at += size
		}
	}
	return nil, false
}

// escapeLetters are what single letters stand for behind a backslash.
var escapeLetters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape replaces the escapes of a text of a string. Size is about what it becomes.
func unescape(text []byte, size int, quoted []byte) ([]byte, bool) {
	out := make([]byte, 0, size)
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			begin := i
			for i < len(text) && text[i] != '\\' {
				i++
			}
			out = append(out, text[begin:i]...)
			i--
			continue
		}
		i++
		if letter := escapeLetters[text[i]]; letter != 0 {
			out = append(out, letter)
			continue
		}
		code, ok := hexadecimal(text[i:])
		if !ok || 0xd800 <= code && code < 0xe000 {
			return rare(quoted)
		}
		out = utf8.AppendRune(out, code)
		i += 4
	}
	return out, true
}

// hexadecimal is the character of an escape with u and four digits.
func hexadecimal(text []byte) (code rune, ok bool) {
	if len(text) < 5 || text[0] != 'u' {
		return 0, false
	}
	for _, c := range text[1:5] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		code = code<<4 | rune(c)
	}
	return code, true
}

// rare reads a string with surrogates, or not in UTF-8, as the decoder of API servers does.
func rare(quoted []byte) ([]byte, bool) {
	var text string
	err := json.Unmarshal(quoted, &text)
	return []byte(text), err == nil
}
