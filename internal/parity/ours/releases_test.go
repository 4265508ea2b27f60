package ours

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/release"
)

// TestReleases holds what every release accepts, estimates, gives and charges
// against what its API server does.
func TestReleases(t *testing.T) {
	t.Parallel()
	corpus := loadCorpus(t)
	ledger, err := parity.ReadLedger(filepath.Join(testdata, "departures-releases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	accepted := acceptedBy(t, corpus)
	reports := make([]*parity.ReleaseReport, len(parity.Releases()))
	var running sync.WaitGroup
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	i := 0
	err = parity.EachRelease(testdata, func(r release.Release, a parity.Answers) error {
		answers, at := maps.Clone(a), i
		i++
		turn <- struct{}{}
		running.Add(1)
		go func() {
			defer running.Done()
			defer func() { <-turn }()
			var err error
			if reports[at], err = parity.CompareRelease(r, answers, NewRelease(r), accepted, corpus, ledger); err != nil {
				t.Errorf("%v: %v", r, err)
			}
		}()
		return nil
	})
	running.Wait()
	if err != nil || t.Failed() {
		t.Fatal(err)
	}
	var older *parity.ReleaseReport
	var failures []string
	for _, r := range slices.Backward(reports) {
		neighbours(t, older, r)
		older = r
		for _, d := range r.Differences {
			failures = append(failures, d.String())
		}
	}
	parity.Fail(t, failures)
	parity.Fail(t, ledger.Miscounts())
	table(t, reports)
}

// acceptedBy asks for every expression which releases accept it when it is written.
func acceptedBy(t *testing.T, corpus *parity.Corpus) map[parity.Question]map[release.Release]bool {
	t.Helper()
	var cases []parity.ExprCase
	for _, g := range corpus.Expressions {
		cases = append(cases, g.Cases...)
	}
	verdicts := make([]map[release.Release]bool, len(cases))
	var running sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		running.Add(1)
		go func() {
			defer running.Done()
			i := New()
			for n := worker; n < len(cases); n += runtime.GOMAXPROCS(0) {
				var err error
				if verdicts[n], err = i.AcceptedBy(cases[n]); err != nil {
					t.Errorf("%s: %v", cases[n].Expr, err)
				}
			}
		}()
	}
	running.Wait()
	all := map[parity.Question]map[release.Release]bool{}
	for n, c := range cases {
		all[parity.ExpressionQuestion(c)] = verdicts[n]
	}
	return all
}

// neighbours shows by the shortest expressions what became dearer or cheaper from
// one release to the next.
func neighbours(t *testing.T, older, newer *parity.ReleaseReport) {
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
	if same := newer.Release == release.Minor(35) || newer.Release == release.Minor(36); same != (len(changed) == 0) {
		t.Errorf("%s -> %s: %d prices changed", older.Release, newer.Release, len(changed))
	}
}

// table holds the table of releases in docs/parity.md.
func table(t *testing.T, reports []*parity.ReleaseReport) {
	t.Helper()
	rows := []string{"| Release | Verdicts, written and stored | Estimates | Costs | Values | Estimates of rules | Differences |", "|---|---|---|---|---|---|---|"}
	for _, r := range slices.Backward(reports) {
		rows = append(rows, r.String())
	}
	want := strings.Join(rows, "\n")
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "parity.md"))
	if err != nil {
		t.Fatal(err)
	}
	if t.Log(want); !strings.Contains(string(document), want+"\n") {
		t.Errorf("docs/parity.md does not have this table:\n%s", want)
	}
}
