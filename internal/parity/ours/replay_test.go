package ours

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
)

var testdata = filepath.Join("..", "..", "..", "testdata")

// TestMain lets garbage grow: compiling makes much of it, and little of it lives.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

func loadCorpus(t *testing.T) *parity.Corpus {
	t.Helper()
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	return corpus
}

// TestReplay holds kubecel against every recorded answer of the API server.
func TestReplay(t *testing.T) {
	t.Parallel()
	parity.Replay(t, testdata, New(), true)
}

// TestConcurrentReplay asks every 50th expression of several goroutines that
// share environments. It is run under the race detector.
func TestConcurrentReplay(t *testing.T) {
	corpus := loadCorpus(t)
	var cases []parity.ExprCase
	for _, g := range corpus.Expressions {
		for n := 0; n < len(g.Cases); n += 50 {
			cases = append(cases, g.Cases[n])
		}
	}
	i := New()
	alone := make([]parity.ExprOutcome, len(cases))
	for n, c := range cases {
		alone[n] = i.Expression(c)
	}
	var running sync.WaitGroup
	for range 4 {
		running.Add(1)
		go func() {
			defer running.Done()
			for n, c := range cases {
				if got := i.Expression(c); got != alone[n] {
					t.Errorf("%s %s: %v, alone %v", c.Env.Name, c.Expr, got, alone[n])
				}
			}
		}()
	}
	running.Wait()
	t.Logf("%d expressions", len(cases))
}
