package document

import (
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/kubecel/kubecel/diag"
)

// Source is the text of a document. It shares no memory with what was read.
type Source struct {
	text         string
	number, line int
}

// Source returns the text of the document.
func (d Document) Source() Source { return Source{string(d.text), d.Number, d.Line} }

// Place is the place of the document.
func (d Document) Place() diag.Place { return diag.Place{Document: d.Number, Line: d.Line, Column: 1} }

// Tree is a document whose nodes know their places. It is not safe for concurrent use.
type Tree struct {
	number, line int
	text         *indexed
	root         *yaml.Node
	fields       map[*yaml.Node]map[string]*yaml.Node
}

// surrogates matches halves of characters as JSON escapes them. Neither they nor escaped slashes are YAML;
// escapes also matches escaped backslashes, which hide what follows them.
var (
	surrogates = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\\u[dD][89a-fA-F][0-9a-fA-F]{2}`) })
	escapes    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(?:[\\/]|u[dD][89a-fA-F][0-9a-fA-F]{2})`) })
)

// parse parses YAML, or JSON with other escapes of the same length: only the values change.
func parse(text string) (root yaml.Node, err error) {
	if err = yaml.Unmarshal([]byte(text), &root); err == nil {
		return root, nil
	}
	replaced := escapes().ReplaceAllStringFunc(text, func(escape string) string {
		switch {
		case escape == `\/`:
			return `\t`
		case surrogates().MatchString(escape):
			return `\ufffd`
		}
		return escape
	})
	return root, yaml.Unmarshal([]byte(replaced), &root)
}

// Tree parses the document again. It returns nil if places in it cannot be found: it is not
// in UTF-8, or is JSON that is no YAML.
func (s Source) Tree() *Tree {
	text := strings.TrimPrefix(s.text, "\ufeff")
	if text == "" || !utf8.ValidString(text) {
		return nil
	}
	root, err := parse(text)
	if err != nil || len(root.Content) == 0 {
		return nil
	}
	return &Tree{number: s.number, line: s.line, text: newIndexed(text), root: root.Content[0], fields: map[*yaml.Node]map[string]*yaml.Node{}}
}

// Place returns where a value stands, or the nearest one above it if it is missing. An alias stands where
// its anchor does.
func (t *Tree) Place(path diag.Segments) diag.Place {
	if t == nil {
		return diag.Place{}
	}
	node, _ := t.find(path)
	return t.place(t.text.begin(node))
}

// Inside returns where a position in a text stands, or the text if that is not known.
func (t *Tree) Inside(path diag.Segments, at diag.Position) diag.Place {
	if t == nil {
		return diag.Place{}
	}
	node, found := t.find(path)
	offset := t.text.begin(node)
	if found && node.Kind == yaml.ScalarNode && !at.IsZero() {
		offset = t.text.inside(node, at)
	}
	return t.place(offset)
}

func (t *Tree) place(offset int) diag.Place {
	line, column := t.text.position(offset)
	return diag.Place{Document: t.number, Line: t.line + line, Column: column + 1}
}

// find follows a path as far as it leads.
func (t *Tree) find(path diag.Segments) (node *yaml.Node, found bool) {
	node = target(t.root)
	for _, segment := range path {
		var next *yaml.Node
		switch s := segment.(type) {
		case string:
			next = t.field(node, s)
		case int:
			if node.Kind == yaml.SequenceNode && 0 <= s && s < len(node.Content) {
				next = node.Content[s]
			}
		}
		if next == nil {
			return node, false
		}
		node = target(next)
	}
	return node, true
}

// target is what an alias stands for.
func target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// field is the value of a key of a mapping, nil if there is none.
func (t *Tree) field(node *yaml.Node, name string) *yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	fields, ok := t.fields[node]
	if !ok {
		fields = make(map[string]*yaml.Node, len(node.Content)/2)
		t.fields[node] = fields // what merges itself has what is there so far
		t.merge(node, fields)
		for i := 0; i+1 < len(node.Content); i += 2 {
			fields[keyOf(node.Content[i])] = node.Content[i+1]
		}
	}
	return fields[name]
}

// merge adds what the merge keys of a mapping bring in.
func (t *Tree) merge(node *yaml.Node, fields map[string]*yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].ShortTag() != "!!merge" {
			continue
		}
		merged := []*yaml.Node{target(node.Content[i+1])}
		if merged[0].Kind == yaml.SequenceNode {
			merged = merged[0].Content
		}
		for j := range merged { // the first of several wins
			from := target(merged[len(merged)-1-j])
			t.field(from, "")
			for name, value := range t.fields[from] {
				fields[name] = value
			}
		}
	}
}

// keyOf is the key as it is read: YAML 1.1 knows more words for true and false than its parser here.
func keyOf(key *yaml.Node) string {
	key = target(key)
	if key.Kind == yaml.ScalarNode && key.Style == 0 {
		switch strings.ToLower(key.Value) {
		case "true", "yes", "on":
			return "true"
		case "false", "no", "off":
			return "false"
		}
	}
	return key.Value
}

// indexed is a text in which lines and characters are found without reading all of it.
type indexed struct {
	string
	// lines are the offsets of the lines as editors have them, breaks those of the
	// lines as YAML has them.
	lines, breaks []int
	// characters is how many characters stand before each block of the text.
	characters []int
}

// block is the size of the blocks of a text, in bytes.
const block = 1 << 10

func newIndexed(text string) *indexed {
	t := &indexed{string: text, lines: []int{0}, breaks: []int{0}}
	characters := 0
	for i := range len(text) {
		if i%block == 0 {
			t.characters = append(t.characters, characters)
		}
		if utf8.RuneStart(text[i]) {
			characters++
		}
		switch {
		case text[i] == '\n':
			t.lines, t.breaks = append(t.lines, i+1), append(t.breaks, i+1)
		case text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			t.breaks = append(t.breaks, i+1)
		case text[i] == 0x85 && strings.HasSuffix(text[:i+1], "\u0085"),
			text[i]&^1 == 0xa8 && (strings.HasSuffix(text[:i+1], "\u2028") || strings.HasSuffix(text[:i+1], "\u2029")):
			t.breaks = append(t.breaks, i+1)
		}
	}
	return t
}

// before is how many characters stand before an offset.
func (t *indexed) before(offset int) int {
	if len(t.characters) == 0 {
		return 0
	}
	n := min(offset/block, len(t.characters)-1)
	count := t.characters[n]
	for i := n * block; i < offset; i++ {
		if utf8.RuneStart(t.string[i]) {
			count++
		}
	}
	return count
}

// position is the line and the column of an offset, both from 0.
func (t *indexed) position(offset int) (line, column int) {
	line = sort.SearchInts(t.lines, offset+1) - 1
	return line, t.before(offset) - t.before(t.lines[line])
}

// begin is the offset of a node.
func (t *indexed) begin(node *yaml.Node) int {
	if node.Line < 1 || node.Line > len(t.breaks) {
		return 0
	}
	start := t.breaks[node.Line-1]
	wanted := t.before(start) + node.Column - 1
	n := max(sort.SearchInts(t.characters, wanted+1)-1, 0)
	offset, count := n*block, t.characters[n]
	for ; offset < len(t.string); offset++ {
		if utf8.RuneStart(t.string[offset]) {
			if count == wanted {
				break
			}
			count++
		}
	}
	return offset
}
