package parity

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var testdata = filepath.Join("..", "..", "testdata")

func TestPrint(t *testing.T) {
	a := types.DefaultTypeAdapter
	for _, c := range []struct {
		val  ref.Val
		want string
	}{
		{nil, "<nil>"},
		{types.NullValue, "null"},
		{types.Int(-3), "-3"},
		{types.Uint(3), "3u"},
		{types.Double(3), "3.0"},
		{types.Double(math.NaN()), "NaN"},
		{types.Double(math.Inf(1)), "Inf"},
		{types.Double(math.Copysign(0, -1)), "-0.0"},
		{types.String("a\"\xff"), `"a\"\xff"`},
		{types.Bytes("\x00a"), "b(0061)"},
		{types.Duration{Duration: 90 * time.Second}, "duration(1m30s)"},
		{types.Timestamp{Time: time.Unix(0, 5)}, "timestamp(1970-01-01T00:00:00.000000005Z)"},
		{types.OptionalNone, "none"},
		{types.OptionalOf(types.True), "some(true)"},
		{types.IntType, "type(int)"},
		{types.NewErr("bad %d", 1), `error("bad 1")`},
		{a.NativeToValue([]any{int64(1), "b", nil}), `[1, "b", null]`},
		{a.NativeToValue(map[string]any{"b": 1, "a": []int64{}}), `{"a": [], "b": 1}`},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := Print(c.val); got != c.want {
				t.Errorf("Print(%v) = %s, want %s", c.val, got, c.want)
			}
		})
	}
}

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		"type selfType123456.spec and selfType7":                    "type selfType.spec and selfType",
		"type already exists for expression: &{1 0x6c1}(1) old:int": "type already exists for expression",
		"bad \xff byte": "bad \uFFFD byte",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("x", maxPrinted+1)
	if got := Normalise(long); len(got) > maxPrinted || got == Normalise(long+"y") {
		t.Errorf("a long text became %q", got)
	}
	if got := NormaliseError("is *common.unstructuredMap, not library.IP"); got != "is <Go type>, not <Go type>" {
		t.Errorf("got %q", got)
	}
}

// TestCorpusIsDeterministic holds that recorder and replay ask the same.
func TestCorpusIsDeterministic(t *testing.T) {
	names := func() (all []string) {
		c, err := LoadCorpus(testdata)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range c.Expressions {
			for _, e := range g.Cases {
				all = append(all, e.Env.Name+" "+e.Expr)
			}
		}
		for _, s := range c.Schemas {
			for _, o := range s.Objects {
				all = append(all, s.Name+" "+o.Name+" "+toJSON(o.New))
			}
		}
		for _, d := range c.CRDs {
			all = append(all, d.Name)
		}
		return all
	}
	first := names()
	if !reflect.DeepEqual(first, names()) {
		t.Error("two corpora differ")
	}
	if len(first) < 20000 {
		t.Errorf("only %d cases", len(first))
	}
}

// TestEveryOverloadIsAsked holds that each recorded overload has a call in the
// corpus that compiles: a new one must not slip by.
func TestEveryOverloadIsAsked(t *testing.T) {
	overloads, err := ReadOverloads(filepath.Join(Goldens(testdata), "overloads.txt"))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := ReadRecorded(testdata)
	if err != nil {
		t.Fatal(err)
	}
	g, asked := newGen(), 0
	for _, o := range overloads {
		if hidden(o.Function) {
			continue
		}
		asked++
		ok := false
		for _, e := range g.overloadCases(o) {
			out, found := recorded.exprs[usualEnv+" "+e]
			ok = ok || found && out.CompileError == ""
		}
		if !ok {
			t.Errorf("no recorded call of %s compiles", o)
		}
	}
	if asked < 300 {
		t.Errorf("only %d overloads", asked)
	}
}

// TestSelfComparison shows that agreement, a difference, a golden without case
// and an idle ledger entry are each told apart.
func TestSelfComparison(t *testing.T) {
	c, err := LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := ReadLedger(filepath.Join(testdata, "departures.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ledger = ledger.Of("soundness")
	read := func() *replayed {
		r, err := ReadRecorded(testdata)
		if err != nil {
			t.Fatal(err)
		}
		return r.replay()
	}
	want, got := read(), read()
	r := Compare(want, got, c, ledger)
	t.Log(r)
	if len(r.Differences) > 0 {
		t.Errorf("the goldens differ from themselves: %v", r.Differences[0])
	}
	for _, text := range append(want.complaints(), ledger.Miscounts()...) {
		t.Error(text)
	}

	want, got = read(), read()
	key := usualEnv + " list_int.all(x, x > 2)"
	changed := got.Recorded.exprs[key]
	changed.Cost++
	got.Recorded.exprs[key] = changed
	want.Recorded.exprs[usualEnv+" gone"] = ExprOutcome{}
	name := c.Schemas[0].Name
	schema := got.Recorded.schemas[name]
	schema.Objects[0].Remaining--
	r = Compare(want, got, &Corpus{Expressions: c.Expressions, Schemas: c.Schemas[:1]}, ledger)
	if len(r.Differences) != 2 || r.Differences[0].Key != key || !strings.HasPrefix(r.Differences[1].Key, name+" object ") {
		t.Errorf("a changed cost and a changed budget gave %v", r.Differences)
	}
	if !strings.Contains(strings.Join(want.complaints(), "\n"), "recorded but not replayed: expression vars gone") {
		t.Error("a golden without case was not missed")
	}
}

// TestLedger holds that one difference more or fewer than an entry states is told,
// and that a difference counts for one entry alone.
func TestLedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger.yaml")
	const entries = "[{reason: r, match: 'vars a.*', cases: {cost: 2, result 1.36: 1}}, {reason: r, match: 'vars .*', cases: {cost: 1}}]"
	if err := os.WriteFile(file, []byte(entries), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(kinds ...string) int {
		l, err := ReadLedger(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range kinds {
			kind, key, _ := strings.Cut(kind, ":")
			if !l.covers(kind, "vars "+key) {
				t.Errorf("difference %d is not covered", i)
			}
		}
		return len(l.Miscounts())
	}
	for name, c := range map[string]struct {
		differences []string
		miscounts   int
	}{
		"exact":          {[]string{"cost:a", "cost:ab", "cost:b", "result 1.36:a"}, 0},
		"one fewer":      {[]string{"cost:a", "cost:b", "result 1.36:a"}, 1},
		"one more":       {[]string{"cost:a", "cost:ab", "cost:abc", "cost:b", "result 1.36:a"}, 1},
		"none":           {nil, 3},
		"of another one": {[]string{"cost:a", "cost:b", "cost:c", "result 1.36:a"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if n := ask(c.differences...); n != c.miscounts {
				t.Errorf("%d entries are miscounted, want %d", n, c.miscounts)
			}
		})
	}
	l, err := ReadLedger(file)
	if err != nil {
		t.Fatal(err)
	}
	if l.covers("result 1.35", "vars a") || l.covers("result 1.36", "vars b") || l.covers("cost", "plain a") {
		t.Error("an entry covers a kind, release or case that it does not name")
	}
}

func TestMutationsChangeOneThing(t *testing.T) {
	doc := map[string]any{"a": "x", "b": []any{int64(1)}, "c": map[string]any{"d": true}}
	before := toJSON(doc)
	all := Mutations(nil, Object{Name: "o", New: doc}, 0)
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.Name] {
			t.Errorf("%s twice", m.Name)
		}
		seen[m.Name] = true
		// A single item cannot be dropped, only doubled onto itself.
		if toJSON(m.New) == before && m.Name != "o:drop:.b[0]" && m.Name != "o:reverse:.b" {
			t.Errorf("%s changes nothing", m.Name)
		}
	}
	if toJSON(doc) != before || len(all) < 20 {
		t.Errorf("%d mutations, original %s", len(all), toJSON(doc))
	}
}
