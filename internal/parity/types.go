package parity

import "strings"

// typ is a CEL type as it prints: "int", "list(<T>)", "map(string, int)".
type typ struct {
	name   string
	params []typ
}

func parseType(s string) typ {
	s = strings.TrimSpace(s)
	open := strings.IndexByte(s, '(')
	if open < 0 {
		return typ{name: s}
	}
	t := typ{name: s[:open]}
	depth, start := 0, open+1
	for i := open + 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				t.params = append(t.params, parseType(s[start:i]))
				return t
			}
			depth--
		case ',':
			if depth == 0 {
				t.params = append(t.params, parseType(s[start:i]))
				start = i + 1
			}
		}
	}
	return t
}

// bind replaces type parameters such as <T>.
func (t typ) bind(b map[string]string) typ {
	if to, ok := b[strings.Trim(t.name, "<>")]; ok && strings.HasPrefix(t.name, "<") {
		return parseType(to)
	}
	c := typ{name: t.name}
	for _, p := range t.params {
		c.params = append(c.params, p.bind(b))
	}
	return c
}

func (t typ) generic() bool {
	if strings.HasPrefix(t.name, "<") {
		return true
	}
	for _, p := range t.params {
		if p.generic() {
			return true
		}
	}
	return false
}

func (t typ) String() string {
	if len(t.params) == 0 {
		return t.name
	}
	var ps []string
	for _, p := range t.params {
		ps = append(ps, p.String())
	}
	return t.name + "(" + strings.Join(ps, ", ") + ")"
}
