package parity

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/kubecel/kubecel/release"
)

// Ledger lists the known differences. Each entry states how many there are of it,
// and one more or fewer is an error.
type Ledger struct {
	mutex   sync.Mutex
	entries []*departure
}

// departure is an entry: differences of some kinds in cases whose keys match.
type departure struct {
	Reason string
	// Match is a regular expression for the whole key of a case.
	Match string
	// Cases is the number of differences by kind: by the kind alone for the newest
	// release, by kind and release ("result 1.36") for the others. In the file
	// "result 1.28-1.36" stands for each of these releases.
	Cases map[string]int

	match *regexp.Regexp
	found map[string][]string
}

// ReadLedger reads a ledger, which is a list of entries.
func ReadLedger(file string) (*Ledger, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := &Ledger{}
	if err := yaml.UnmarshalStrict(data, &l.entries); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, d := range l.entries {
		if d.match, err = regexp.Compile("^(?s:" + d.Match + ")$"); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if d.Reason == "" || d.Match == "" || len(d.Cases) == 0 {
			return nil, fmt.Errorf("%s: an entry lacks its reason, its pattern or its number of cases: %q", file, d.Match)
		}
		if d.Cases, err = eachRelease(d.Cases); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, d.Match, err)
		}
		d.found = map[string][]string{}
	}
	return l, nil
}

// eachRelease writes out the ranges of releases.
func eachRelease(cases map[string]int) (map[string]int, error) {
	all := map[string]int{}
	for key, n := range cases {
		kind, releases, _ := strings.Cut(key, " ")
		first, last, isRange := strings.Cut(releases, "-")
		if !isRange {
			all[key] = n
			continue
		}
		from, err := release.Parse(first)
		if err != nil {
			return nil, err
		}
		to, err := release.Parse(last)
		if err != nil {
			return nil, err
		}
		for r := from; !to.Before(r); r = r.Add(1) {
			all[kind+" "+r.String()] = n
		}
	}
	return all, nil
}

// Of is the part of a ledger about a kind.
func (l *Ledger) Of(kind string) *Ledger {
	part := &Ledger{}
	for _, d := range l.entries {
		if n, ok := d.Cases[kind]; ok {
			part.entries = append(part.entries, &departure{d.Reason, d.Match, map[string]int{kind: n}, d.match, map[string][]string{}})
		}
	}
	return part
}

// covers tells whether a difference is known. It counts for the first entry of its
// kind that matches.
func (l *Ledger) covers(kind, key string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, d := range l.entries {
		if _, ok := d.Cases[kind]; ok && d.match.MatchString(key) {
			d.found[kind] = append(d.found[kind], key)
			return true
		}
	}
	return false
}

// Miscounts are the entries whose number of cases is not the one that was found.
func (l *Ledger) Miscounts() []string {
	var all []string
	for _, d := range l.entries {
		for _, kind := range slices.Sorted(maps.Keys(d.Cases)) {
			found := d.found[kind]
			if len(found) == d.Cases[kind] {
				continue
			}
			slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
			all = append(all, fmt.Sprintf("the ledger has %d cases of %s, found %d: %s (%s)\n  %s", d.Cases[kind], kind, len(found), d.Match, d.Reason,
				strings.Join(found[:min(len(found), 5)], "\n  ")))
		}
	}
	return all
}

// Known is the number of differences of a kind that were found in the ledger.
func (l *Ledger) Known(kind string) int {
	n := 0
	for _, d := range l.entries {
		n += len(d.found[kind])
	}
	return n
}
