package document

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// FuzzSplit holds that a stream is split as by k8s.io/apimachinery, and that each document begins at its line.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{
		"", "\n", "a", "a\n", "---", "---\n", "---\n---\n", "a\n---\nb", "a\n---\n---\nb\n", "---\na\n--- # c\nb\n---", "a\n--- b\n", "\r\n---\r\na\r\n---\r\nb\r\n",
		" ---\n", "a\r", "a\r\r\n", "----\n", "---\t\n---\n#\n", "a\n---\n--- x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		theirs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
		ours := splitter{rest: data, line: 1}
		lines := bytes.SplitAfter(data, []byte("\n"))
		for {
			want, wantErr := theirs.Read()
			text, line, err := ours.next()
			if (wantErr == nil) != (err == nil) || (wantErr == io.EOF) != (err == io.EOF) || wantErr != nil && wantErr.Error() != err.Error() {
				t.Fatalf("%q: error %v, want %v", data, err, wantErr)
			}
			if err != nil {
				return
			}
			if got := complete(text); !bytes.Equal(got, want) {
				t.Fatalf("%q: %q, want %q", data, got, want)
			}
			if !bytes.HasPrefix(bytes.Join(lines[line-1:], nil), text) {
				t.Fatalf("%q: %q is not at line %d", data, text, line)
			}
		}
	})
}
