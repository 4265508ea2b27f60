package document

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/kubecel/kubecel/diag"
)

// tree is the tree of the last document of a stream.
func tree(t *testing.T, text string) *Tree {
	t.Helper()
	all, _, err := Read([]byte(text), nil)
	if err != nil || len(all) == 0 {
		t.Fatalf("%q: %v", text, err)
	}
	return all[len(all)-1].Source().Tree()
}

func TestPlace(t *testing.T) {
	type path = diag.Segments
	const several = "# first\nx: 1\n---\n# second\na:\n  b: 1\n  c: [2,\n    {d: é, e: 3}]\n---\n---\n"
	const anchors = "base: &b\n  x: {y: 1}\n  z: 2\nuse: *b\nmerged:\n  <<: [{z: 3, w: 4}, *b]\n  own: 5\nlast:\n  <<: *b\n  x: 6\n"
	for _, tt := range []struct {
		text string
		path path
		want string
	}{
		{several, path{}, "2 5:1"},
		{several, path{"a"}, "2 6:3"},
		{several, path{"a", "b"}, "2 6:6"},
		{several, path{"a", "c"}, "2 7:6"},
		{several, path{"a", "c", 0}, "2 7:7"},
		{several, path{"a", "c", 1, "e"}, "2 8:15"},
		{several, path{"a", "c", 1, "missing", "below"}, "2 8:5"},
		{several, path{"a", "c", 2}, "2 7:6"},
		{several, path{"a", "c", "d"}, "2 7:6"},
		{several, path{"a", 0}, "2 6:3"},
		{several, path{"a", "b", "c"}, "2 6:6"},
		{anchors, path{"use", "x", "y"}, "1 2:10"},
		{anchors, path{"merged", "x", "y"}, "1 2:10"},
		{anchors, path{"merged", "z"}, "1 6:12"},
		{anchors, path{"merged", "w"}, "1 6:18"},
		{anchors, path{"merged", "own"}, "1 7:8"},
		{anchors, path{"last", "x"}, "1 10:6"},
		{anchors, path{"last", "z"}, "1 3:6"},
		{"a: 1\na: 2\n", path{"a"}, "1 2:4"},
		{"on: 1\n'no': 2\n", path{"true"}, "1 1:5"},
		{"on: 1\n'no': 2\n", path{"no"}, "1 2:7"},
		{"a:\r\n  b:\r\n\r\n    c: 1\r\n", path{"a", "b", "c"}, "1 4:8"},
		{"\ufeffa: 1\n", path{"a"}, "1 1:4"},
		{"d: \"x\u2028y\"\ne: 'x\u0085 y'\na: 1\n", path{"a"}, "1 3:4"},
		{`{"a": "😀\ud83d\ude00", "b": ["x"]}`, path{"b", 0}, "1 1:30"},
		{`{"a": 1} {"a":` + "\n\t2}", path{"a"}, "2 2:2"},
		{"a: " + strings.Repeat("é", 5000) + "\nb: {c: " + strings.Repeat("é", 5000) + ", d: 2}\n", path{"b", "d"}, "1 2:5013"},
	} {
		place := tree(t, tt.text).Place(tt.path)
		if got := fmt.Sprintf("%d %v", place.Document, place); got != tt.want {
			t.Errorf("%.60q: %v is at %s, want %s", tt.text, tt.path, got, tt.want)
		}
	}
	for _, text := range []string{"a: \"\x7f\"", "\ufeff"} {
		if place := (Source{text: text}).Tree().Place(path{"a"}); !place.IsZero() {
			t.Errorf("%q: %v", text, place)
		}
	}
}

// TestInside looks for each @ of a text in its document.
func TestInside(t *testing.T) {
	for name, text := range map[string]string{
		"plain":               "x: a@b  @ c\n",
		"plain lines":         "x:\n  a @\n\n\n  é@ b\n    @\n",
		"single quotes":       "x: 'it''s @ or\n  @ ''@\n\n  @'\n",
		"double quotes":       `x: "\t\"\\ \x41\u00e9\U0001f600@` + "  \n\n  @ \\\n   \\  @ é@\"\n",
		"JSON":                `{"x": "\u00e9 \\\/ @\n@"}`,
		"literal":             "x: |\n  a@\n    @\n\n  @é@\n",
		"literal with indent": "x: |2-\n\n    @\n  a@\n",
		"literal of tabs":     "x: |\n  b\ta@\n   \t@\n",
		"literal with anchor": "x: !!str &a # c\n  |+ # c\n    a\n    @@\n\n",
		"folded":              "x: >-\n\n  a@\n  b @\n\n\n  c@\n    @more\n    @\n  less@\n",
		"CRLF":                "x: |\r\n  a@\r\n  b@\r\ny: 1\r\n",
		"folded CRLF":         "x: >\r\n  a@\r\n  b@\r\n",
		"alias":               "y: &y a @\nx: *y\n",
		"several documents":   "--- \nx: 1\n---\n\nx: 'a @'\n",
		"in a list":           "x: [a @ , 'b @']\n",
	} {
		t.Run(name, func(t *testing.T) {
			tree := tree(t, text)
			paths := []diag.Segments{{"x"}}
			if node, _ := tree.find(paths[0]); node.Kind == yaml.SequenceNode {
				paths = []diag.Segments{{"x", 0}, {"x", 1}}
			}
			var got, want []string
			for _, path := range paths {
				node, _ := tree.find(path)
				for i, r := range node.Value {
					if r == '@' {
						at := diag.Position{Line: 1, Column: 1}.After([]rune(node.Value[:i]))
						got = append(got, tree.Inside(path, at).String())
					}
				}
			}
			for i, line := range strings.Split(text, "\n") {
				for j, r := range line {
					if r == '@' {
						want = append(want, fmt.Sprintf("%d:%d", i+1, utf8.RuneCountInString(line[:j])+1))
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || len(want) == 0 {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// TestInsideEnds holds places at the ends of texts and of their lines, and of what is no text.
func TestInsideEnds(t *testing.T) {
	at := func(line, column int) diag.Position { return diag.Position{Line: line, Column: column} }
	for _, tt := range []struct {
		text string
		at   diag.Position
		want string
	}{
		{"x: ab\n", at(1, 3), "1:6"}, {"x: 'ab'\n", at(1, 3), "1:7"}, {"x: |\n  ab\n  c\n", at(1, 3), "2:5"}, {"x: |\n  ab\n  c\n", at(2, 2), "3:4"},
		{"x: ab\n", diag.Position{}, "1:4"}, {"x: ab\n", at(9, 9), "1:6"}, {"x: >\n  ab\n  c\n", at(1, 4), "3:3"}, {"x: |\n   a\n   b\n", at(5, 5), "1:4"},
		{`{"x": "\ud83d\ude00ab"}`, at(1, 3), "1:21"}, {"x: [ab]\n", at(1, 2), "1:4"}, {"x:\n", at(1, 2), "1:3"}, {"y: 1\n", at(1, 2), "1:1"},
	} {
		if got := tree(t, tt.text).Inside(diag.Segments{"x"}, tt.at).String(); got != tt.want {
			t.Errorf("%q at %v: %s, want %s", tt.text, tt.at, got, tt.want)
		}
	}
}

// FuzzInside: each character of a text stands at the place that is found for it, unless it is escaped.
func FuzzInside(f *testing.F) {
	for _, text := range []string{"a: b c\n  d\n", "- 'x''y\n\n z'\n- |\n  a\n   b\n", "a: >2\n    x\n  y\n\n  z\n", `"\u00e9\` + "\n  x\"", "&a !b\n  - |+\n    c\n\n", "a \rb"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := Source{text: string(data), number: 1, line: 1}.Tree()
		if tree == nil {
			return
		}
		var walk func(*yaml.Node)
		walk = func(node *yaml.Node) {
			for _, below := range node.Content {
				walk(below)
			}
			if node.Kind != yaml.ScalarNode || node.Anchor != "" || len(node.Value) > 200 {
				return
			}
			position := diag.Position{Line: 1, Column: 1}
			for _, r := range node.Value {
				offset := tree.text.inside(node, position)
				line, column := tree.text.position(offset)
				if line < 0 || column < 0 {
					t.Fatalf("%q: %d:%d", data, line, column)
				}
				position = position.After([]rune{r})
				found, _ := utf8.DecodeRuneInString(tree.text.string[offset:])
				if r > ' ' && r < 0x7f && found != r && found != '\\' && offset != tree.text.begin(node) {
					t.Errorf("%q: %q of %q is at %q", data, r, node.Value, found)
				}
			}
		}
		walk(tree.root)
	})
}
