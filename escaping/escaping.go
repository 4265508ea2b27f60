// Package escaping maps property names to CEL identifiers and back.
package escaping

// Escape returns the identifier of a property name.
func Escape(name string) (ident string, ok bool) { return name, true }

// Unescape returns the property name of an identifier.
func Unescape(ident string) (name string, ok bool) { return ident, true }

// IsReserved says whether a name is a reserved word of CEL.
func IsReserved(name string) bool { return false }
