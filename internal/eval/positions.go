package eval

import celast "github.com/google/cel-go/common/ast"

// positions tell where the nodes of an expression are. Errors need this of a syntax tree
// that is otherwise dropped after compilation.
type positions []int32 // offsets in code points plus one, by node id

func positionsOf(checked *celast.AST) positions {
	ranges := checked.SourceInfo().OffsetRanges()
	last := int64(0)
	for id := range ranges {
		last = max(last, id)
	}
	p := make(positions, last+1)
	for id, r := range ranges {
		p[id] = r.Start + 1
	}
	return p
}

// Position finds a node in the source of the expression: line and column, both
// from 1, the column in code points. Both are 0 if the node has no place.
func (p *Program) Position(source string, node int64) (line, column int) {
	at := p.positions
	if node < 0 || node >= int64(len(at)) || at[node] == 0 {
		return 0, 0
	}
	left := at[node] - 1
	line, column = 1, 1
	for _, r := range source {
		if left == 0 {
			break
		}
		left--
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}
