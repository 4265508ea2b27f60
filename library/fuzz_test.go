package library

import (
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/api/resource"
)

func seed(f *testing.F, texts ...string) {
	for _, s := range append(texts, "", "\xff", "\x00", "é", strings.Repeat("1", 300)) {
		f.Add(s)
	}
}

func FuzzParseIP(f *testing.F) {
	seed(f, "127.0.0.1", "::1", "2001:DB8::ABCD", "::ffff:1.2.3.4", "fe80::1%eth0", "::1.2.3.4")
	f.Fuzz(func(t *testing.T, s string) {
		ip, err := parseIP(s)
		if err != nil {
			return
		}
		again, err := parseIP(ip.String())
		if err != nil || again.Equal(ip) != types.True || again.v.loose {
			t.Errorf("%q becomes %q, which gives %v, %v", s, ip, again, err)
		}
		if ip.v.loose == (ip.String() == s) {
			t.Errorf("%q: loose is %v, text is %q", s, ip.v.loose, ip)
		}
	})
}

func FuzzParseCIDR(f *testing.F) {
	seed(f, "10.0.0.0/8", "::/0", "2001:DB8::/32", "::ffff:1.2.3.4/24", "fe80::1%eth0/64", "1.2.3.4/033")
	f.Fuzz(func(t *testing.T, s string) {
		net, err := parseCIDR(s)
		if err != nil {
			return
		}
		again, err := parseCIDR(net.String())
		if err != nil || again != net {
			t.Errorf("%q becomes %q, which gives %v, %v", s, net, again, err)
		}
		if _, err := parseIP(net.v.Addr().String()); err != nil {
			t.Errorf("%q: the address is none: %v", s, err)
		}
	})
}

func FuzzParseURL(f *testing.F) {
	seed(f, "https://user:pass@example.com:80/path?query=val#fragment", "/path", "mailto:a@b", "http://[::1]:80/", "http://a/%2f", "*")
	f.Fuzz(func(t *testing.T, s string) {
		u, err := parseURL(s)
		if err != nil {
			return
		}
		if u.Equal(u) != types.True {
			t.Errorf("%q is not equal to itself", s)
		}
		// Not every URL that net/url builds is one that it parses; those that are
		// must be stable.
		if again, err := parseURL(u.String()); err == nil && again.String() != u.String() {
			t.Errorf("%q becomes %q and then %q", s, u, again)
		}
	})
}

func FuzzParseQuantity(f *testing.F) {
	seed(f, "1", "1.5Gi", "200M", "-1e3", "1E", "1e-999999999", "9999999999999999999999G", "1n", ".5", "5.")
	f.Fuzz(func(t *testing.T, s string) {
		q, err := parseQuantity(s)
		if err != nil {
			return
		}
		if q.Equal(q) != types.True {
			t.Errorf("%q is not equal to itself", s)
		}
		text := q.String()
		// The text of huge quantities is wrong: that of 1 with 149 zeros is "100".
		if _, ok := q.Value().(*resource.Quantity).AsInt64(); !ok {
			return
		}
		if again, err := parseQuantity(text); err != nil || again.Equal(q) != types.True {
			t.Errorf("%q becomes %q, which gives %v, %v", s, text, again, err)
		}
	})
}

func FuzzParseSemver(f *testing.F) {
	seed(f, "1.2.3", "1.2.3-rc.1+build.5", "v1.2.3", "01.2.3", "1.2.3-01", "1.2.3-a..b", "18446744073709551616.0.0", "1.2.3-18446744073709551616", "1.2-rc.3")
	f.Fuzz(func(t *testing.T, s string) {
		v, err := parseSemver(s)
		if err == nil && v.String() != s {
			t.Errorf("%q becomes %q", s, v)
		}
		// x/mod/semver has the same grammar, save that it knows shortened
		// versions and numbers of any size.
		valid := semver.IsValid("v"+s) && strings.Count(strings.FieldsFunc("v"+s, func(r rune) bool { return r == '-' || r == '+' })[0], ".") == 2
		if (err == nil) != valid && !hasLongNumber(s) {
			t.Errorf("%q: got error %v, valid is %v", s, err, valid)
		}
		if err == nil && v.v.compare(v.v) != 0 {
			t.Errorf("%q differs from itself", s)
		}
	})
}

func FuzzParseSemverLoosely(f *testing.F) {
	seed(f, "1", "v1.2", "v01.02.03", "1.2-rc", "1.2.-rc", "1.2.00-rc", "ab")
	f.Fuzz(func(t *testing.T, s string) {
		v, err := parseSemverLoosely(s)
		if err != nil {
			return
		}
		again, err := parseSemver(v.String())
		if err != nil || again.String() != v.String() {
			t.Errorf("%q becomes %q, which gives %v, %v", s, v, again, err)
		}
	})
}

// hasLongNumber tells whether there is a number in s that may not fit into 64
// bits.
func hasLongNumber(s string) bool {
	for _, digits := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(digits) >= len("18446744073709551615") {
			return true
		}
	}
	return false
}
