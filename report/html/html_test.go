package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/release"
	"github.com/kubecel/kubecel/report"
	"github.com/kubecel/kubecel/report/html"
)

func Example() {
	document, err := os.ReadFile("../../examples/costreport/crd.yaml")
	if err != nil {
		log.Fatal(err)
	}
	crd, err := kubecel.ParseCRD(document)
	if err != nil {
		log.Fatal(err)
	}
	report, err := crd.Report("v1")
	if err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	if err := html.Write(&page, report); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.SplitN(page.String(), "\n", 2)[0])
	// Output: <!doctype html>
}

var dataElement = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// TestWrite holds that a page loads nothing, that no text of a schema becomes
// markup, and that numbers too large for JavaScript are strings.
func TestWrite(t *testing.T) {
	const evil = "'</script><script>alert(1)</script><!--' == \"\\u2028\""
	s := &report.CRD{
		Name: "</title><b>x", Outcome: report.Outcome{Total: 1<<64 - 1, Release: release.Newest(), Findings: []diag.Finding{{Message: evil}}},
		Expressions: []report.Expression{{Kind: report.KindRule, Source: evil, Total: 1<<53 + 1, Share: 1, Root: &report.Node{Kind: "call", Total: cost.Range{Max: 7}}}},
	}
	var page bytes.Buffer
	if err := html.Write(&page, s); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d scripts, want 2", n)
	}
	if strings.Contains(text, "<b>x") {
		t.Error("the name of a CRD became markup")
	}
	for _, loads := range []string{"http:", "https:", "src=", "@import", "url(", "fetch(", "import("} {
		if strings.Contains(strings.ToLower(text), loads) {
			t.Errorf("the page has %q", loads)
		}
	}
	found := dataElement.FindStringSubmatch(text)
	if found == nil {
		t.Fatal("no data")
	}
	var data struct {
		Total       string
		Expressions []struct {
			Source, Total string
			Root          struct{ Total struct{ Max int } }
		}
	}
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatal(err)
	}
	if x := data.Expressions[0]; data.Total != "18446744073709551615" || x.Total != "9007199254740993" || x.Source != evil || x.Root.Total.Max != 7 {
		t.Errorf("data %+v", data)
	}
}

// TestWriteExpression holds that a page of one expression has its report, and says what
// it is about.
func TestWriteExpression(t *testing.T) {
	env, err := kubecel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	x, err := env.ReportEval(t.Context(), "[1, 2].all(n, n > 0)", nil)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := html.Write(&page, x); err != nil {
		t.Fatal(err)
	}
	if want := "<h1 id=\"title\">Cost of an expression</h1>"; !strings.Contains(page.String(), want) {
		t.Errorf("the page lacks %s", want)
	}
	var again report.Expression
	if err := json.Unmarshal(dataElement.FindSubmatch(page.Bytes())[1], &again); err != nil {
		t.Fatal(err)
	}
	if again.Source != x.Source || again.Total != x.Total || again.Actual.Result != "true" || len(again.Root.Parts) != len(x.Root.Parts) {
		t.Errorf("the page has the report %+v of %+v", again, x)
	}
}
