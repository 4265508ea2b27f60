package report_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/report"
)

// TestTextLines holds that long expressions and those of several lines are marked
// below the right columns.
func TestTextLines(t *testing.T) {
	source := strings.Repeat("é", 90) + "marked here\nand\tmarked"
	start := 90
	x := &report.Expression{Source: source, Root: &report.Node{
		Share: 1, Kind: "call", Count: 1, Own: cost.Exactly(1), At: report.Span{Start: start, End: len([]rune(source))},
	}}
	lines := strings.Split(x.Text(0), "\n")
	want := []string{
		"  " + strings.Repeat("é", 90) + "marked h",
		"  " + strings.Repeat(" ", 86) + "[1] ▔▔▔▔▔▔▔▔",
		"  ere",
		"  ▔▔▔ [1]",
		"  and marked",
		"  ▔▔▔▔▔▔▔▔▔▔ [1]",
	}
	for i, line := range want {
		if lines[i] != line {
			t.Errorf("line %d is %q, want %q", i, lines[i], line)
		}
	}
}

// TestTextWidth holds that lines fit a width, and that nothing is left out: all texts
// differ only in where lines break and in the length of marks.
func TestTextWidth(t *testing.T) {
	path := strings.Repeat("properties[spec].properties[aVeryLongNameOfAField].items.", 5) + "x-kubernetes-validations[12].rule"
	source := strings.Repeat("self.names.all(n, n.contains('x')) && ", 6) + "true"
	node := &report.Node{Share: 1, Kind: "call", Name: "_&&_", Count: 1, Own: cost.Exactly(1), Total: cost.Exactly(math.MaxUint64 - 1), At: report.Span{End: len(source)}}
	bound := cost.Bound{Schema: path, Data: strings.ReplaceAll(path, "properties", ""), Kind: cost.SourceMissing, Keyword: "maxItems", Size: 1 << 60}
	x := report.Expression{
		Path: path, Source: source, Root: node, Total: math.MaxUint64 - 1, Estimate: cost.Exactly(math.MaxUint64 - 1), Share: 1,
		Server: report.Judgement{Limit: 10, Message: strings.Repeat("too much of it, ", 20)},
		Advice: &report.Advice{Note: strings.Repeat("no", 150), Together: []report.Change{{Bound: bound, To: 5}},
			Rewrite: &report.Rewrite{Source: source}},
	}
	r := &report.CRD{Name: "widgets.example.com", Expressions: []report.Expression{x, x}}
	r.Findings = append(r.Findings, diag.Finding{Path: path, Message: strings.Repeat("message ", 30)})
	plain := func(text string) string {
		return strings.Join(strings.Fields(strings.NewReplacer("▔", "", "[1]", "", "\n", " ").Replace(text)), "")
	}
	want := plain(r.Text(0, 100_000))
	for _, width := range []int{40, 57, 80, 100, 160} {
		text := r.Text(0, width)
		if got := plain(text); got != want {
			t.Errorf("width %d: %s\nwant %s", width, got, want)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if n := utf8.RuneCountInString(line); n > width && strings.TrimSpace(line) != source {
				t.Errorf("width %d: a line of %d: %s", width, n, line)
			}
		}
	}
	if !strings.Contains(want, "x-kubernetes-validations[12].rule") {
		t.Error("the end of the path is missing")
	}
}

// TestTextEmpty holds that reports without anything in them can be written.
func TestTextEmpty(t *testing.T) {
	if text := (&report.CRD{}).Text(3, 0); !strings.Contains(text, "0 expressions") {
		t.Errorf("text %q", text)
	}
	if text := (&report.Expression{}).Text(0); text == "" {
		t.Error("no text")
	}
	value := int64(-3)
	size := report.Size{Size: cost.Exactly(0), Source: cost.SourceDeclared, Bound: &cost.Bound{Kind: cost.SourceDeclared, Value: &value, Keyword: "maxItems", Note: "odd"}}
	text := (&report.Expression{Source: "f()", Root: &report.Node{Count: 1, Own: cost.Exactly(1 << 63), At: report.Span{End: 3}, Operands: []report.Size{size}, Total: cost.Exactly(1 << 63)}}).Text(0)
	for _, want := range []string{"operand 0: 0, maxItems -3 of the root (odd)\n", ": 9,223,372,036,854,775,808\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("text %q lacks %q", text, want)
		}
	}
	if text := (&report.Expression{Total: math.MaxUint64}).Text(0); !strings.Contains(text, "estimated total   unbounded;") {
		t.Errorf("text %q", text)
	}
}
