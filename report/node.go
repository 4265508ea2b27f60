package report

// Span is a part of an expression: lines and columns from 1, columns in code
// points, the end exclusive. Start and End are offsets in code points.
type Span struct {
	// Start is the offset of the first code point.
	Start int `json:"start"`
	// End is the offset behind the last one.
	End int `json:"end"`
	// Line is the line of the first code point.
	Line int `json:"line"`
	// Column is the column of the first code point.
	Column int `json:"column"`
	// EndLine is the line of the end.
	EndLine int `json:"endLine"`
	// EndColumn is the column behind the last code point.
	EndColumn int `json:"endColumn"`
}

// Node is one node of an expression. For the least as for the most, Total is Own
// and the sum of Times × Total over the parts.
type Node struct {
	// ID is the id of the node in the expression. A macro may use a node twice.
	ID int64 `json:"id"`
	// Kind is a cost.Kind.
	Kind string `json:"kind"`
	// Name is the function, field, identifier or type.
	Name string `json:"name,omitempty"`
	// Overloads are what a call may turn out as.
	Overloads []string `json:"overloads,omitempty"`
	// Role is a cost.Role: what the node is to the one above.
	Role string `json:"role,omitempty"`
	// Why is a cost.Why, empty if the node above counts this one once.
	Why string `json:"why,omitempty"`
	// At is the place in the source. What a macro adds stands where the macro does.
	At Span `json:"at"`
	// Text is what stands there, cut off after 200 code points.
	Text string `json:"text"`
	// Times is how often the node above counts this one.
	Times Range `json:"times"`
	// Count is how often one evaluation of the expression counts it at most.
	Count uint64 `json:"count"`
	// Own is what the node costs without its parts.
	Own Range `json:"own"`
	// Total is what it costs with them.
	Total Range `json:"total"`
	// Share is the share of Count × Total.Max in the estimate of the expression.
	Share float64 `json:"share"`
	// OwnShare is the share of Count × Own.Max.
	OwnShare float64 `json:"ownShare"`
	// Operands are the sizes from which the node is priced.
	Operands []Size `json:"operands,omitempty"`
	// Result is the size of its value, nil if nothing is known of it.
	Result *Size `json:"result,omitempty"`
	// Actual is what the node cost in all evaluations, nil if there were none.
	Actual *NodeCost `json:"actual,omitempty"`
	// Parts are the nodes below.
	Parts []*Node `json:"parts,omitempty"`
}

// Each calls f for the node and all below it, parents first.
func (n *Node) Each(f func(*Node)) {
	if n == nil {
		return
	}
	f(n)
	for _, p := range n.Parts {
		p.Each(f)
	}
}

// Size is a size that an estimate assumes.
type Size struct {
	// Operand is the index of the operand, 0 the target of a member function, and -1
	// for the range of a comprehension.
	Operand int `json:"operand"`
	// Element is true for the elements of the operand.
	Element bool `json:"element,omitempty"`
	// Size is the size in the unit of CEL's size().
	Size Range `json:"size"`
	// Source is literal, declared, missing, scalar, computed or unknown: declared
	// Source is literal, scalar, computed, unknown or, if a schema was asked, the
	// kind of Bound. For a size that nothing is known of it is unknown.
	Source string `json:"source"`
	// Path is the path of the data in the expression.
	Path string `json:"path,omitempty"`
	// Bound is what bounds it in the schema, nil if nothing does.
	Bound *Bound `json:"bound,omitempty"`
}
