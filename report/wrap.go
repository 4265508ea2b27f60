package report

import (
	"strings"
)

// The columns of a text: those of a terminal of which nothing is known, and the fewest
// that a text is fitted to.
const (
	defaultWidth = 100
	leastWidth   = 40
)

// columns is the width to which a text is fitted.
func columns(width int) int {
	if width <= 0 {
		return defaultWidth
	}
	return max(width, leastWidth)
}

// verbatim begins a line that is not wrapped: an expression to copy.
const verbatim = "\x00"

// wrap breaks lines that are longer than width. Nothing is left out. A line goes on below
// its second column of text if that is not far to the right.
func wrap(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, verbatim); ok {
			b.WriteString(rest)
			continue
		}
		wrapLine(&b, []rune(line), width)
	}
	return b.String()
}

func wrapLine(b *strings.Builder, line []rune, width int) {
	hang := hanging(line, width)
	for ended := func() int { return len([]rune(strings.TrimRight(string(line), " \n"))) }; ended() > width; {
		at := breakAt(line, hang, width)
		b.WriteString(strings.TrimRight(string(line[:at]), " "))
		b.WriteByte('\n')
		rest := strings.TrimLeft(string(line[at:]), " ")
		line = []rune(strings.Repeat(" ", hang) + rest)
	}
	b.WriteString(string(line))
}

// hanging is the column at which a broken line goes on.
func hanging(line []rune, width int) int {
	const far = 3 // a third of the width
	start := 0
	for start < len(line) && line[start] == ' ' {
		start++
	}
	for i := start; i+2 < len(line) && i < width/far; i++ {
		if line[i] == ' ' && line[i+1] == ' ' && line[i+2] != ' ' {
			return i + 2
		}
	}
	return min(start+4, width/far)
}

// breakAt is where a line is broken: at a space, or else within a path, or else
// anywhere.
func breakAt(line []rune, from, width int) int {
	for _, breaks := range []string{" ", ".[/,"} {
		for i := min(width, len(line)-1); i > from; i-- {
			if strings.ContainsRune(breaks, line[i]) {
				return i
			}
		}
	}
	return width
}
