package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/cost"
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
	lines := strings.Split(x.Text(), "\n")
	want := []string{
		"  " + strings.Repeat("é", 90) + "marked",
		"  " + strings.Repeat(" ", 90) + "▔▔▔▔▔▔ [1]",
		"   here",
		"  ▔▔▔▔▔ [1]",
		"  and marked",
		"  ▔▔▔▔▔▔▔▔▔▔ [1]",
	}
	for i, line := range want {
		if lines[i] != line {
			t.Errorf("line %d is %q, want %q", i, lines[i], line)
		}
	}
}

// TestTextEmpty holds that reports without anything in them can be written.
func TestTextEmpty(t *testing.T) {
	if text := (&report.CRD{}).Text(3); !strings.Contains(text, "0 expressions") {
		t.Errorf("text %q", text)
	}
	if text := (&report.Expression{}).Text(); text == "" {
		t.Error("no text")
	}
	value := int64(-3)
	size := report.Size{Size: cost.Exactly(0), Source: cost.SourceDeclared, Bound: &cost.Bound{Kind: cost.SourceDeclared, Value: &value, Keyword: "maxItems", Note: "odd"}}
	text := (&report.Expression{Source: "f()", Root: &report.Node{Count: 1, Own: cost.Exactly(1 << 63), At: report.Span{End: 3}, Operands: []report.Size{size}, Total: cost.Exactly(1 << 63)}}).Text()
	for _, want := range []string{"operand 0: 0, maxItems -3 of the root (odd)\n", ": 9,223,372,036,854,775,808\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("text %q lacks %q", text, want)
		}
	}
	if text := (&report.Expression{Total: math.MaxUint64}).Text(); !strings.Contains(text, "estimated total   unbounded;") {
		t.Errorf("text %q", text)
	}
}
