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

import (
	"strings"
)

var (
	escaper   = strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__")
	unescapes = map[string]string{"__underscores__": "__", "__dot__": ".", "__dash__": "-", "__slash__": "/"}
)

// Escape returns the identifier of a property name, or false if the name has none. A name that is
// its own identifier is returned without allocation.
func Escape(name string) (ident string, ok bool) {
	switch {
	case !nameable(name):
		return "", false
	case IsReserved(name):
		return "__" + name + "__", true
	case strings.ContainsAny(name, "./-") || strings.Contains(name, "__"):
		return escaper.Replace(name), true
	}
	return name, true
}

// nameable tells whether a name has only letters, digits and _ . / -, and no digit first.
func nameable(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', '-' <= c && c <= '/':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}

// Unescape returns the property name of an identifier, or false if the identifier has an escape
// sequence (any run of other characters between double underscores) that Escape does not write. It
// does not check that ident is an identifier. An identifier without double underscores is returned
// without allocation.
func Unescape(ident string) (name string, ok bool) {
	if !strings.Contains(ident, "__") {
		return ident, true
	}
	if word := sequenceAt(ident); word == ident && IsReserved(word[2:len(word)-2]) {
		return word[2 : len(word)-2], true
	}
	var b strings.Builder
	b.Grow(len(ident))
	for len(ident) > 0 {
		sequence, text := ident[:1], ident[:1]
		if found := sequenceAt(ident); found != "" {
			if sequence, text = found, unescapes[found]; text == "" {
				return "", false
			}
		}
		b.WriteString(text)
		ident = ident[len(sequence):]
	}
	return b.String(), true
}

// sequenceAt returns the escape sequence with which an identifier begins, empty if with none.
func sequenceAt(ident string) string {
	rest, ok := strings.CutPrefix(ident, "__")
	if n := strings.IndexByte(rest, '_'); ok && n > 0 && strings.HasPrefix(rest[n:], "__") {
		return ident[:n+4]
	}
	return ""
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
