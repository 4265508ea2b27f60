package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/internal/pricing"
	"github.com/kubecel/kubecel/report"
)

// causes are the operands of unknown size that take a node over the limit, whatever
// the bounds of the schema are.
func causes(root *report.Node, limit uint64) (all []report.Cause) {
	root.Each(func(n *report.Node) {
		for _, s := range n.Operands {
			p := operand(n, s.Operand)
			if p == nil || !unknown(s) || n.Own.Max <= limit {
				continue
			}
			c := report.Cause{At: p.At, Text: p.Text, Reason: "estimates know no size of it"}
			if p.Kind == pricing.KindCall {
				c.Reason = fmt.Sprintf("estimates know no size of what %s returns", p.Name)
			}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	})
	return all
}

// operand is an operand of a call, of which the target is the first. It is nil for
// what has no such operand.
func operand(n *report.Node, index int) *report.Node {
	for _, role := range []report.Role{pricing.RoleTarget, pricing.RoleArgument} {
		for _, p := range n.Parts {
			if p.Role != role {
				continue
			}
			if index == 0 {
				return p
			}
			index--
		}
	}
	return nil
}

func unknown(s report.Size) bool {
	return s.Operand >= 0 && !s.Element && s.Source == cost.SourceUnknown && s.Size.Max == math.MaxUint64
}

// rewrite writes concatenations with operands of unknown size as calls of format, whose
// estimate does not depend on the sizes. It is nil if that makes no difference.
func (s *subject) rewrite(root *report.Node, text *source, limit uint64) *report.Rewrite {
	var chains []*report.Node
	var find func(n *report.Node)
	find = func(n *report.Node) {
		if isConcatenation(n) && slices.ContainsFunc(flatten(n), func(p part) bool { return p.unknown }) {
			chains = append(chains, n)
			return
		}
		for _, p := range n.Parts {
			find(p)
		}
	}
	find(root)
	slices.SortFunc(chains, func(a, b *report.Node) int { return b.At.Start - a.At.Start })
	written := slices.Clone(text.text)
	for i, n := range chains {
		if i > 0 && n.At.Start == chains[i-1].At.Start { // a macro uses a node twice
			continue
		}
		written = slices.Replace(written, n.At.Start, n.At.End, []rune(text.format(flatten(n)))...)
	}
	if len(chains) == 0 {
		return nil
	}
	again, err := s.explain.Again(string(written))
	if err != nil {
		return nil
	}
	r := &report.Rewrite{Source: string(written), Total: pricing.Repeated(again.Estimate.Max, s.evaluations(nil))}
	r.Fits = r.Total <= limit
	return r
}

// part is an operand of a concatenation.
type part struct {
	*report.Node
	unknown bool
}

func isConcatenation(n *report.Node) bool {
	return n.Kind == pricing.KindCall && n.Name == operators.Add && len(n.Parts) == 2 && slices.Equal(n.Overloads, []string{overloads.AddString})
}

// flatten is the operands of a chain of concatenations.
func flatten(n *report.Node) (parts []part) {
	for i, p := range n.Parts {
		if isConcatenation(p) {
			parts = append(parts, flatten(p)...)
			continue
		}
		parts = append(parts, part{p, slices.ContainsFunc(n.Operands, func(s report.Size) bool { return s.Operand == i && unknown(s) })})
	}
	return parts
}

// plainText is a literal without escapes and quotes.
var plainText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:'[^'"\\\n]*'|"[^'"\\\n]*")$`) })

// format is a call of format with the operands of a concatenation.
func (s *source) format(parts []part) string {
	var text strings.Builder
	var args []string
	for _, p := range parts {
		written := string(s.text[p.At.Start:p.At.End])
		if p.Kind == pricing.KindLiteral && plainText().MatchString(written) {
			text.WriteString(strings.ReplaceAll(written[1:len(written)-1], "%", "%%"))
			continue
		}
		text.WriteString("%s")
		args = append(args, argument(p, written))
	}
	return fmt.Sprintf("'%s'.format([%s])", &text, strings.Join(args, ", "))
}

// argument is an operand without the conversion to a string, which format makes too.
func argument(p part, written string) string {
	if p.Kind == pricing.KindCall && len(p.Parts) == 1 && len(p.Overloads) == 1 && converted[p.Overloads[0]] {
		if inner, ok := strings.CutPrefix(written, overloads.TypeConvertString+"("); ok {
			return strings.TrimSuffix(inner, ")")
		}
	}
	return written
}

// converted are the conversions to a string that give the text that %s gives.
var converted = map[string]bool{overloads.IntToString: true, overloads.UintToString: true, overloads.BoolToString: true}
