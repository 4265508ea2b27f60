package document

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/kubecel/kubecel/diag"
)

// inside is the offset of a position in the text that a scalar stands for. It is that of the scalar if the
// text cannot be followed.
func (t *indexed) inside(node *yaml.Node, at diag.Position) int {
	begin := t.begin(node)
	index := indexOf(node.Value, at)
	start := begin + len(properties().FindString(t.string[begin:]))
	if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		if offset, ok := insideBlock(t.string, start, node.Value, index); ok {
			return offset
		}
		return begin
	}
	quote := byte(0)
	switch {
	case node.Style&yaml.DoubleQuotedStyle != 0:
		quote = '"'
	case node.Style&yaml.SingleQuotedStyle != 0:
		quote = '\''
	}
	if quote != 0 {
		start++
	}
	return insideFlow(t.string, start, quote, utf8.RuneCountInString(node.Value[:index]))
}

// indexOf is the offset of a position in a value.
func indexOf(value string, at diag.Position) int {
	offset := 0
	for range at.Line - 1 {
		next := strings.IndexByte(value[offset:], '\n')
		if next < 0 {
			return len(value)
		}
		offset += next + 1
	}
	for range at.Column - 1 {
		_, size := utf8.DecodeRuneInString(value[offset:])
		offset += size
	}
	return offset
}

// properties matches the anchor and the tag of a node, and comments behind them.
var properties = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[&!]\S*(?:\s+(?:#[^\n]*\n\s*)*|$))+`) })

// insideBlock follows a literal or folded text line by line: but for indentation, the lines stand there as
// they are. What is between them are blanks and line feeds, whichever they became.
func insideBlock(text string, start int, value string, index int) (int, bool) {
	at := 0
	for offset := nextLine(text, start); offset < len(text); offset = nextLine(text, offset) {
		line := text[offset:nextLine(text, offset)]
		content := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " ")
		if content == "" {
			continue
		}
		for at < len(value) && (value[at] == ' ' || value[at] == '\n') {
			at++
		}
		if at == len(value) {
			break // the content is behind the scalar
		}
		if !strings.HasPrefix(value[at:], content) {
			return 0, false
		}
		offset := offset + strings.Index(line, content)
		if at += len(content); index <= at {
			return max(offset+len(content)-(at-index), offset-(len(line)-len(strings.TrimLeft(line, " ")))), true
		}
	}
	return 0, false
}

func nextLine(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// insideFlow follows a plain or quoted text to one of its characters. Quote is 0 for a plain one.
func insideFlow(text string, at int, quote byte, wanted int) int {
	for count := 0; at < len(text); {
		size, characters := step(text[at:], quote)
		if count+characters > wanted {
			if blanks := size == characters; blanks {
				at += wanted - count
			}
			break
		}
		count += characters
		at += size
	}
	return at
}

// step is how many bytes stand for how many characters. Of several characters each is one byte.
func step(text string, quote byte) (size, characters int) {
	switch {
	case strings.IndexByte(" \t\r\n", text[0]) >= 0:
		return spaces(text)
	case text[0] == '\'' && quote == '\'':
		return min(2, len(text)), 1
	case text[0] == '\\' && quote == '"':
		return escape(text)
	}
	_, size = utf8.DecodeRuneInString(text)
	return size, 1
}

// spaces are blanks, of which all count if they stand in one line. One line break stands for a blank, and
// more for one less.
func spaces(text string) (size, characters int) {
	breaks := 0
	for ; size < len(text) && strings.IndexByte(" \t\r\n", text[size]) >= 0; size++ {
		if text[size] == '\n' || text[size] == '\r' && !strings.HasPrefix(text[size+1:], "\n") {
			breaks++
		}
	}
	if breaks == 0 {
		return size, size
	}
	return size, max(breaks-1, 1)
}

// escape is an escape sequence of a text in double quotes.
func escape(text string) (size, characters int) {
	if len(text) < 2 {
		return len(text), 1
	}
	switch text[1] {
	case '\r', '\n': // the line goes on
		end := nextLine(text, 1)
		return end + len(text[end:]) - len(strings.TrimLeft(text[end:], " \t")), 0
	case 'x':
		size = 4
	case 'u':
		if size = 6; surrogates().MatchString(text[:min(6, len(text))]) {
			size = 12
		}
	case 'U':
		size = 10
	default:
		size = 2
	}
	return min(size, len(text)), 1
}
