package library

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/labels"
)

// This file holds what a server of 1.37 answers where the answer of a program would
// depend on the apimachinery that it links, from 0.34 to 0.37, or on a setting of
// GODEBUG, which the go directive of its main module chooses.

// nameTexts turns the texts about names of apimachinery 0.34 into those of later
// releases. The texts hold no part of a name.
var nameTexts = strings.NewReplacer(
	"a qualified name must consist of", "a valid label key must consist of",
	"must be no more than 63 characters", "must be no more than 63 bytes",
	"must be no more than 253 characters", "must be no more than 253 bytes",
)

// labelName checks the key or the value of a label.
func labelName(check func(string) []string) func(string) []string {
	return func(s string) []string {
		texts := check(s)
		for i, text := range texts {
			texts[i] = nameTexts.Replace(text)
		}
		return texts
	}
}

// trailingCommas matches values of a label selector that end in empty ones.
var trailingCommas = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\([^()=!<>]*?)((?:,[ \t\r\n]*)+)\)`) })

// labelRequirements parses a label selector. Values that end in several commas mean what
// they mean with one; apimachinery 0.34 takes two of them for an error.
func labelRequirements(selector string) (labels.Requirements, error) {
	selector = trailingCommas().ReplaceAllStringFunc(selector, func(list string) string {
		parts := trailingCommas().FindStringSubmatch(list)
		return parts[1] + ",)"
	})
	requirements, err := labels.ParseToRequirements(selector)
	if err != nil {
		// The error has no cause and quotes no more than one token, without spaces.
		return nil, errors.New(nameTexts.Replace(err.Error()))
	}
	return requirements, nil
}

// requestURI is url.ParseRequestURI with the setting urlstrictcolons=1.
func requestURI(s string) (*url.URL, error) {
	if port, wrong := strayColons(s); wrong {
		return nil, &url.Error{Op: "parse", URL: s, Err: fmt.Errorf("invalid port %q after host", port)}
	}
	return url.ParseRequestURI(s)
}

// strayColons returns what follows the host of an http or https URL and cannot be a
// port because it has more than one colon. Servers of 1.37 are built with
// "godebug default=go1.26", by which net/url refuses such hosts.
func strayColons(s string) (port string, wrong bool) {
	scheme, rest, _ := strings.Cut(s, ":")
	rest, _, _ = strings.Cut(rest, "?")
	authority, found := strings.CutPrefix(rest, "//")
	if scheme = strings.ToLower(scheme); !found || scheme != "http" && scheme != "https" || strings.ContainsFunc(s, isControl) {
		return "", false
	}
	authority, _, _ = strings.Cut(authority, "/")
	host := authority[strings.LastIndex(authority, "@")+1:]
	first := strings.Index(host, ":")
	if first == strings.LastIndex(host, ":") || strings.Contains(host, "[") {
		return "", false
	}
	return host[first:], true
}

// isControl tells the characters that net/url refuses before it looks at the rest.
func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// maxParameters is the number of parameters that net/url reads from a query, unless
// the setting urlmaxqueryparams says otherwise. It reads nothing from a longer one.
const maxParameters = 10_000

// queryValues is url.URL.Query without that setting.
func queryValues(query string) url.Values {
	values := url.Values{}
	if strings.Count(query, "&") >= maxParameters {
		return values
	}
	for parameter := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		key, wrongKey := url.QueryUnescape(key)
		value, wrongValue := url.QueryUnescape(value)
		if parameter != "" && !strings.Contains(parameter, ";") && wrongKey == nil && wrongValue == nil {
			values[key] = append(values[key], value)
		}
	}
	return values
}
