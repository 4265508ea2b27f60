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

// margin is how many columns stand before an expression, shown is how many nodes are
// marked below it, and barWidth is the width of a full bar.
const (
	margin   = 2
	shown    = 8
	barWidth = 20
	loop     = "comprehension"
	root     = "the root"
)

// number writes a cost, a size or a number of evaluations with groups of three
// digits; what has saturated is "unbounded".
func number(n uint64) string {
	if n == math.MaxUint64 {
		return "unbounded"
	}
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// listed is how many expressions are listed at least.
const listed = 20

// Text is the report for a terminal: the schema as a whole, and then at most so many
// of its expressions, the costliest first. Zero or less stands for all. Lines have at
// most width columns, and 100 if width is zero; longer ones are broken. Only a
// suggested expression stands in one line.
func (s *CRD) Text(most, width int) string {
	width = columns(width)
	var b strings.Builder
	if title := strings.TrimSpace(s.Name + " " + s.Version); title != "" {
		fmt.Fprintln(&b, title)
	}
	fmt.Fprintf(&b, "%d expressions, estimated at %s together; %s\n", len(s.Expressions), number(s.Total), s.Server.text("a server of Kubernetes "+s.Release.String(), s.Total))
	if s.Caller.Limit != s.Server.Limit {
		fmt.Fprintf(&b, "by your limit: %s\n", s.Caller.text("you", s.Total))
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
		entry := fmt.Sprintf("%s %5.1f%% %*s  ", bar(x.Share), 100*x.Share, len(number(s.Expressions[0].Total)), number(x.Total))
		if utf8.RuneCountInString(entry)+utf8.RuneCountInString(x.Path) > width {
			entry = strings.TrimRight(entry, " ") + "\n    "
		}
		fmt.Fprintf(&b, "%s%s\n", entry, x.Path)
	}
	text := wrap(b.String(), width)
	for i := range s.Expressions[:min(most, len(s.Expressions))] {
		text += "\n" + s.Expressions[i].Text(width)
	}
	return text
}

func (v Judgement) text(who string, estimate uint64) string {
	who += " allows " + number(v.Limit)
	factor := float64(estimate) / float64(max(v.Limit, 1))
	switch {
	case v.Within:
		return fmt.Sprintf("%s, %s are left", who, number(v.Limit-estimate))
	case factor >= 100:
		return fmt.Sprintf("%s, which is exceeded %s times", who, number(uint64(min(factor, math.MaxUint64/2))))
	}
	return fmt.Sprintf("%s, which is exceeded %.4g times", who, factor)
}

// Text is the report for a terminal: the expression with its costliest parts marked
// below it, and where their cost comes from. The width is that of [CRD.Text].
func (x *Expression) Text(width int) string {
	width = columns(width)
	var b strings.Builder
	if x.Path != "" {
		fmt.Fprintf(&b, "%s\n", x.Path)
	}
	marks := x.marks()
	x.writeSource(&b, marks, width-margin)
	if x.Error != "" {
		fmt.Fprintf(&b, "\n  it does not compile: %s\n", indent(x.Error, "  "))
		return wrap(b.String(), width)
	}
	b.WriteByte('\n')
	for i, n := range marks {
		fmt.Fprintf(&b, "  [%d] %s %5.1f%%  %s\n", i+1, bar(n.Share), 100*n.Share, n.why())
		for _, size := range n.Operands {
			fmt.Fprintf(&b, "      %s\n", sizeText(size))
		}
	}
	row := func(title, format string, values ...any) {
		fmt.Fprintf(&b, "  %-17s "+format+"\n", append([]any{title}, values...)...)
	}
	b.WriteByte('\n')
	row("one evaluation", "%s (at least %s)", number(x.Estimate.Max), number(x.Estimate.Min))
	x.Evaluations.write(row)
	row("estimated total", "%s; %s", number(x.Total), x.Server.text("a server", x.Total))
	if x.Caller.Limit != x.Server.Limit {
		row("by your limit", "%s", x.Caller.text("you", x.Total))
	}
	if x.Server.Message != "" {
		row("a server says", "%s", x.Server.Message)
	}
	x.Sound.write(x.Estimate.Max, row)
	if a := x.Actual; a != nil {
		spent := number(a.Cost)
		if a.Evaluations > 0 {
			spent += fmt.Sprintf(" in %d evaluations", a.Evaluations)
		}
		if a.Error != "" {
			spent += "; it failed: " + a.Error
		}
		row("it did cost", "%s", spent)
	}
	x.Advice.write(&b)
	return wrap(b.String(), width)
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
		share := n.Share
		if n.Kind != loop {
			share = float64(cost.Exactly(n.Own.Max).Mul(cost.Exactly(n.Count)).Max) / float64(max(x.Estimate.Max, 1))
		}
		// What a macro adds has names that no expression can have.
		if share >= 0.01 && !strings.HasPrefix(n.Name, "@") && !slices.ContainsFunc(all, func(o *Node) bool { return o.At == n.At }) {
			all = append(all, n)
		}
	})
	byCost := slices.Clone(all)
	slices.SortStableFunc(byCost, func(a, b *Node) int { return cmp.Compare(b.Share, a.Share) })
	byCost = byCost[:min(shown, len(byCost))]
	return slices.DeleteFunc(all, func(n *Node) bool { return !slices.Contains(byCost, n) })
}

// writeSource writes the expression and below each line the marks in it.
func (x *Expression) writeSource(b *strings.Builder, marks []*Node, width int) {
	text := []rune(x.Source)
	for from := 0; from <= len(text); {
		to := from
		for to < len(text) && text[to] != '\n' && to-from < width {
			to++
		}
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(string(text[from:to]), "\t", " "))
		for i, n := range marks {
			start, end := max(n.At.Start, from), min(n.At.End, to)
			if start < end && strings.TrimSpace(string(text[start:end])) != "" {
				writeMark(b, start-from, end-start, fmt.Sprintf("[%d]", i+1), width)
			}
		}
		if from = to; from < len(text) && text[from] == '\n' {
			from++
		} else if from == len(text) {
			break
		}
	}
}

// writeMark writes a mark with its number behind it, or before it at the end of a line.
func writeMark(b *strings.Builder, start, length int, name string, width int) {
	before, after := strings.Repeat(" ", start), " "+name
	switch {
	case start+length+len(after) <= width:
	case start > len(name):
		before, after = strings.Repeat(" ", start-len(after))+name+" ", ""
	default: // it fills the line
		length, after = max(width-start-len(after), 1), " "+name
	}
	fmt.Fprintf(b, "  %s%s%s\n", before, strings.Repeat("▔", length), after)
}

// why says what a node costs.
func (n *Node) why() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", clip(n.label(), 40), number(n.Total.Max))
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
	switch n.Kind {
	case loop:
		return "loop"
	case "call":
		return strings.Trim(strings.ReplaceAll(n.Name, "_", " "), " @")
	}
	return cmp.Or(n.Name, string(n.Kind))
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
	if s.Bound != nil {
		from = boundText(*s.Bound)
	}
	from = cmp.Or(from, "nothing is known of it")
	return what + ": " + number(s.Size.Max) + ", " + from
}

// boundText says where the size of a bound comes from.
func boundText(b cost.Bound) string {
	data, text := cmp.Or(b.Data, root), ""
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

// writeRow writes a line with a title before it.
type writeRow = func(title, format string, values ...any)

func (e Evaluations) write(row writeRow) {
	switch {
	case len(e.Chain) == 0:
		return
	case e.Bounded:
		row("evaluations", "%s", number(e.Count))
	default:
		row("evaluations", "%s: as many values of %d bytes, each with a comma, as a request of %s bytes holds", number(e.Count), e.MinSize, number(cost.MaxRequestSizeBytes))
	}
	for _, l := range e.Chain {
		value := "missing"
		if l.Value != nil {
			value = strconv.FormatInt(*l.Value, 10)
		}
		if l.Note != "" {
			value += " (" + l.Note + ")"
		}
		row("", "%s: %s %s", l.Data, l.Keyword, value)
	}
}

func (s *Sound) write(estimate uint64, row writeRow) {
	switch {
	case s == nil || s.Bounded && s.Max <= estimate:
		return
	case s.Bounded:
		row("really at most", "%s for one evaluation, more than estimated", number(s.Max))
	default:
		row("really at most", "there is no telling")
	}
	for _, d := range s.Doubts {
		row("", "%s: %s", clip(d.Text, 40), d.Reason)
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
