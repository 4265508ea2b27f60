package document

import (
	"fmt"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "[]",
		"null":                        "[]",
		"# nothing\n---\n---\n":       "[]",
		"a: 1":                        "[map[a:1]]",
		"a: 1\n---\n- b\n---\nc\n":    "[map[a:1] [b] c]",
		"---\r\na: 1\r\n---\r\nb":     "[map[a:1] b]",
		"--- # c\na\n":                "[a]",
		"a: |\n  ---\n":               "[map[a:---\n]]",
		`{"a": "\ud83d\ude00\/"}`:     "[map[a:😀/]]", // JSON that is no YAML
		"{a: 1}\n---\n{\"b\": 1.5}":   "[map[a:1] map[b:1.5]]",
		"a: 1\n---\nb: c: d":          "[map[a:1]] yaml: mapping values are not allowed in this context",
		`{"a": `:                      "[] unexpected end of JSON input",
		"--- {a: 1}":                  "[] invalid Yaml document separator: {a: 1}", // as kubectl
		"%YAML 1.1\n---\na":           "[] yaml: line 1: did not find expected <document start>",
		strings.Repeat("[", 10_001):   "[] yaml: exceeded max depth of 10000",
		`{"a": 1} {"a": 2}`:           "[map[a:1] map[a:2]]",
		"a: 9007199254740993\nb: 1.0": "[map[a:9007199254740993 b:1]]",
	} {
		documents, _, err := Read([]byte(text), nil)
		all := []any{}
		for _, d := range documents {
			all = append(all, d.Value)
		}
		got := fmt.Sprint(all)
		if err != nil {
			got += " " + err.Error()
		}
		if got != want {
			t.Errorf("%.40q: %s, want %s", text, got, want)
		}
	}
}

// TestDocumentLines holds the numbers of documents and the lines where they begin.
func TestDocumentLines(t *testing.T) {
	for text, want := range map[string]string{
		"a":                              "1:1",
		"---\na\n---\n---\n# c\n---\nb":  "1:1 2:7",
		"a\r\n---\r\nb":                  "1:1 2:3",
		"{\"a\": 1}\n{\"a\":\n2}\n\n {}": "1:1 2:2 3:5",
		"a\n---\n- b: c: d":              "1:1 unread 2:3",
		"a\n---\nb\n--- x":               "1:1 unread 2:4",
	} {
		documents, unread, err := Read([]byte(text), nil)
		var got []string
		for _, d := range documents {
			got = append(got, fmt.Sprintf("%d:%d", d.Number, d.Line))
		}
		if err != nil {
			got = append(got, fmt.Sprintf("unread %d:%d", unread.Number, unread.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s (%v)", text, got, want, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, text := range []string{`{"a": 1, "b": 1.0, "c": 1e2}`, "a: 1\nb: 1.5\nc: 1.25e1"} {
		value, err := One([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		object := value.(map[string]any)
		if got := fmt.Sprintf("%T %T %T", object["a"], object["b"], object["c"]); got != "int64 float64 float64" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestOne(t *testing.T) {
	if value, err := One([]byte("---\n"), nil); value != nil || err != nil {
		t.Errorf("no document: %v, %v", value, err)
	}
	if _, err := One([]byte("a\n---\nb\n"), nil); err == nil || err.Error() != "there are several documents, expected one" {
		t.Errorf("two documents: %v", err)
	}
}
