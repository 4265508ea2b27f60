package parity

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/kubecel/kubecel/release"
)

// firstToAccept is held against the documentation's table of versions: the
// release from which on an expression may be written, if there is one yet.
func firstToAccept() map[string]string {
	return map[string]string{
		"list_int.isSorted()":                  "1.28",
		"quantity(quantity_0)":                 "1.29",
		"int_0 < double_0":                     "1.29",
		"map_string_int.?k":                    "1.29",
		"sets.contains(list_int, list_int)":    "1.30",
		"ip(ip_0)":                             "1.31",
		"cidr(cidr_0)":                         "1.31",
		"format.named(format_0)":               "1.32",
		"list_int.transformList(i, x, x == 3)": "1.33",
		"semver(semver_0)":                     "1.34",
		"list_int.sort()":                      "1.35",
		"list_int.includes(3)":                 "",
	}
}

// TestReleases holds that every release answers the whole corpus, in every
// line something that the next newer release does not.
func TestReleases(t *testing.T) {
	c, err := LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	before, err := newest(testdata)
	if err != nil {
		t.Fatal(err)
	}
	missing := maps.Clone(before)
	for _, g := range c.Expressions {
		for _, e := range g.Cases {
			q := ExpressionQuestion(e)
			if _, ok := before[q]; !ok && !e.Env.Older {
				t.Errorf("%v has no answer", q)
			}
			delete(missing, q)
		}
	}
	for q := range missing {
		if q.Kind == "expression" {
			t.Errorf("%v is not in the corpus", q)
		}
	}
	accepted := map[string][]string{}
	err = EachRelease(testdata, func(rel release.Release, a Answers) error {
		for q, answer := range a {
			newer, known := before[q]
			if !known && q.Kind == "expression" {
				t.Errorf("%s: %v is not in the corpus", rel, q)
			}
			if newer != answer {
				checkAnswer(t, rel, q, answer)
			}
		}
		var b bytes.Buffer
		if err := WriteAnswers(&b, a, before); err != nil {
			t.Errorf("%s: %v", rel, err)
		}
		recorded, err := os.ReadFile(AnswersFile(testdata, rel))
		if err != nil {
			return err
		}
		if !bytes.Equal(b.Bytes(), recorded) {
			t.Errorf("%s: the file is not what is written of its own answers", rel)
		}
		for e := range firstToAccept() {
			_, written, err := DecodeAnswer[ExprOutcome](a[Question{"expression", "vars " + e}])
			if err != nil {
				t.Errorf("%s: %s: %v", rel, e, err)
			} else if written.CompileError == "" {
				accepted[e] = append(accepted[e], rel.String())
			}
		}
		t.Logf("%s: %d answers, %d differ, %d bytes", rel, len(a), bytes.Count(recorded, []byte("\n")), len(recorded))
		before = maps.Clone(a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for e, since := range firstToAccept() {
		first, err := release.Parse(since)
		var want []string
		for _, r := range Releases() {
			if err == nil && !r.Before(first) {
				want = append(want, r.String())
			}
		}
		if !slices.Equal(accepted[e], want) {
			t.Errorf("%s is accepted by %v, expected %v", e, accepted[e], want)
		}
	}
}

// checkAnswer holds that an answer is one to its question.
func checkAnswer(t *testing.T, rel release.Release, q Question, a Answer) {
	t.Helper()
	var err error
	switch q.Kind {
	case "expression":
		var stored, written ExprOutcome
		stored, written, err = DecodeAnswer[ExprOutcome](a)
		if stored == (ExprOutcome{}) || written == (ExprOutcome{}) {
			t.Errorf("%v: %v has an empty answer", rel, q)
		}
	case "rule":
		_, _, err = DecodeAnswer[RuleOutcome](a)
	case "crd":
		_, _, err = DecodeAnswer[CRDOutcome](a)
	default:
		t.Errorf("%v: %v is no question", rel, q)
	}
	if err != nil {
		t.Errorf("%v: %v: %v", rel, q, err)
	}
}

func TestAnswers(t *testing.T) {
	one, two := Question{"expression", "vars 1"}, Question{"rule", "s .a[0]"}
	base := Answers{one: {`{"c":1}`, `{"c":1}`}, two: {`{"c":2}`, `{"c":2}`}}
	changed := Answers{one: {`{"c":1}`, `{"c":3}`}, two: {`{"c":2}`, `{"c":2}`}}
	var b bytes.Buffer
	if err := WriteAnswers(&b, changed, base); err != nil {
		t.Fatal(err)
	}
	if want := `{"x":"vars 1","w":{"c":3}}` + "\n"; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
	for _, c := range []struct {
		name        string
		newer, this Answer
		line        answerLine
	}{
		{"introduced", Answer{"new", "old"}, Answer{"old", "old"}, answerLine{Stored: []byte("true")}},
		{"only stored", Answer{"new", "new"}, Answer{"new", "old"}, answerLine{Written: []byte("old")}},
		{"changed", Answer{"a", "a"}, Answer{"b", "b"}, answerLine{Stored: []byte("b"), Written: []byte("true")}},
		{"swapped", Answer{"a", "b"}, Answer{"b", "a"}, answerLine{Stored: []byte("true"), Written: []byte("a")}},
		{"first", Answer{}, Answer{"a", "b"}, answerLine{Stored: []byte("a"), Written: []byte("b")}},
		{"written alone", Answer{}, Answer{"", "a"}, answerLine{Written: []byte("a")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := differ(c.this, c.newer)
			if string(line.Stored) != string(c.line.Stored) || string(line.Written) != string(c.line.Written) {
				t.Errorf("written %s %s, want %s %s", line.Stored, line.Written, c.line.Stored, c.line.Written)
			}
			if got := line.answer(c.newer); got != c.this {
				t.Errorf("read %v, want %v", got, c.this)
			}
		})
	}
	b.Reset()
	if err := WriteAnswers(&b, changed, nil); err != nil {
		t.Fatal(err)
	}
	got, err := DecodeAnswers(b.Bytes())
	if err != nil || !maps.Equal(got, changed) {
		t.Errorf("read %v, %v", got, err)
	}
	if err := WriteAnswers(&b, Answers{two: base[two]}, base); err == nil {
		t.Error("an expression without answer was not missed")
	}
	b.Reset()
	if err := WriteAnswers(&b, Answers{one: base[one]}, base); err != nil || b.String() != `{"rule":"s .a[0]","s":null,"w":true}`+"\n" {
		t.Errorf("a rule that is not seen: %s, %v", b.String(), err)
	}
	if _, err := ReadAnswers(testdata, release.Minor(27)); err == nil {
		t.Error("1.27 is not recorded, but was read")
	}
	for text, want := range map[string]string{"one line": "one line", "a\nb": "a (" + Hash("a\nb") + ")"} {
		if got := brief(text); got != want {
			t.Errorf("brief(%q) = %q", text, got)
		}
	}
}
