package parity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubecel/kubecel/release"
)

// Releases are the releases whose answers are recorded, newest first: all known
// ones whose modules still build.
func Releases() []release.Release {
	all := slices.DeleteFunc(release.All(), func(r release.Release) bool { return r.Before(release.Minor(28)) })
	slices.Reverse(all)
	return all
}

// Question names a case across releases.
type Question struct {
	// Kind is "expression", "rule" or "crd".
	Kind string
	// Name is the environment and the expression; the schema and the rule's
	// place in it; or the name of the CRD.
	Name string
}

// ExpressionQuestion asks about an expression.
func ExpressionQuestion(c ExprCase) Question {
	return Question{"expression", c.Env.Name + " " + c.Expr}
}

// RuleQuestion asks about a rule at a place as RuleOutcome has it.
func RuleQuestion(schema, path string, index int) Question {
	return Question{"rule", schema + " " + placeOf(path, index)}
}

func placeOf(path string, index int) string { return fmt.Sprintf("%s[%d]", path, index) }

// CRDQuestion asks about a CRD.
func CRDQuestion(name string) Question { return Question{"crd", name} }

// Answer is what one release says, as the JSON of an outcome: ExprOutcome,
// RuleOutcome or CRDOutcome by the kind of the question.
type Answer struct {
	// Stored is about an expression that is already stored, for which all is
	// known that the release has. Of a CRD nothing is asked of this kind.
	Stored string
	// Written is about an expression that a client writes: what came with the
	// release itself is not accepted there.
	Written string
}

// Answers are what one release says of everything.
type Answers map[Question]Answer

// answerLine is one line of a file of answers, and says how an answer differs
// from that of the next newer release. What is left out is the same there. A
// "true" repeats what is said already: Stored what the newer release writes,
// since what comes with a release is only stored at first, and Written what
// this one stores.
type answerLine struct {
	Expression string          `json:"x,omitempty"`
	Rule       string          `json:"rule,omitempty"`
	CRD        string          `json:"crd,omitempty"`
	Stored     json.RawMessage `json:"s,omitempty"`
	Written    json.RawMessage `json:"w,omitempty"`
}

// repeated is told from every outcome, which is a JSON object.
const repeated = "true"

func differ(a, newer Answer) (l answerLine) {
	switch a.Stored {
	case newer.Stored:
	case newer.Written:
		l.Stored = json.RawMessage(repeated)
	default:
		l.Stored = json.RawMessage(a.Stored)
	}
	switch a.Written {
	case newer.Written:
	case a.Stored:
		l.Written = json.RawMessage(repeated)
	default:
		l.Written = json.RawMessage(a.Written)
	}
	return l
}

func (l answerLine) answer(newer Answer) Answer {
	a := newer
	switch stored := string(l.Stored); stored {
	case "":
	case repeated:
		a.Stored = newer.Written
	default:
		a.Stored = stored
	}
	switch written := string(l.Written); written {
	case "":
	case repeated:
		a.Written = a.Stored
	default:
		a.Written = written
	}
	return a
}

// name is where a line keeps the name of a question of a kind.
func (l *answerLine) name(kind string) *string {
	switch kind {
	case "rule":
		return &l.Rule
	case "crd":
		return &l.CRD
	}
	return &l.Expression
}

func (l answerLine) question() Question {
	for _, kind := range []string{"rule", "crd"} {
		if name := *l.name(kind); name != "" {
			return Question{kind, name}
		}
	}
	return Question{"expression", l.Expression}
}

// Ask asks a release everything: the expressions of a corpus, the rules of its
// schemas, its CRDs and further ones.
func Ask(stored, written Implementation, c *Corpus, further []SchemaCase, crds []CRDCase) Answers {
	stored, written = guarded{stored}, guarded{written}
	all := Answers{}
	for _, g := range c.Expressions {
		for _, e := range g.Cases {
			// Cases of another environment version ask what Written asks.
			if !e.Env.Older {
				all[ExpressionQuestion(e)] = Answer{line(stored.Expression(e).Brief()), line(written.Expression(e).Brief())}
			}
		}
	}
	for _, s := range slices.Concat(c.Schemas, further) {
		s.Objects = nil
		was, is := stored.Schema(s).byPlace(), written.Schema(s).byPlace()
		for place, o := range is {
			all[Question{"rule", s.Name + " " + place}] = Answer{line(was[place].Brief()), line(o.Brief())}
		}
	}
	for _, d := range slices.Concat(c.CRDs, crds) {
		all[CRDQuestion(d.Name)] = Answer{Written: line(written.CRD(d).Brief())}
	}
	return all
}

// byPlace are the rules by their place. A schema that is refused is a rule
// that is nowhere.
func (o SchemaOutcome) byPlace() map[string]RuleOutcome {
	all := map[string]RuleOutcome{}
	for _, r := range o.Rules {
		all[placeOf(r.Path, r.Index)] = r
	}
	if o.Error != "" {
		all[placeOf("", -1)] = RuleOutcome{Index: -1, Error: o.Error}
	}
	return all
}

// Brief is the form in which outcomes of releases are compared: of a text that
// quotes an expression the first line and a hash of all. It keeps the recorded
// answers small and free of the text of CRDs of other projects.
func (o ExprOutcome) Brief() ExprOutcome {
	o = o.normal()
	o.CompileError = brief(o.CompileError)
	return o
}

// Brief is the form in which outcomes of releases are compared.
func (o RuleOutcome) Brief() RuleOutcome {
	o.Error, o.MessageError = brief(Normalise(o.Error)), brief(Normalise(o.MessageError))
	return o
}

// Brief is the form in which outcomes of releases are compared. It keeps what
// is said of rules.
func (o CRDOutcome) Brief() CRDOutcome {
	o = o.aboutRules()
	for i := range o.Errors {
		o.Errors[i].Detail, o.Errors[i].Value = brief(o.Errors[i].Detail), Hash(o.Errors[i].Value)
	}
	return o
}

func brief(text string) string {
	if first := firstLine(text); first != text {
		return first + " (" + Hash(text) + ")"
	}
	return text
}

// line is the JSON of an outcome on one line, easy to read.
func line(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return line(err.Error())
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// WriteAnswers writes answers in the order of questions; those that are the
// same in base are left out. Nothing that base answers may be missing but
// rules that a release does not see, whose outcome is null.
func WriteAnswers(w io.Writer, answers, base Answers) error {
	answers = maps.Clone(answers)
	for q := range base {
		if _, ok := answers[q]; ok {
			continue
		}
		if q.Kind != "rule" {
			return fmt.Errorf("%s %s has no answer", q.Kind, q.Name)
		}
		answers[q] = always("null")
	}
	questions := slices.SortedFunc(maps.Keys(answers), func(a, b Question) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, q := range questions {
		a := answers[q]
		if was, ok := base[q]; ok && was == a {
			continue
		}
		l := differ(a, base[q])
		*l.name(q.Kind) = q.Name
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func (a Answers) apply(l answerLine) {
	q := l.question()
	a[q] = l.answer(a[q])
}

// DecodeAnswers reads what WriteAnswers wrote without a base.
func DecodeAnswers(data []byte) (Answers, error) {
	all := Answers{}
	err := decodeLines("answers", data, all.apply)
	return all, err
}

// AnswersFile is where the answers of a release are recorded, as far as they
// differ from those of the next newer release.
func AnswersFile(testdata string, r release.Release) string {
	return filepath.Join(testdata, "goldens", "releases", r.String()+".jsonl")
}

// EachRelease puts together what each release answers, newest first, until
// each returns an error. The chain begins at the goldens of the newest release,
// and each release adds its differences, to the same map.
func EachRelease(testdata string, each func(r release.Release, a Answers) error) error {
	all, err := newest(testdata)
	if err != nil {
		return err
	}
	for _, r := range Releases() {
		if err := readLines(AnswersFile(testdata, r), all.apply); err != nil {
			return err
		}
		if err := each(r, all); err != nil {
			return err
		}
	}
	return nil
}

// ReadAnswers is what one release answers.
func ReadAnswers(testdata string, rel release.Release) (Answers, error) {
	if !slices.Contains(Releases(), rel) {
		return nil, fmt.Errorf("no answers of release %v are recorded", rel)
	}
	found := errors.New("found")
	var all Answers
	err := EachRelease(testdata, func(r release.Release, a Answers) error {
		if r != rel {
			return nil
		}
		all = a
		return found
	})
	if !errors.Is(err, found) {
		return nil, err
	}
	return all, nil
}

// BaseAnswers are what the recorded answers of a release are differences to.
func BaseAnswers(testdata string, r release.Release) (Answers, error) {
	if i := slices.Index(Releases(), r); i > 0 {
		return ReadAnswers(testdata, Releases()[i-1])
	}
	return newest(testdata)
}

// DecodeAnswer reads both outcomes of an answer.
func DecodeAnswer[T ExprOutcome | RuleOutcome | CRDOutcome](a Answer) (stored, written T, err error) {
	if a.Stored != "" {
		err = json.Unmarshal([]byte(a.Stored), &stored)
	}
	return stored, written, errors.Join(err, json.Unmarshal([]byte(a.Written), &written))
}

// newest are the goldens, which have been recorded from stored expressions.
func newest(testdata string) (Answers, error) {
	r, err := ReadRecorded(testdata)
	if err != nil {
		return nil, err
	}
	all := Answers{}
	for name, o := range r.exprs {
		if !strings.HasPrefix(name, olderName+" ") {
			all[Question{"expression", name}] = always(line(o.Brief()))
		}
	}
	for name, s := range r.schemas {
		for place, o := range s.byPlace() {
			all[Question{"rule", name + " " + place}] = always(line(o.Brief()))
		}
	}
	for name, o := range r.crds {
		all[CRDQuestion(name)] = Answer{Written: line(o.Brief())}
	}
	return all, nil
}

func always(outcome string) Answer { return Answer{outcome, outcome} }
