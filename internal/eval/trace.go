package eval

// An evaluation is priced by the arguments that each call got, without a stack,
// if the tracker would find just these. It finds others only where a node searches
// for an id that it did not push this time, but in an earlier iteration. Ids are
// searched for by
//   - the parent of a node, right after the node is observed, and
//   - an attribute, for its own last id, before it pushes it.
// If all ids of an expression are different, then the parent finds the entry of
// the node it has just evaluated, and drops all that was pushed since. What a
// parent does not evaluate (the later terms of a conjunction, the other branch of a
// conditional) it searches for after it dropped all entries that this could have
// left. So the stack matters only if an attribute can find an entry of its own
// from an earlier iteration: if it is left behind by the nodes between it and the
// loop, none of which drops it. leavesTrace says for which nodes this may happen.
//
// A call that fails before its last argument drops nothing. That is only known
// during evaluation, which then starts again and keeps the stack.

// leavesTrace tells whether the evaluation of a loop body may leave an entry that
// its next evaluation searches for.
func leavesTrace(n node) bool { return leavesResidue(n) || searchesItself(n) }

// searchesItself tells whether a node drops its own entry before it pushes it.
// A choice without a path drops those of its parts instead.
func searchesItself(n node) bool {
	a, ok := n.(*attrNode)
	if !ok {
		return false
	}
	c, ok := a.attr.(*conditional)
	return !ok || c.id() != c.nodeID
}

// leavesResidue tells whether an evaluation may leave, below the entry of the node,
// one of an attribute.
func leavesResidue(n node) bool {
	switch n := n.(type) {
	case *constNode:
		return false
	case *attrNode:
		return attributeResidue(n.attr)
	case *logicNode:
		return leavesResidue(n.terms[0])
	case *foldNode:
		return leavesResidue(n.iterRange)
	case *memberNode:
		return leavesTrace(n.arg)
	case *orElseNode:
		return leavesTrace(n.lhs) || leavesTrace(n.rhs)
	case interface{ first() node }:
		first := n.first()
		return first != nil && leavesResidue(first)
	}
	return true
}

func (c *call) first() node   { return firstOf(c.args) }
func (c *create) first() node { return firstOf(c.vals) }

func firstOf(nodes []node) node {
	if len(nodes) == 0 {
		return nil
	}
	return nodes[0]
}

func attributeResidue(a attribute) bool {
	switch a := a.(type) {
	case *variable:
		return a.residue()
	case *derived:
		return leavesTrace(a.operand) || a.residue()
	case *conditional:
		return leavesResidue(a.condition)
	}
	return true
}

func (p *path) residue() bool {
	for i, q := range p.qualifiers {
		switch q := q.(type) {
		case *attrQualifier:
			if c, ok := q.attr.(*conditional); ok {
				if leavesTrace(c.condition) || attributeResidue(c.yes) || attributeResidue(c.no) {
					return true
				}
			} else if attributeResidue(q.attr) {
				return true
			}
		case *exprQualifier:
			// The tracker takes its entry for that of an attribute.
			if i < len(p.qualifiers)-1 || leavesTrace(q.operand) {
				return true
			}
		}
	}
	return false
}
