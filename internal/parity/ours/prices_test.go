package ours

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/release"
)

// TestPrices holds the estimates and costs of every release against those that
// the API server of the release gave.
func TestPrices(t *testing.T) {
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
	releases := parity.Releases()
	prices, verdicts := make([]*parity.PriceReport, len(releases)), make([]*parity.VerdictReport, len(releases))
	errs := make([]error, len(releases))
	var running sync.WaitGroup
	turn := make(chan struct{}, runtime.NumCPU())
	for i, name := range releases {
		running.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			server, err := release.Parse(name)
			if err == nil {
				prices[i], err = parity.Prices(name, answers[name], NewStored(server), corpus, ledger)
			}
			if err == nil {
				verdicts[i], err = parity.Verdicts(name, answers[name], NewStored(server), NewWritten(server), corpus, ledger)
			}
			errs[i] = err
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var older *parity.PriceReport
	for i := range slices.Backward(releases) {
		t.Log(prices[i])
		neighbours(t, older, prices[i])
		older = prices[i]
		t.Log(verdicts[i])
		for n, d := range slices.Concat(prices[i].Differences, verdicts[i].Differences) {
			if n == 20 {
				t.Error("and more")
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
