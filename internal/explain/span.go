package explain

import (
	"slices"
	"sort"
	"unicode"

	celast "github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// token is a word, literal, bracket or operator of an expression, in code points.
type token struct {
	start, end int
	// match is the index of the token that closes or opens the bracket, -1 for
	// anything else.
	match int
}

// source finds the text of nodes. The parser keeps one position of each node; its
// extent is that of all tokens below it, with the brackets that these need.
type source struct {
	text   []rune
	tokens []token
	// lines are the offsets at which lines begin.
	lines []int
}

func newSource(text string) *source {
	s := &source{text: []rune(text), lines: []int{0}}
	for i, r := range s.text {
		if r == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	var open []int
	for at := 0; at < len(s.text); {
		end := s.tokenEnd(at)
		if end < 0 {
			at++
			continue
		}
		t := token{start: at, end: end, match: -1}
		switch s.text[at] {
		case '(', '[', '{':
			open = append(open, len(s.tokens))
		case ')', ']', '}':
			if n := len(open); n > 0 {
				t.match = open[n-1]
				s.tokens[t.match].match = len(s.tokens)
				open = open[:n-1]
			}
		}
		s.tokens = append(s.tokens, t)
		at = end
	}
	return s
}

// tokenEnd is the end of the token at an offset, -1 if there is white space; a
// comment is a token of its own.
func (s *source) tokenEnd(at int) int {
	r := s.text[at]
	switch {
	case unicode.IsSpace(r):
		return -1
	case r == '/' && s.rune(at+1) == '/':
		for at < len(s.text) && s.text[at] != '\n' {
			at++
		}
		return at
	case isWord(r):
		end := at
		for end < len(s.text) && isWord(s.text[end]) {
			end++
		}
		if q := s.rune(end); (q == '\'' || q == '"') && isPrefix(s.text[at:end]) {
			return s.stringEnd(end, slices.ContainsFunc(s.text[at:end], func(r rune) bool { return r == 'r' || r == 'R' }))
		}
		if unicode.IsDigit(r) { // 1.5e-3
			for end < len(s.text) && (isWord(s.text[end]) || s.text[end] == '.' && unicode.IsDigit(s.rune(end+1)) ||
				(s.text[end] == '-' || s.text[end] == '+') && (s.text[end-1] == 'e' || s.text[end-1] == 'E')) {
				end++
			}
		}
		return end
	case r == '\'' || r == '"':
		return s.stringEnd(at, false)
	case r == '`':
		end := at + 1
		for end < len(s.text) && s.text[end] != '`' {
			end++
		}
		return min(end+1, len(s.text))
	}
	switch string([]rune{r, s.rune(at + 1)}) {
	case "&&", "||", "==", "!=", "<=", ">=", ".?", "[?":
		if r != '[' {
			return at + 2
		}
	}
	return at + 1
}

func (s *source) rune(at int) rune {
	if at < len(s.text) {
		return s.text[at]
	}
	return 0
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func isPrefix(word []rune) bool {
	return len(word) <= 2 && !slices.ContainsFunc(word, func(r rune) bool { return r != 'r' && r != 'R' && r != 'b' && r != 'B' })
}

// stringEnd is the end of the string literal whose quotation mark is at an offset.
func (s *source) stringEnd(at int, raw bool) int {
	quote := s.text[at]
	n := 1
	if s.rune(at+1) == quote && s.rune(at+2) == quote {
		n = 3
	}
	for i := at + n; i < len(s.text); i++ {
		switch {
		case s.text[i] == '\\' && !raw:
			i++
		case s.text[i] == quote && (n == 1 || s.rune(i+1) == quote && s.rune(i+2) == quote):
			return i + n
		}
	}
	return len(s.text)
}

// at is the index of the token at an offset or after it.
func (s *source) at(offset int) int {
	return sort.Search(len(s.tokens), func(i int) bool { return s.tokens[i].end > offset })
}

// extent is a range of tokens, empty if from is greater than to.
type extent struct{ from, to int }

// none is the extent of a node that is not in the source: one that a macro adds.
var none = extent{from: 1}

func (e extent) union(o extent) extent {
	switch {
	case e.from > e.to:
		return o
	case o.from > o.to:
		return e
	}
	return extent{min(e.from, o.from), max(e.to, o.to)}
}

// own is what a node takes by itself.
func (s *source) own(n *pricing.Trace, info *celast.SourceInfo) extent {
	r, ok := info.GetOffsetRange(n.ID)
	if !ok {
		return none
	}
	i := s.at(int(r.Start))
	if i >= len(s.tokens) || s.tokens[i].start > int(r.Start) {
		return none
	}
	e := extent{i, i}
	added := r.Stop <= r.Start // by a macro: the position is that of the macro
	switch {
	case added && n.Kind != pricing.KindComprehension && n.Kind != pricing.KindBinding && n.Kind != pricing.KindPresence:
		return none
	case s.is(i, ".") || s.is(i, ".?"):
		e.to = min(i+1, len(s.tokens)-1)
	case s.is(i, "("):
		// The bracket of a call. Its name, with the namespace, stands before.
		for e.from > 0 && s.named(e.from-1) {
			e.from--
		}
	}
	return s.balanced(e, none)
}

// named tells whether the token before a part of the name of what is called belongs
// to the name too: words and dots take turns.
func (s *source) named(i int) bool {
	next := s.text[s.tokens[i+1].start]
	if s.is(i, ".") {
		return isWord(next)
	}
	return isWord(s.text[s.tokens[i].start]) && (next == '.' || next == '(')
}

func (s *source) is(i int, text string) bool {
	return string(s.text[s.tokens[i].start:s.tokens[i].end]) == text
}

// balanced adds the tokens up to the brackets that match those in an extent. A part of
// it that is balanced need not be looked at.
func (s *source) balanced(e, part extent) extent {
	for {
		wider := e
		for i := e.from; i <= e.to; i++ {
			if i == part.from && part.from <= part.to {
				i = part.to
				continue
			}
			if m := s.tokens[i].match; m >= 0 {
				wider.from, wider.to = min(wider.from, m), max(wider.to, m)
			}
		}
		if wider == e {
			return e
		}
		e = wider
	}
}

func (s *source) span(e extent) report.Span {
	if e.from > e.to || e.to >= len(s.tokens) {
		return report.Span{}
	}
	start, end := s.tokens[e.from].start, s.tokens[e.to].end
	sp := report.Span{Start: start, End: end}
	sp.Line, sp.Column = s.position(start)
	sp.EndLine, sp.EndColumn = s.position(end)
	return sp
}

func (s *source) position(offset int) (line, column int) {
	line = sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset })
	return line, offset - s.lines[line-1] + 1
}

// maxText is how many code points of a node's text a report has.
const maxText = 200

func (s *source) slice(sp report.Span) string {
	if sp.End-sp.Start > maxText {
		return string(s.text[sp.Start:sp.Start+maxText-1]) + "…"
	}
	return string(s.text[sp.Start:sp.End])
}
