package ours

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
)

// TestPrices holds the estimates and costs of every release against those that
// the API server of the release gave.
func TestPrices(t *testing.T) {
	testdata := filepath.Join("..", "..", "..", "testdata")
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := parity.ReadLedger(filepath.Join(testdata, "departures-releases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]parity.Answers{}
	err = parity.EachRelease(testdata, func(release string, a parity.Answers) error {
		answers[release] = maps.Clone(a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var older *parity.PriceReport
	for _, release := range slices.Backward(parity.Releases()) {
		minor, err := strconv.Atoi(strings.TrimPrefix(release, "1."))
		if err != nil {
			t.Fatal(err)
		}
		report, err := parity.Prices(release, answers[release], NewStored(minor), corpus, ledger)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(report)
		neighbours(t, older, report)
		older = report
		for i, d := range report.Differences {
			if i == 20 {
				t.Errorf("and %d more", len(report.Differences)-i)
				break
			}
			t.Error(d)
		}
	}
	for _, entry := range ledger.Idle() {
		t.Error(entry)
	}
}

// neighbours shows by the shortest expressions what became dearer or cheaper from
// one release to the next.
func neighbours(t *testing.T, older, newer *parity.PriceReport) {
	t.Helper()
	if older == nil {
		return
	}
	var changed []string
	for q, price := range newer.Prices {
		if was, ok := older.Prices[q]; ok && was != price {
			changed = append(changed, fmt.Sprintf("%s: %v -> %v", q.Name, was, price))
		}
	}
	slices.SortFunc(changed, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	t.Logf("%s -> %s: %d prices changed\n  %s", older.Release, newer.Release, len(changed), strings.Join(changed[:min(len(changed), 12)], "\n  "))
	// 1.35 and 1.36 have the cel-go of 1.34.
	if same := newer.Release == "1.35" || newer.Release == "1.36"; same != (len(changed) == 0) {
		t.Errorf("%s -> %s: %d prices changed", older.Release, newer.Release, len(changed))
	}
}
