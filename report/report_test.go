package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/report"
)

func TestNumber(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567", math.MaxUint64: "unbounded", math.MaxUint64 - 1: "18,446,744,073,709,551,614"} {
		if got := report.Number(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

// TestTextLines holds that long expressions and those of several lines are marked
// below the right columns.
func TestTextLines(t *testing.T) {
	source := strings.Repeat("é", 90) + "marked here\nand\tmarked"
	start := 90
	x := &report.Expression{Source: source, Root: &report.Node{
		Share: 1, Kind: "call", OwnShare: 1, At: report.Span{Start: start, End: len([]rune(source))},
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
	if text := (&report.Schema{}).Text(3); !strings.Contains(text, "0 expressions") {
		t.Errorf("text %q", text)
	}
	if text := (&report.Expression{}).Text(); text == "" {
		t.Error("no text")
	}
	value := int64(-3)
	if text := (report.Bound{Kind: "declared", Value: &value, Keyword: "maxItems", Note: "odd"}).Text(); text != "maxItems -3 of the root (odd)" {
		t.Errorf("text %q", text)
	}
}
