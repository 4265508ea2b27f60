package parity

import "fmt"

// Tally is where the comparison with one release departs from it.
type Tally struct {
	// Release is the release.
	Release string
	// Known counts the differences that are in the ledger, and Differences are the
	// others.
	Known       int
	Differences []Difference
}

func (t *Tally) compare(l *Ledger, kind string, q Question, want, got any) {
	if want == got {
		return
	}
	key := t.Release + " " + q.Name
	if l.covers(kind, key) {
		t.Known++
		return
	}
	t.Differences = append(t.Differences, Difference{kind, key, fmt.Sprint(want), fmt.Sprint(got)})
}
