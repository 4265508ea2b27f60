package library

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
)

// combine calls f for every text of at most n of the pieces.
func combine(pieces []string, n int, f func(string)) {
	var add func(text string, n int)
	add = func(text string, n int) {
		f(text)
		for i := 0; n > 0 && i < len(pieces); i++ {
			add(text+pieces[i], n-1)
		}
	}
	add("", n)
}

// urlOutcome is all that expressions see of a URL.
func urlOutcome(s string) string {
	u, err := parseURL(s)
	if err != nil {
		return err.Error() + fmt.Sprint(uriErrors(s))
	}
	return fmt.Sprint(u.v.String(), u.v.Host, uriErrors(s), queryValues(u.v.RawQuery))
}

// TestURLsUnderEverySetting holds that no setting of GODEBUG, and so no go directive
// of a main module, changes what is a URL and what is in it.
func TestURLsUnderEverySetting(t *testing.T) {
	var texts []string
	for _, scheme := range []string{"http:", "HTTPS:", "ftp:", ""} {
		combine([]string{"//", "a", ":", "@", "[::1]", "?", "#", "/", "%zz", "1", "\x7f", "é"}, 4, func(s string) {
			texts = append(texts, scheme+s, scheme+"//a:b"+s)
		})
	}
	for _, query := range []string{"a=1&b=2&a=3&&c;d&%zz=1&e=%zz&f", "=", "&&", strings.Repeat("a=1&", 9999), strings.Repeat("a=1&", 10000)} {
		texts = append(texts, "http://a/?"+query)
	}
	// The settings of a server of 1.37, written out.
	t.Setenv("GODEBUG", "urlstrictcolons=1")
	want := make([]string, len(texts))
	for i, s := range texts {
		want[i] = urlOutcome(s)
		if u, err := url.ParseRequestURI(s); (err == nil) != (len(uriErrors(s)) == 0) || err != nil && err.Error() != uriErrors(s)[0] {
			t.Errorf("%q: the standard library says %v", s, err)
		} else if err == nil && fmt.Sprint(u.Query()) != fmt.Sprint(queryValues(u.RawQuery)) {
			t.Errorf("%q: the standard library reads another query", s)
		}
	}
	if got := urlOutcome("https://a:b:c/"); !strings.Contains(got, `invalid port ":b:c" after host`) {
		t.Error(got)
	}
	for _, setting := range []string{"urlstrictcolons=0", "urlmaxqueryparams=0", "urlmaxqueryparams=1"} {
		t.Setenv("GODEBUG", setting)
		for i, s := range texts {
			if got := urlOutcome(s); got != want[i] {
				t.Errorf("%s: %q gives %.100s, want %.100s", setting, s, got, want[i])
			}
		}
	}
	t.Log(len(texts), "texts")
}

// TestLabelsOfEveryApimachinery has answers of apimachinery 0.37, which 0.34 does not give.
func TestLabelsOfEveryApimachinery(t *testing.T) {
	const name = " must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
		" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	long, longer := strings.Repeat("n", 64), strings.Repeat("p", 254)
	for selector, want := range map[string]string{
		"a in (b,,)":          "a in (,b)",
		"a in (,, )":          "a in ()",
		"a in (b , ,,),!c":    "!c,a in (,b)",
		"a,,)":                "found ',', expected: identifier after ','",
		"a/b/c":               `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key` + name + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
		long:                  `unable to parse requirement: <nil>: Invalid value: "` + long + `": name part must be no more than 63 bytes`,
		longer + "/a":         `unable to parse requirement: <nil>: Invalid value: "` + longer + `/a": prefix part must be no more than 253 bytes`,
		"a in (" + long + ")": `unable to parse requirement: values[0][a]: Invalid value: "` + long + `": must be no more than 63 bytes`,
	} {
		if got := selectorOutcome(labelRequirements(selector)); got != want {
			t.Errorf("%s\n got %s\nwant %s", selector, got, want)
		}
	}
	if _, err := labels.ParseToRequirements("a in (b,,)"); err != nil {
		t.Skip("this apimachinery is no judge of selectors")
	}
	pieces := []string{"a", ",", "(", ")", " in ", "!", "=", " ", "<1", "a/b/c"}
	for _, start := range []string{"", "a in (", "a in (b,", "a in (,,"} {
		combine(pieces, 4, func(s string) {
			want := selectorOutcome(labels.ParseToRequirements(start + s))
			if got := selectorOutcome(labelRequirements(start + s)); got != want {
				t.Errorf("%s\n got %s\nwant %s", start+s, got, want)
			}
		})
	}
}

func selectorOutcome(requirements labels.Requirements, err error) string {
	if err != nil {
		return err.Error()
	}
	texts := make([]string, len(requirements))
	for i, r := range requirements {
		texts[i] = r.String()
	}
	slices.Sort(texts)
	return strings.Join(texts, ",")
}
