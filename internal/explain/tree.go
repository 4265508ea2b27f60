package explain

import (
	"strings"

	celast "github.com/google/cel-go/common/ast"

	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// treeMaker turns a trace into nodes of a report.
type treeMaker struct {
	source  *source
	info    *celast.SourceInfo
	subject *subject
	// most is the estimate of the whole expression.
	most uint64
}

// tree makes the nodes of an expression.
func (m *treeMaker) tree(t *pricing.Trace) *report.Node {
	n, _ := m.node(t, 1)
	m.place(n, report.Span{})
	return n
}

func (m *treeMaker) node(t *pricing.Trace, count uint64) (*report.Node, extent) {
	n := &report.Node{
		ID: t.ID, Kind: string(t.Kind), Name: t.Name, Overloads: t.Overloads, Role: string(t.Role), Why: string(t.Why),
		Times: report.Of(t.Times), Count: count, Own: report.Of(t.Own), Total: report.Of(t.Total),
		Share: m.share(pricing.Repeated(t.Total.Max, count)), OwnShare: m.share(pricing.Repeated(t.Own.Max, count)),
	}
	where := m.source.own(t, m.info)
	largest := none
	for _, part := range t.Parts {
		p, of := m.node(part, pricing.Repeated(count, part.Times.Max))
		n.Parts = append(n.Parts, p)
		where = where.union(of)
		if of.to-of.from > largest.to-largest.from {
			largest = of
		}
	}
	if where.from <= where.to {
		where = m.source.balanced(where, largest)
		n.At = m.source.span(where)
	}
	for _, a := range t.Operands {
		n.Operands = append(n.Operands, m.size(a))
	}
	if t.Result != nil {
		size := m.size(*t.Result)
		n.Result = &size
	}
	return n, where
}

// place gives what a macro added the place of the macro, and every node its text.
func (m *treeMaker) place(n *report.Node, above report.Span) {
	if n.At == (report.Span{}) {
		n.At = above
	}
	n.Text = m.source.slice(n.At)
	for _, p := range n.Parts {
		m.place(p, n.At)
	}
}

func (m *treeMaker) share(units uint64) float64 {
	if m.most == 0 {
		return 0
	}
	return float64(units) / float64(m.most)
}

func (m *treeMaker) size(a pricing.Assumed) report.Size {
	s := report.Size{Operand: a.Operand, Element: a.Element, Size: report.Of(a.Size), Source: string(a.Source.Kind)}
	if a.Source.Kind != pricing.SourceDeclared {
		return s
	}
	s.Path = dataPath(a.Source.Path)
	if at := m.subject.at(a.Source.Path); at.ok {
		bound := reportBound(at.Bound)
		s.Bound = &bound
		s.Source = bound.Kind
	}
	return s
}

// dataPath writes a path of an expression as the data has it.
func dataPath(path []string) string {
	var b strings.Builder
	for i, step := range path {
		switch step {
		case pricing.PathItems:
			b.WriteString("[*]")
		case pricing.PathValues:
			b.WriteString("{*}")
		case pricing.PathKeys:
			b.WriteString("{keys}")
		case pricing.PathIndices:
			b.WriteString("[index]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}
