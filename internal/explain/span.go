package explain

import (
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode"

	celast "github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// token is a word, literal, bracket, operator or comment of an expression.
type token struct {
	// start and end are offsets in code points, at is the position of start.
	start, end int
	at         diag.Position
	// match is the index of the token that closes or opens the bracket, -1 for
	// anything else.
	match int
}

// tokens finds the tokens of an expression that the parser has accepted. cel-go's own
// lexer would need a direct dependency on the runtime of its generator.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`//[^\n]*`,
		`(?i:r|br|rb)(?:"""(?s:.*?)"""|'''(?s:.*?)'''|"[^"]*"|'[^']*')`,
		`[bB]?(?:"""(?s:\\.|[^\\])*?"""|'''(?s:\\.|[^\\])*?'''|"(?s:\\.|[^"\\])*"|'(?s:\\.|[^'\\])*')`,
		"`[^`]*`",
		`0[xX][0-9a-fA-F]+[uU]?`,
		`(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uU]?`,
		`[\pL\pN_]+`,
		`&&|\|\||[=!<>]=|\.\?`,
		`\S`,
	}, "|"))
})

// source finds the text of nodes. The parser keeps one position for each node. The node
// extends over all tokens of its parts, and the brackets that they need.
type source struct {
	text   []rune
	tokens []token
}

func newSource(text string) *source {
	s := &source{text: []rune(text)}
	var open []int
	at, offset, position := 0, 0, diag.Position{Line: 1, Column: 1}
	// skip moves to a byte of the text.
	skip := func(to int) {
		passed := []rune(text[at:to])
		at, offset, position = to, offset+len(passed), position.After(passed)
	}
	for _, found := range tokens().FindAllStringIndex(text, -1) {
		skip(found[0])
		t := token{start: offset, at: position, match: -1}
		skip(found[1])
		t.end = offset
		switch text[found[0]] {
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
	}
	return s
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

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

// own is the extent of a node without its parts.
func (s *source) own(n *report.Node, info *celast.SourceInfo) extent {
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
	case s.is(i, ".") || s.is(i, ".?") || s.is(i, "-") && n.Kind == pricing.KindLiteral:
		e.to = min(i+1, len(s.tokens)-1)
	case s.is(i, "("):
		// The bracket of a call. Its name, with the namespace, stands before.
		for e.from > 0 && s.named(e.from-1) {
			e.from--
		}
	}
	return s.balanced(e, none)
}

// named tells whether a token belongs to the name of a function that goes on at the next
// token. In a name words and dots take turns.
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

// balanced widens an extent until each bracket in it has its match. It skips part, which
// is balanced already.
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

// place gives each node of an expression its place and its text.
func (s *source) place(root *report.Node, info *celast.SourceInfo) {
	s.find(root, info)
	s.inherit(root, report.Span{})
}

// find gives a node the place of all that the source has of it.
func (s *source) find(n *report.Node, info *celast.SourceInfo) extent {
	where, largest := s.own(n, info), none
	for _, p := range n.Parts {
		of := s.find(p, info)
		where = where.union(of)
		if of.to-of.from > largest.to-largest.from {
			largest = of
		}
	}
	if where.from > where.to {
		return where
	}
	where = s.balanced(where, largest)
	if where.to < len(s.tokens) {
		first := s.tokens[where.from]
		n.At = report.Span{Start: first.start, End: s.tokens[where.to].end, Position: first.at}
	}
	return where
}

// inherit gives what a macro added the place of the macro, and every node its text.
func (s *source) inherit(n *report.Node, above report.Span) {
	if n.At == (report.Span{}) {
		n.At = above
	}
	n.Text = string(s.text[n.At.Start:n.At.End])
	if n.At.End-n.At.Start > maxText {
		n.Text = string(s.text[n.At.Start:n.At.Start+maxText-1]) + "…"
	}
	for _, p := range n.Parts {
		s.inherit(p, n.At)
	}
}

// maxText is how many code points of a node's text a report has.
const maxText = 200
