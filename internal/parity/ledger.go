package parity

import (
	"fmt"
	"os"
	"regexp"
	"sync"
)

// Ledger lists where kubecel departs from the reference on purpose, and where
// the reference's own estimate does not hold.
type Ledger struct {
	mutex   sync.Mutex
	entries []*departure
}

type departure struct {
	kind, reason string
	match        *regexp.Regexp
	// live entries belong to cases that only the live comparison asks.
	live bool
	used bool
}

// ReadLedger reads a ledger: a list of kind ("expression", "schema", "crd" or
// "soundness"), match (a regular expression for the whole key of a case),
// reason, and live.
func ReadLedger(file string) (*Ledger, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	doc, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: not a mapping", file)
	}
	doc["@file"] = file
	r, l := &reader{}, &Ledger{}
	for _, e := range get[[]any](r, doc, "departures") {
		e, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: entry is not a mapping", file)
		}
		e["@file"] = file
		d := &departure{kind: get[string](r, e, "kind"), reason: get[string](r, e, "reason"), live: get[bool](r, e, "live")}
		d.match, err = regexp.Compile("^(?s:" + get[string](r, e, "match") + ")$")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if d.reason == "" {
			return nil, fmt.Errorf("%s: %s has no reason", file, d.match)
		}
		l.entries = append(l.entries, d)
	}
	return l, r.err
}

// Soundness is the part of the ledger that says where the reference leaves its
// own estimates: what is left if the reference is compared with itself.
func (l *Ledger) Soundness() *Ledger {
	part := &Ledger{}
	for _, d := range l.entries {
		if d.kind == "soundness" {
			part.entries = append(part.entries, d)
		}
	}
	return part
}

// covers tells whether a difference is known, and notes the entry as needed.
func (l *Ledger) covers(kind, key string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	found := false
	for _, d := range l.entries {
		if d.kind == kind && d.match.MatchString(key) {
			d.used, found = true, true
		}
	}
	return found
}

// idle are the entries that nothing needed.
func (l *Ledger) idle(live bool) []string {
	var all []string
	for _, d := range l.entries {
		if !d.used && (live || !d.live) {
			all = append(all, fmt.Sprintf("ledger entry no longer needed: %s %s", d.kind, d.match))
		}
	}
	return all
}
