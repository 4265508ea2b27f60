package eval

import (
	celast "github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/diag"
)

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

// Position finds a node in the source of the expression. It is zero if the node has no
// place.
func (p *Program) Position(source string, node int64) diag.Position {
	if node < 0 || node >= int64(len(p.positions)) || p.positions[node] == 0 {
		return diag.Position{}
	}
	return diag.PositionAt([]rune(source), int(p.positions[node])-1)
}
