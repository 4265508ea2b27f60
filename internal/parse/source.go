package parse

import (
	"strings"

	"github.com/google/cel-go/common"
)

// source is as much of a common.Source as a SourceInfo asks for. That of cel-go copies the text.
type source struct {
	common.Source
	text  string
	lines []int32
}

// Description is what cel-go calls a text that has no name.
func (*source) Description() string { return "<input>" }

// LineOffsets are where the lines end, in code points.
func (s *source) LineOffsets() []int32 { return s.lines }

// OffsetLocation is asked for the beginning only.
func (*source) OffsetLocation(int32) (common.Location, bool) { return common.NewLocation(1, 0), true }

// lineOffsets are the offsets behind each line, in code points. A text that is empty has one, zero.
func lineOffsets(text string) []int32 {
	lines := make([]int32, 0, strings.Count(text, "\n")+1)
	at := int32(0)
	for _, r := range text {
		at++
		if r == '\n' {
			lines = append(lines, at)
		}
	}
	if text != "" {
		at++
	}
	return append(lines, at)
}

// location is the line and the column of an offset.
func location(lines []int32, offset int32) common.Location {
	line, column := 1, offset
	for _, end := range lines {
		if end > offset {
			break
		}
		line, column = line+1, offset-end
	}
	return common.NewLocation(line, int(column))
}
