package typesystem

import (
	"strings"

	"github.com/google/cel-go/common/types"
)

// typeSuffix tells the name of a type from that of its variable. Were the two the same,
// self.items would be a type. That of an API server has a number behind Type that differs
// from one compilation to the next.
const typeSuffix = "Type1"

// TypeName is the name of the type of a variable.
func TypeName(variable string) string { return variable + typeSuffix }

// schemaOf finds the schema of an object type, here or in the providers below, and what
// texts call it.
func (p *Provider) schemaOf(typeName string) (s *Schema, words string) {
	if s, _ = p.find(typeName); s == nil {
		if base, ok := p.Provider.(*Provider); ok {
			return base.schemaOf(typeName)
		}
		return nil, typeName
	}
	steps := strings.TrimPrefix(typeName, p.name)
	return s, strings.TrimSuffix(p.name, typeSuffix) + strings.NewReplacer(idxStep, "[*]", elemStep, "{*}").Replace(steps)
}

// Words are what texts call a type: the type of an object is where it stands, such as
// self.spec.listeners[*].
func (p *Provider) Words(t *types.Type) string {
	switch t.Kind() {
	case types.TimestampKind:
		return "timestamp"
	case types.DurationKind:
		return "duration"
	case types.NullTypeKind:
		return "null"
	case types.StructKind:
		_, words := p.schemaOf(t.TypeName())
		return words
	case types.ListKind, types.MapKind, types.OpaqueKind:
		if len(t.Parameters()) == 0 {
			break
		}
		var parameters []string
		for _, of := range t.Parameters() {
			parameters = append(parameters, p.Words(of))
		}
		return t.TypeName() + "(" + strings.Join(parameters, ", ") + ")"
	}
	return t.String()
}

// Reword replaces the names of types in a text, such as selfType1.spec.@idx, by what texts
// call them, such as self.spec[*].
func (p *Provider) Reword(text string) string {
	if base, ok := p.Provider.(*Provider); ok {
		text = base.Reword(text)
	}
	if !strings.HasSuffix(p.name, typeSuffix) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, p.name)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r != '.' && r != '@' && !isWordRune(r) })
		if end < 0 {
			end = len(after)
		}
		name := p.name + strings.TrimRight(after[:end], ".")
		_, words := p.schemaOf(name)
		if before != "" && isWordRune(rune(before[len(before)-1])) {
			words = name
		}
		b.WriteString(words)
		text = strings.TrimPrefix(p.name+after, name)
	}
}

// isWordRune tells whether a character can be part of an identifier.
func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
