// Package escaping maps property names of Kubernetes objects to CEL identifiers and back.
//
// CEL identifiers have the form [a-zA-Z_][a-zA-Z0-9_]*, and some words are reserved. Property names
// have more characters and know no reserved words, so expressions write them escaped:
//
//	property name                      identifier
//	__                                 __underscores__
//	.                                  __dot__
//	-                                  __dash__
//	/                                  __slash__
//	a reserved word, as a whole name   __word__
//
// A double underscore is replaced from left to right: ___ becomes __underscores___. A name that is
// empty, starts with a digit, or has any other character has no identifier; expressions cannot see
// such a property.
//
// The reserved words are true, false, null, in, as, break, const, continue, else, for, function, if,
// import, let, loop, package, namespace, return, var, void and while.
package escaping

import "strings"

const (
	underscores = "__underscores__"
	dot         = "__dot__"
	dash        = "__dash__"
	slash       = "__slash__"
)

// Escape returns the identifier of a property name, or false if the name has none. A name that is
// its own identifier is returned without allocation.
func Escape(name string) (ident string, ok bool) {
	if name == "" || isDigit(name[0]) {
		return "", false
	}
	if IsReserved(name) {
		return "__" + name + "__", true
	}
	grow := 0
	for i := 0; i < len(name); i++ {
		e, width := escapeAt(name, i)
		switch {
		case e != "":
			grow += len(e) - width
			i += width - 1
		case !isIdent(name[i]):
			return "", false
		}
	}
	if grow == 0 {
		return name, true
	}
	out := make([]byte, 0, len(name)+grow)
	for i := 0; i < len(name); i++ {
		if e, width := escapeAt(name, i); e != "" {
			out = append(out, e...)
			i += width - 1
			continue
		}
		out = append(out, name[i])
	}
	return string(out), true
}

// escapeAt returns what replaces the width bytes at name[i:], or "" if they stay.
func escapeAt(name string, i int) (escape string, width int) {
	switch name[i] {
	case '.':
		return dot, 1
	case '-':
		return dash, 1
	case '/':
		return slash, 1
	case '_':
		if strings.HasPrefix(name[i+1:], "_") {
			return underscores, 2
		}
	}
	return "", 1
}

// Unescape returns the property name of an identifier, or false if the identifier has an escape
// sequence (any run of other characters between double underscores) that Escape does not write. It
// does not check that ident is an identifier. An identifier without escape sequences is returned
// without allocation.
func Unescape(ident string) (name string, ok bool) {
	start, end := nextEscape(ident, 0)
	if start < 0 {
		return ident, true
	}
	if word := ident[2 : len(ident)-2]; start == 0 && end == len(ident) && IsReserved(word) {
		return word, true
	}
	out := make([]byte, 0, len(ident))
	done := 0
	for ; start >= 0; start, end = nextEscape(ident, done) {
		out = append(out, ident[done:start]...)
		switch ident[start:end] {
		case underscores:
			out = append(out, "__"...)
		case dot:
			out = append(out, '.')
		case dash:
			out = append(out, '-')
		case slash:
			out = append(out, '/')
		default:
			return "", false
		}
		done = end
	}
	return string(append(out, ident[done:]...)), true
}

// nextEscape finds the first escape sequence of ident at or after from; start is -1 if there is none.
func nextEscape(ident string, from int) (start, end int) {
	for i := from; ; {
		n := strings.Index(ident[i:], "__")
		if n < 0 {
			return -1, -1
		}
		i += n
		body := ident[i+2:]
		n = strings.IndexByte(body, '_')
		if n > 0 && strings.HasPrefix(body[n:], "__") {
			return i, i + 2 + n + 2
		}
		i++
	}
}

// IsReserved says whether CEL reserves a word, so that no identifier may be that word.
func IsReserved(name string) bool {
	switch name {
	case "true", "false", "null", "in",
		"as", "break", "const", "continue", "else",
		"for", "function", "if", "import", "let",
		"loop", "package", "namespace", "return",
		"var", "void", "while":
		return true
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isIdent(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_'
}
