package parity

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
)

// Difference is a case where two implementations do not agree.
type Difference struct {
	Kind, Key, Want, Got string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s\n  want %s\n  got  %s", d.Kind, d.Key, d.Want, d.Got)
}

// Report is the result of a comparison.
type Report struct {
	Expressions, Schemas, Rules, Objects, CRDs int
	// Differences are those outside the ledger, Known counts those inside.
	Differences []Difference
	Known       int
}

func (r *Report) String() string {
	return fmt.Sprintf("%d expressions, %d schemas with %d rules and %d objects, %d CRDs: %d differences, %d more in the ledger",
		r.Expressions, r.Schemas, r.Rules, r.Objects, r.CRDs, len(r.Differences), r.Known)
}

// Compare asks both implementations every case of the corpus. It also holds
// the expected estimates against the expected costs.
func Compare(expected, actual Implementation, c *Corpus, l *Ledger) *Report {
	r := &Report{}
	expected, actual = guarded{expected}, guarded{actual}
	for _, g := range c.Expressions {
		for _, e := range g.Cases {
			r.Expressions++
			want, got := expected.Expression(e).normal(), actual.Expression(e).normal()
			key := e.Env.Name + " " + e.Expr
			r.compare(l, "expression", key, want.withoutPlan(), got.withoutPlan())
			if text := unsound(e.Expr, want); text != "" {
				r.note(l, Difference{"soundness", key, fmt.Sprint(want.Estimate), text})
			}
		}
	}
	for _, s := range c.Schemas {
		r.Schema(expected, actual, s, l)
	}
	for _, d := range c.CRDs {
		r.CRD(expected, actual, d, l)
	}
	return r
}

// withoutPlan is an outcome in which nothing is said of an expression that compiles
// and cannot be planned but why: the server shows no more of it.
func (o ExprOutcome) withoutPlan() ExprOutcome {
	if o.ProgramError != "" {
		return ExprOutcome{ProgramError: o.ProgramError}
	}
	return o
}

// CRD compares what is said of a CRD for the sake of its rules. Of documents
// that cannot be decoded only that is compared.
func (r *Report) CRD(expected, actual Implementation, d CRDCase, l *Ledger) {
	r.CRDs++
	r.compare(l, "crd", d.Name, expected.CRD(d).aboutRules(), actual.CRD(d).aboutRules())
}

// aboutRules is what the outcome says of rules.
func (o CRDOutcome) aboutRules() CRDOutcome {
	o = o.normal()
	if o.DecodeError != "" {
		o.DecodeError = "not decoded"
	}
	o.Errors = slices.DeleteFunc(o.Errors, func(e FieldError) bool { return e.Class != "" && e.Class != ClassCEL })
	for i := range o.Errors {
		o.Errors[i].Class = ClassCEL
	}
	return o
}

// Schema compares one schema: rule by rule, object by object.
func (r *Report) Schema(expected, actual Implementation, s SchemaCase, l *Ledger) {
	want, got := expected.Schema(s).normal(), actual.Schema(s).normal()
	r.Schemas++
	r.Rules += len(want.Rules)
	r.Objects += len(want.Objects)
	if want.Error != got.Error || len(want.Rules) != len(got.Rules) || len(want.Objects) != len(got.Objects) {
		r.note(l, Difference{"schema", s.Name, fmt.Sprintf("%d rules, %d objects, error %q", len(want.Rules), len(want.Objects), want.Error),
			fmt.Sprintf("%d rules, %d objects, error %q", len(got.Rules), len(got.Objects), got.Error)})
		return
	}
	for i := range want.Rules {
		r.compare(l, "schema", fmt.Sprintf("%s rule %s[%d]", s.Name, want.Rules[i].Path, want.Rules[i].Index), want.Rules[i], got.Rules[i])
	}
	for i, w := range want.Objects {
		others := w.Others
		w.Others = nil
		g := got.Objects[i]
		matches := func(o ObjectOutcome) bool { return same(o.normal(), g) }
		if g.Others = nil; same(w, g) || slices.ContainsFunc(others, matches) {
			continue
		}
		r.compare(l, "schema", s.Name+" object "+w.Name, w, g)
	}
}

func (r *Report) compare(l *Ledger, kind, key string, want, got any) {
	if !same(want, got) {
		r.note(l, Difference{kind, key, toJSON(want), toJSON(got)})
	}
}

func (r *Report) note(l *Ledger, d Difference) {
	if l.covers(d.Kind, d.Key) {
		r.Known++
		return
	}
	r.Differences = append(r.Differences, d)
}

// same compares through JSON, where an empty list is no list.
func same(a, b any) bool { return reflect.DeepEqual(a, b) || toJSON(a) == toJSON(b) }

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// folds matches expressions of which planning may evaluate a part, or of which
// evaluation may skip one: their cost may be below the least estimate.
var folds = regexp.MustCompile(`['"\[{?]|\b\d|\b(true|false|null)\b|&&|\|\||\boptional\.|\bformat\.` +
	`|\.(all|exists|exists_one|existsOne|map|filter|transform\w+|sortBy|opt\w+|or\w*)\(`)

// unsound tells how a cost left its estimate. A failed evaluation stops early,
// so that only the upper bound holds for it.
func unsound(expr string, o ExprOutcome) string {
	if o.CompileError != "" || o.ProgramError != "" || o.EstimateError != "" {
		return ""
	}
	if o.Cost > o.Estimate[1] {
		return fmt.Sprintf("cost %d is above the estimate", o.Cost)
	}
	if o.Error == "" && o.Cost < o.Estimate[0] && !folds.MatchString(expr) {
		return fmt.Sprintf("cost %d is below the estimate", o.Cost)
	}
	return ""
}

// T is the part of testing.T that reports need.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// maxShown bounds how many texts a test prints.
const maxShown = 40

// Check reports a comparison: every difference fails, and every entry of the
// ledger whose number of cases is another.
func (r *Report) Check(t T, l *Ledger) {
	t.Helper()
	t.Logf("%s", r)
	var all []string
	for _, d := range r.Differences {
		all = append(all, d.String())
	}
	Fail(t, append(all, l.Miscounts()...))
}

// Fail reports texts, though not all if there are many.
func Fail(t T, texts []string) {
	t.Helper()
	for i, text := range texts {
		if i == maxShown {
			t.Errorf("and %d more", len(texts)-i)
			return
		}
		t.Errorf("%s", text)
	}
}

// Replay holds an implementation against the goldens below testdata. Departs says
// that it is kubecel, to which the departures in the ledger belong.
func Replay(t T, testdata string, ours Implementation, departs bool) {
	t.Helper()
	c, err := LoadCorpus(testdata)
	if err != nil {
		t.Fatalf("%v", err)
	}
	recorded, err := ReadRecorded(testdata)
	if err != nil {
		t.Fatalf("%v", err)
	}
	l, err := ReadLedger(filepath.Join(testdata, "departures.yaml"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !departs {
		l = l.Of("soundness")
	}
	goldens := recorded.replay()
	r := Compare(goldens, ours, c, l)
	r.Check(t, l)
	Fail(t, goldens.complaints())
}
