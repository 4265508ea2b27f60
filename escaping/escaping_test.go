package escaping_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/kubecel/kubecel/escaping"
)

func TestEscape(t *testing.T) {
	for _, c := range escapes {
		if out, ok := escaping.Escape(c.in); out != c.out || ok != c.ok {
			t.Errorf("Escape(%q) = %q, %v; want %q, %v", c.in, out, ok, c.out, c.ok)
		}
	}
}

func TestUnescape(t *testing.T) {
	for _, c := range unescapes {
		if out, ok := escaping.Unescape(c.in); out != c.out || ok != c.ok {
			t.Errorf("Unescape(%q) = %q, %v; want %q, %v", c.in, out, ok, c.out, c.ok)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, name := range []string{"replicas", "_a_b_", "a b", "", "namespaces"} {
		if n := testing.AllocsPerRun(100, func() { escaping.Escape(name) }); n != 0 {
			t.Errorf("Escape(%q) allocates %v times", name, n)
		}
		if n := testing.AllocsPerRun(100, func() { escaping.Unescape(name) }); n != 0 {
			t.Errorf("Unescape(%q) allocates %v times", name, n)
		}
	}
}

var identifier = regexp.MustCompile(`\A[a-zA-Z_][a-zA-Z0-9_]*\z`)

func FuzzEscape(f *testing.F) {
	for _, c := range escapes {
		f.Add(c.in)
	}
	for _, c := range unescapes {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, name string) {
		escaping.Unescape(name)
		ident, ok := escaping.Escape(name)
		if !ok {
			if identifier.MatchString(name) {
				t.Fatalf("Escape(%q) refuses an identifier", name)
			}
			return
		}
		if !identifier.MatchString(ident) || escaping.IsReserved(ident) {
			t.Fatalf("Escape(%q) = %q, which is no identifier", name, ident)
		}
		if back, ok := escaping.Unescape(ident); back != name || !ok {
			t.Fatalf("Unescape(Escape(%q)) = %q, %v", name, back, ok)
		}
	})
}

func ExampleEscape() {
	for _, name := range []string{"replicas", "namespace", "app.kubernetes.io/name", "a__b", "9lives"} {
		ident, ok := escaping.Escape(name)
		fmt.Printf("%s: %q %v\n", name, ident, ok)
	}
	// Output:
	// replicas: "replicas" true
	// namespace: "__namespace__" true
	// app.kubernetes.io/name: "app__dot__kubernetes__dot__io__slash__name" true
	// a__b: "a__underscores__b" true
	// 9lives: "" false
}

func ExampleUnescape() {
	name, ok := escaping.Unescape("x__dash__prop")
	fmt.Println(name, ok)
	_, ok = escaping.Unescape("x__plus__prop")
	fmt.Println(ok)
	// Output:
	// x-prop true
	// false
}

func ExampleIsReserved() {
	fmt.Println(escaping.IsReserved("namespace"), escaping.IsReserved("int"))
	// Output: true false
}
