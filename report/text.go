package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kubecel/kubecel/cost"
)

// textWidth is how many columns of an expression stand in one line of text, shown
// is how many nodes are marked below it, and barWidth is the width of a full bar.
const (
	textWidth = 96
	shown     = 8
	barWidth  = 20
)

// number writes a cost, a size or a number of evaluations with groups of three
// digits; what has saturated is "unbounded".
func number(n uint64) string {
	if n == math.MaxUint64 {
		return "unbounded"
	}
	digits := strconv.FormatUint(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// listed is how many expressions are listed at least.
const listed = 20

// Text is the report for a terminal: the schema as a whole, and then at most so many
// of its expressions, the costliest first. Zero or less stands for all.
func (s *CRD) Text(most int) string {
	var b strings.Builder
	title := strings.TrimSpace(s.Name + " " + s.Version)
	if title != "" {
		fmt.Fprintln(&b, title)
	}
	fmt.Fprintf(&b, "%d expressions, estimated at %s together; %s\n", len(s.Expressions), number(s.Total), s.Server.text("a server of Kubernetes "+s.Release.String()))
	if s.Caller.Limit != s.Server.Limit {
		fmt.Fprintf(&b, "by your limit: %s\n", s.Caller.text("you"))
	}
	if s.Accepted {
		fmt.Fprintf(&b, "Kubernetes %v accepts the schema.\n", s.Release)
	} else {
		fmt.Fprintf(&b, "Kubernetes %v rejects the schema:\n", s.Release)
		for _, f := range s.Findings {
			fmt.Fprintf(&b, "  %s\n    %s\n", f.Path, indent(f.Message, "    "))
		}
	}
	for _, r := range s.Releases {
		verdict := "accepts"
		if !r.Accepted {
			verdict = fmt.Sprintf("rejects (%d findings)", len(r.Findings))
		}
		fmt.Fprintf(&b, "  Kubernetes %v %s the schema, estimated at %s\n", r.Release, verdict, number(r.Total))
	}
	if s.Advice != nil {
		fmt.Fprintf(&b, "All expressions together:\n")
		s.Advice.write(&b)
	}
	if v := s.Validation; v != nil {
		fmt.Fprintf(&b, "An object was validated for %s of %s units.\n", number(v.Cost), number(v.Budget))
		for _, e := range v.Spending {
			fmt.Fprintf(&b, "  %10s  %s (%d evaluations)\n", number(e.Cost), e.Path, e.Evaluations)
		}
	}
	if len(s.Expressions) > 0 {
		fmt.Fprintln(&b)
	}
	if most <= 0 {
		most = len(s.Expressions)
	}
	for i := range s.Expressions {
		if i == max(most, listed) {
			fmt.Fprintf(&b, "and %d more\n", len(s.Expressions)-i)
			break
		}
		x := &s.Expressions[i]
		fmt.Fprintf(&b, "%s %5.1f%% %26s  %s\n", bar(x.Share), 100*x.Share, number(x.Total), x.Path)
	}
	for i := range s.Expressions[:min(most, len(s.Expressions))] {
		b.WriteByte('\n')
		b.WriteString(s.Expressions[i].Text())
	}
	return b.String()
}

func (v Judgement) text(who string) string {
	if v.Within {
		return fmt.Sprintf("%s allows %s, %s are left", who, number(v.Limit), number(v.Headroom))
	}
	return fmt.Sprintf("%s allows %s, which is exceeded %s", who, number(v.Limit), factor(v.Factor))
}

func factor(f float64) string {
	if f >= 100 {
		return number(uint64(min(f, math.MaxUint64/2))) + " times"
	}
	return fmt.Sprintf("%.4g times", f)
}

// Text is the report for a terminal: the expression with its costliest parts marked
// below it, and where their cost comes from.
func (x *Expression) Text() string {
	var b strings.Builder
	if x.Path != "" {
		fmt.Fprintf(&b, "%s\n", x.Path)
	}
	marks := x.marks()
	x.writeSource(&b, marks)
	if x.Error != "" {
		fmt.Fprintf(&b, "\n  it does not compile: %s\n", indent(x.Error, "  "))
		return b.String()
	}
	b.WriteByte('\n')
	for i, n := range marks {
		fmt.Fprintf(&b, "  [%d] %s %5.1f%%  %s\n", i+1, bar(n.Share), 100*n.Share, n.why())
		for _, size := range n.Operands {
			fmt.Fprintf(&b, "      %s\n", sizeText(size))
		}
	}
	fmt.Fprintf(&b, "\n  one evaluation    %s (at least %s)\n", number(x.Estimate.Max), number(x.Estimate.Min))
	x.writeEvaluations(&b)
	fmt.Fprintf(&b, "  estimated total   %s; %s\n", number(x.Total), x.Server.text("a server"))
	if x.Caller.Limit != x.Server.Limit {
		fmt.Fprintf(&b, "  by your limit     %s\n", x.Caller.text("you"))
	}
	if x.Server.Message != "" {
		fmt.Fprintf(&b, "  a server says     %s\n", x.Server.Message)
	}
	x.writeSound(&b)
	if a := x.Actual; a != nil {
		fmt.Fprintf(&b, "  it did cost       %s", number(a.Cost))
		if a.Evaluations > 0 {
			fmt.Fprintf(&b, " in %d evaluations", a.Evaluations)
		}
		if a.Error != "" {
			fmt.Fprintf(&b, "; it failed: %s", a.Error)
		}
		b.WriteByte('\n')
	}
	x.Advice.write(&b)
	return b.String()
}

func bar(share float64) string {
	n := int(math.Round(min(max(share, 0), 1) * barWidth))
	return strings.Repeat("█", n) + strings.Repeat("·", barWidth-n)
}

func indent(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

// marks are the nodes to show: those that cost something themselves, and the loops
// around them, in the order of the expression.
func (x *Expression) marks() []*Node {
	var all []*Node
	x.Root.Each(func(n *Node) {
		worth := n.OwnShare >= 0.01 || n.Kind == KindComprehension && n.Share >= 0.01
		// What a macro adds has names that no expression can have.
		if worth && !strings.HasPrefix(n.Name, "@") && !slices.ContainsFunc(all, func(o *Node) bool { return o.At == n.At }) {
			all = append(all, n)
		}
	})
	byCost := slices.Clone(all)
	slices.SortStableFunc(byCost, func(a, b *Node) int { return cmp.Compare(b.Share, a.Share) })
	byCost = byCost[:min(shown, len(byCost))]
	return slices.DeleteFunc(all, func(n *Node) bool { return !slices.Contains(byCost, n) })
}

// writeSource writes the expression and below each line the marks in it.
func (x *Expression) writeSource(b *strings.Builder, marks []*Node) {
	text := []rune(x.Source)
	for from := 0; from <= len(text); {
		to := from
		for to < len(text) && text[to] != '\n' && to-from < textWidth {
			to++
		}
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(string(text[from:to]), "\t", " "))
		for i, n := range marks {
			start, end := max(n.At.Start, from), min(n.At.End, to)
			if start < end && strings.TrimSpace(string(text[start:end])) != "" {
				fmt.Fprintf(b, "  %s%s [%d]\n", strings.Repeat(" ", start-from), strings.Repeat("▔", end-start), i+1)
			}
		}
		if from = to; from < len(text) && text[from] == '\n' {
			from++
		} else if from == len(text) {
			break
		}
	}
}

// why says what a node costs.
func (n *Node) why() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", clip(n.label(), 40))
	fmt.Fprintf(&b, ": %s", number(n.Total.Max))
	if n.Count > 1 {
		fmt.Fprintf(&b, " × %s", number(n.Count))
	}
	if n.Own.Max > 0 && n.Own.Max != n.Total.Max {
		fmt.Fprintf(&b, ", of which %s by itself", number(n.Own.Max))
	}
	if a := n.Actual; a != nil {
		fmt.Fprintf(&b, " (really %s", number(a.Units))
		if a.Iterations > 0 {
			fmt.Fprintf(&b, ", %d iterations", a.Iterations)
		}
		b.WriteByte(')')
	}
	return b.String()
}

func (n *Node) label() string {
	switch {
	case n.Kind == KindComprehension:
		return "loop"
	case n.Kind == KindCall:
		return strings.Trim(strings.ReplaceAll(n.Name, "_", " "), " @")
	case n.Name != "":
		return n.Name
	}
	return string(n.Kind)
}

// sizeText says what a size of a node is and where it comes from.
func sizeText(s Size) string {
	what := "iterations"
	switch {
	case s.Element:
		what = fmt.Sprintf("elements of operand %d", s.Operand)
	case s.Operand >= 0:
		what = fmt.Sprintf("operand %d", s.Operand)
	}
	from := map[cost.Source]string{cost.SourceLiteral: "a literal", cost.SourceComputed: "computed", cost.SourceScalar: "by its type"}[s.Source]
	switch {
	case s.Bound != nil:
		from = boundText(*s.Bound)
	case from == "":
		from = "nothing is known of it"
	}
	return what + ": " + number(s.Size.Max) + ", " + from
}

// place names a place in data.
func place(data string) string {
	if data == "" {
		return "the root"
	}
	return data
}

// boundText says where the size of a bound comes from.
func boundText(b cost.Bound) string {
	data, text := place(b.Data), ""
	switch b.Kind {
	case cost.SourceDeclared:
		text = fmt.Sprintf("%s %d of %s", b.Keyword, *b.Value, data)
		if b.PerUnit > 1 {
			text += fmt.Sprintf(", each counts %d", b.PerUnit)
		}
	case cost.SourceMissing:
		text = fmt.Sprintf("%s has no %s", data, b.Keyword)
		if b.MinElement > 0 {
			text += fmt.Sprintf(": as many of %d bytes as a request holds", b.MinElement)
		} else {
			text += ": as long as a request"
		}
	case cost.SourceFixed:
		text = fmt.Sprintf("%s of %s", b.Keyword, data)
	case cost.SourceImplicit:
		text = data + ", which every resource has"
	default:
		text = data + " has no size that estimates know"
	}
	if b.Note != "" {
		text += " (" + b.Note + ")"
	}
	return text
}

func (x *Expression) writeEvaluations(b *strings.Builder) {
	e := x.Evaluations
	if len(e.Chain) == 0 {
		return
	}
	fmt.Fprintf(b, "  evaluations       %s", number(e.Count))
	if !e.Bounded {
		fmt.Fprintf(b, ": as many values of %d bytes, each with a comma, as a request of %s bytes holds", e.MinSize, number(uint64(e.RequestSize)))
	}
	b.WriteByte('\n')
	for _, l := range e.Chain {
		value := "missing"
		if l.Value != nil {
			value = strconv.FormatInt(*l.Value, 10)
		}
		fmt.Fprintf(b, "                    %s: %s %s", l.Data, l.Keyword, value)
		if l.Note != "" {
			fmt.Fprintf(b, " (%s)", l.Note)
		}
		b.WriteByte('\n')
	}
}

func (x *Expression) writeSound(b *strings.Builder) {
	s := x.Sound
	switch {
	case s == nil:
		return
	case !s.Bounded:
		fmt.Fprintf(b, "  really at most    there is no telling\n")
	case s.Max > x.Estimate.Max:
		fmt.Fprintf(b, "  really at most    %s for one evaluation, more than estimated\n", number(s.Max))
	default:
		return
	}
	for _, d := range s.Doubts {
		fmt.Fprintf(b, "                    %s: %s\n", clip(d.Text, 40), d.Reason)
	}
}

// clip shortens text to a number of code points.
func clip(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
