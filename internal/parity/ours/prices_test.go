package ours

import (
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
		for i, d := range report.Differences {
			if i == 3000 {
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
