package cost

import (
	"strconv"
	"strings"
)

// Formula returns the price in words, with a name for each operand: "0.1·size(x)".
// It is empty if the model prices nothing, and for a formula without a text.
func (m Model) Formula(names ...string) string {
	text := m.text
	for i, name := range names {
		text = strings.ReplaceAll(text, placeholder(i), name)
	}
	return text
}

// As gives the price a text in place of that of its formula. {0} stands for
// the first operand.
func (m Model) As(text string) Model {
	m.text = text
	return m
}

func placeholder(i int) string { return "{" + strconv.Itoa(i) + "}" }

// factorText multiplies a text by a number.
func factorText(factor float64, text string) string {
	switch {
	case text == "":
		return ""
	case factor == 1:
		return text
	}
	return strconv.FormatFloat(factor, 'g', 4, 64) + "·" + grouped(text)
}

// grouped puts a sum in parentheses.
func grouped(text string) string {
	depth := 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], sumSign):
			return "(" + text + ")"
		}
	}
	return text
}

// joinText joins texts by an operator, unless one of them is not known.
func joinText(operator string, texts ...string) string {
	for i, text := range texts {
		if text == "" {
			return ""
		}
		if operator != sumSign {
			texts[i] = grouped(text)
		}
	}
	return strings.Join(texts, operator)
}

const (
	sumSign     = " + "
	productSign = "·"
)
