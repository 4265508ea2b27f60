package parity

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

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
	err = EachRelease(testdata, func(release string, a Answers) error {
		questions := maps.Clone(a)
		for _, g := range c.Expressions {
			for _, e := range g.Cases {
				if e.Env.Version != Release {
					continue
				}
				q := ExpressionQuestion(e)
				stored, written, err := DecodeAnswer[ExprOutcome](a[q])
				if err != nil || stored == (ExprOutcome{}) || written == (ExprOutcome{}) {
					t.Errorf("%s: %v: stored %v, written %v: %v", release, q, stored, written, err)
				}
				delete(questions, q)
			}
		}
		for q, answer := range questions {
			switch q.Kind {
			case "expression":
				t.Errorf("%s: %v is not in the corpus", release, q)
			case "rule":
				_, _, err = DecodeAnswer[RuleOutcome](answer)
			case "crd":
				_, _, err = DecodeAnswer[CRDOutcome](answer)
			}
			if err != nil {
				t.Errorf("%s: %v: %v", release, q, err)
			}
		}
		var b bytes.Buffer
		if err := WriteAnswers(&b, a, before); err != nil {
			t.Errorf("%s: %v", release, err)
		}
		recorded, err := os.ReadFile(AnswersFile(testdata, release))
		if err != nil {
			return err
		}
		if !bytes.Equal(b.Bytes(), recorded) {
			t.Errorf("%s: the file is not what is written of its own answers", release)
		}
		t.Logf("%s: %d answers, %d differ, %d bytes", release, len(a), bytes.Count(recorded, []byte("\n")), len(recorded))
		before = maps.Clone(a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReleasesAccept holds the answers against the documentation's table of
// versions: from which release on an expression may be written.
func TestReleasesAccept(t *testing.T) {
	first := map[string]string{
		"vars list_int.isSorted()":                            "1.28",
		"vars int_0 < double_0":                               "1.29",
		"vars quantity(quantity_0)":                           "1.29",
		"vars map_string_int.?k":                              "1.29",
		"vars sets.contains(list_int, list_int)":              "1.30",
		"vars ip(ip_0)":                                       "1.31",
		"vars cidr(cidr_0)":                                   "1.31",
		"vars format.named(format_0)":                         "1.32",
		"vars list_int.transformList(i, x, dyn(i) != 0, [i])": "1.33",
		"vars semver(semver_0)":                               "1.34",
		"vars lists.range(5)":                                 "1.35",
		"vars list_int.includes(list_int)":                    "",
	}
	accepts := map[string][]string{}
	err := EachRelease(testdata, func(release string, a Answers) error {
		for e := range first {
			answer, ok := a[Question{"expression", e}]
			if !ok {
				return errors.New(e + " is not in the corpus")
			}
			if _, written, err := DecodeAnswer[ExprOutcome](answer); err != nil {
				return err
			} else if written.CompileError == "" {
				accepts[e] = append(accepts[e], release)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for e, since := range first {
		want := Releases()[:slices.Index(Releases(), since)+1]
		if !slices.Equal(accepts[e], want) {
			t.Errorf("%s is accepted by %s, expected %s", e, strings.Join(accepts[e], " "), strings.Join(want, " "))
		}
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
		line := differ(c.this, c.newer)
		if string(line.Stored) != string(c.line.Stored) || string(line.Written) != string(c.line.Written) {
			t.Errorf("%s: %s %s", c.name, line.Stored, line.Written)
		}
		if got := line.answer(c.newer); got != c.this {
			t.Errorf("%s: read %v, want %v", c.name, got, c.this)
		}
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
	if _, err := ReadAnswers(testdata, "1.27"); err == nil {
		t.Error("1.27 is not recorded, but was read")
	}
	for text, want := range map[string]string{"one line": "one line", "a\nb": "a (" + Hash("a\nb") + ")"} {
		if got := brief(text); got != want {
			t.Errorf("brief(%q) = %q", text, got)
		}
	}
}
