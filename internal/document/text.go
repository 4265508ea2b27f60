package document

import (
	"bytes"
	"strconv"

	"k8s.io/apimachinery/pkg/util/json"
)

// Text is a JSON text that is read once, from its begin to its end. It is strict: whatever it is not sure
// to read as json.Unmarshal of k8s.io/apimachinery does, it does not read at all. A text that is not valid,
// and a value of another type than asked for, make it fail. From then on all it returns are zero values.
// Null stands for the zero value of each type.
type Text struct {
	data      []byte
	at, depth int
	failed    bool
	// names are the names that were read, so that equal ones share memory.
	names map[string]string
}

// maxDepth is how deep the decoder of API servers lets data nest.
const maxDepth = 10_000

// A Decoder reads a JSON text into a value of its own, and must tell whether it could. It must read each value that it
// does not need with [Text.Skip].
type Decoder func(*Text) (value any, ok bool)

// unmarshal decodes a JSON text: with the decoder, if there is one and it can, else as data. The
// decoder of API servers judges whatever Text does not read.
func unmarshal(data []byte, decode Decoder) (value any, err error) {
	if decode != nil {
		t := Text{data: data}
		if value, ok := decode(&t); ok && t.end() {
			return value, nil
		}
	}
	t := Text{data: data}
	if value = t.Value(); t.end() {
		return value, nil
	}
	value = nil
	err = json.Unmarshal(data, &value)
	return value, err
}

// Fail makes the text fail.
func (t *Text) Fail() { t.failed, t.at = true, len(t.data) }

// end tells whether all of the text was read without a failure.
func (t *Text) end() bool { return t.peek() == 0 && t.at == len(t.data) && !t.failed }

// peek is the first byte of the next token, 0 at the end.
func (t *Text) peek() byte {
	for ; t.at < len(t.data); t.at++ {
		if c := t.data[t.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// take reads a byte if it is next.
func (t *Text) take(c byte) bool {
	if t.peek() != c || t.at == len(t.data) {
		return false
	}
	t.at++
	return true
}

// literal reads a literal if its first byte is next.
func (t *Text) literal(text string) bool {
	if t.peek() != text[0] {
		return false
	}
	if !bytes.HasPrefix(t.data[t.at:], []byte(text)) {
		t.Fail()
		return false
	}
	t.at += len(text)
	return true
}

// Null reads null if that is next.
func (t *Text) Null() bool { return t.literal("null") }

// Is tells whether the next value begins with a byte: { or [ or ".
func (t *Text) Is(c byte) bool { return t.peek() == c }

// Object reads an object, and calls a function for each field, which must read the value. It tells whether there
// is an object, and not null. The key is valid until the function returns.
func (t *Text) Object(field func(key []byte)) bool {
	if !t.open('{') {
		return false
	}
	for more := !t.take('}'); more; more = t.more('}') {
		key, ok := t.quoted()
		if !ok || !t.take(':') {
			t.Fail()
			return false
		}
		field(key)
	}
	t.depth--
	return !t.failed
}

// Array reads an array, and calls a function for each element, which must read it. It tells whether there is an
// array, and not null.
func (t *Text) Array(element func()) bool {
	if !t.open('[') {
		return false
	}
	for more := !t.take(']'); more; more = t.more(']') {
		element()
	}
	t.depth--
	return !t.failed
}

func (t *Text) open(bracket byte) bool {
	if t.Null() {
		return false
	}
	if t.depth++; t.depth > maxDepth || !t.take(bracket) {
		t.Fail()
		return false
	}
	return true
}

// more tells whether another member follows, and not the end.
func (t *Text) more(bracket byte) bool {
	if t.take(',') {
		return true
	}
	if !t.take(bracket) {
		t.Fail()
	}
	return false
}

// Bool reads a boolean.
func (t *Text) Bool() bool {
	switch {
	case t.literal("true"):
		return true
	case !t.literal("false") && !t.Null():
		t.Fail()
	}
	return false
}

// String reads a string.
func (t *Text) String() string {
	if t.Null() {
		return ""
	}
	text, ok := t.quoted()
	if !ok {
		t.Fail()
	}
	return string(text)
}

// Name reads a string that is likely to come again.
func (t *Text) Name() string {
	if t.Null() {
		return ""
	}
	text, ok := t.quoted()
	if !ok {
		t.Fail()
	}
	return t.Intern(text)
}

// Intern returns a key or a name as a string. Equal ones share memory.
func (t *Text) Intern(text []byte) string {
	name, known := t.names[string(text)]
	if !known {
		if t.names == nil {
			t.names = map[string]string{}
		}
		name = string(text)
		t.names[name] = name
	}
	return name
}

// Number reads a number: an int64 or a float64, nil for null.
func (t *Text) Number() any {
	if t.Null() {
		return nil
	}
	return t.number(true)
}

// Value reads any value: nil, a bool, int64, float64 or string, []any or map[string]any.
func (t *Text) Value() any {
	switch c := t.peek(); c {
	case '{':
		object := map[string]any{}
		t.Object(func(key []byte) {
			name := t.Intern(key)
			object[name] = t.Value()
		})
		return object
	case '[':
		array := []any{}
		t.Array(func() { array = append(array, t.Value()) })
		return array
	case '"':
		return t.String()
	case 't', 'f':
		return t.Bool()
	case 'n':
		t.Null()
		return nil
	}
	return t.number(true)
}

// Skip reads any value, and only judges whether it is one.
func (t *Text) Skip() {
	switch c := t.peek(); c {
	case '{':
		t.Object(func([]byte) { t.Skip() })
	case '[':
		t.Array(t.Skip)
	case '"':
		if _, ok := t.quoted(); !ok {
			t.Fail()
		}
	case 't', 'f':
		t.Bool()
	case 'n':
		t.Null()
	default:
		t.number(false)
	}
}

// number reads a number. Without a value wanted it only judges it, which needs one if there may be an overflow.
func (t *Text) number(wanted bool) any {
	t.peek()
	begin := t.at
	whole, short := t.digits()
	if t.failed {
		return nil
	}
	if !wanted && short {
		return nil
	}
	text := t.data[begin:t.at]
	if whole {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n
		}
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		t.Fail()
		return nil
	}
	return f
}

// digits reads the text of a number. It is whole if there are only digits. It is short if it
// is a number whatever the digits are.
func (t *Text) digits() (whole, short bool) {
	begin := t.at
	if t.at < len(t.data) && t.data[t.at] == '-' {
		t.at++
	}
	first := t.at
	if t.run(); t.failed || t.data[first] == '0' && t.at > first+1 {
		t.Fail()
		return false, false
	}
	whole, short = true, true
	if t.at < len(t.data) && t.data[t.at] == '.' {
		t.at++
		whole = false
		t.run()
	}
	if t.at < len(t.data) && t.data[t.at]|0x20 == 'e' {
		t.at++
		if t.at < len(t.data) && (t.data[t.at] == '+' || t.data[t.at] == '-') {
			t.at++
		}
		whole, short = false, false
		t.run()
	}
	return whole, short && t.at-begin < 300
}

// run reads digits, at least one.
func (t *Text) run() {
	begin := t.at
	for t.at < len(t.data) && '0' <= t.data[t.at] && t.data[t.at] <= '9' {
		t.at++
	}
	if t.at == begin {
		t.Fail()
	}
}
