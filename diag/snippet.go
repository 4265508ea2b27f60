package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSnippet is the longest line that a snippet shows, in bytes.
const maxSnippet = 16 << 10

// Snippet renders the line of a position with a caret under its column, each
// on a line of its own. It is empty if there is no such place, or the line is
// too long to be of use.
func Snippet(expression string, at Position) string {
	lines := strings.Split(expression, "\n")
	if at.Line < 1 || at.Line > len(lines) || len(lines[at.Line-1]) > maxSnippet {
		return ""
	}
	var line, caret strings.Builder
	column := 1
	for _, r := range strings.TrimSuffix(lines[at.Line-1], "\r") {
		if r != '\t' && unicode.IsControl(r) {
			r = utf8.RuneError // a terminal would obey it
		}
		line.WriteRune(r)
		if column++; column > at.Column {
			continue
		}
		if r == '\t' {
			caret.WriteByte('\t')
		} else {
			caret.WriteString("  "[:cells(r)])
		}
	}
	return "\n  | " + line.String() + "\n  | " + caret.String() + "^"
}

// cells is how wide a terminal shows a character, near enough.
func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		'\u3000' <= r && r <= '\u303e', '\uff01' <= r && r <= '\uff60', // their punctuation, and full-width forms
		'\U0001f300' <= r && r <= '\U0001faff': // emoji
		return 2
	}
	return 1
}
