package library

import (
	"fmt"
	"net/url"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// URLType is the CEL type of URLs. Its values are made by [NewURL].
func URLType() *cel.Type { return urlClass.typ }

// urlLibrary is the library of URLs.
func urlLibrary() Library {
	typ := urlClass.typ
	return Library{
		Name: "kubernetes.urls",
		Doc:  "Parses URLs and takes them apart.",
		Types: []Type{{
			CEL: typ,
			Doc: "An absolute URI or an absolute path.",
			// The estimate charges a scan of the right side. Evaluation charges one
			// unit, because it would have to build the text to know its length.
			EqualCost:  cost.Split(cost.Model{Estimate: estimateURLEqual}, cost.Fixed(1)),
			equalSince: equalSince(),
		}},
		Functions: []Function{
			function("url", "Parses an absolute URI or an absolute path.",
				global("string_to_url", args(cel.StringType), typ, cost.Scan(cost.Arg(0)).Yields(cost.Arg(0))).by(parser(parseURL),
					Example{Expr: `url('https://example.com:80/').getHost()`, Want: `'example.com:80'`},
					Example{Expr: `url('https://example.com') == url('https://example.com')`, Want: `true`},
					Example{Expr: `url('../relative')`, Err: `URL parse error during conversion from string: parse "../relative": invalid URI for request`}).
					// Estimates know the size of the result since == has a price.
					until(release.Minor(31), cost.Scan(cost.Arg(0)))),
			ofString("isURL", "Tells whether a string is an absolute URI or an absolute path.",
				// API servers give isURL no price of its own, unlike url.
				"is_url_string", cel.BoolType, cost.Fixed(1), accepts(requestURI),
				Example{Expr: `isURL('https://user:pass@example.com:80/path?query=val#fragment')`, Want: `true`},
				Example{Expr: `isURL('/absolute-path')`, Want: `true`},
				Example{Expr: `isURL('../relative')`, Want: `false`}),
			urlPart("getScheme", "url_get_scheme", "Returns the scheme, empty for a path.",
				func(u urlData) string { return u.Scheme },
				Example{Expr: `url('https://example.com/').getScheme()`, Want: `'https'`},
				Example{Expr: `url('/path').getScheme()`, Want: `''`}),
			urlPart("getHost", "url_get_host", "Returns the host with the port; IPv6 addresses are in brackets.",
				func(u urlData) string { return u.Host },
				Example{Expr: `url('https://example.com:80/').getHost()`, Want: `'example.com:80'`},
				Example{Expr: `url('https://[::1]:80/').getHost()`, Want: `'[::1]:80'`}),
			urlPart("getHostname", "url_get_hostname", "Returns the host without the port and without brackets.",
				func(u urlData) string { return u.Hostname() },
				Example{Expr: `url('https://example.com:80/').getHostname()`, Want: `'example.com'`},
				Example{Expr: `url('https://[::1]:80/').getHostname()`, Want: `'::1'`}),
			urlPart("getPort", "url_get_port", "Returns the port as written, empty if there is none.",
				func(u urlData) string { return u.Port() },
				Example{Expr: `url('https://example.com:80/').getPort()`, Want: `'80'`},
				Example{Expr: `url('https://example.com/').getPort()`, Want: `''`}),
			urlPart("getEscapedPath", "url_get_escaped_path", "Returns the path, percent-encoded.",
				func(u urlData) string { return u.EscapedPath() },
				Example{Expr: `url('https://example.com/with space/').getEscapedPath()`, Want: `'/with%20space/'`},
				Example{Expr: `url('https://example.com').getEscapedPath()`, Want: `''`}),
			method("getQuery", "Returns the values of each key of the query, decoded and in order.",
				"url_get_query", args(typ), cel.MapType(cel.StringType, cel.ListType(cel.StringType)), reader(urlQuery),
				Example{Expr: `url('https://example.com/?k=a&k=b&empty').getQuery()`, Want: `{'k': ['a', 'b'], 'empty': ['']}`},
				Example{Expr: `url('https://example.com/').getQuery()`, Want: `{}`}),
		},
	}
}

func urlPart(name, id, doc string, part func(urlData) string, examples ...Example) Function {
	return method(name, doc,
		id, args(urlClass.typ), cel.StringType, reader(func(u urlData) types.String { return types.String(part(u)) }), examples...)
}

func estimateURLEqual(operands []cost.Operand) cost.Estimate {
	size, ok := operands[1].Known()
	if !ok {
		size = cost.Exactly(1)
	}
	return cost.Estimate{Cost: cost.Range{Min: 1, Max: size.Max}.Scale(cost.StringFactor)}
}

func urlQuery(u urlData) ref.Val {
	values := map[ref.Val]ref.Val{}
	for key, list := range queryValues(u.RawQuery) {
		values[types.String(key)] = types.NewStringList(types.DefaultTypeAdapter, list)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, values)
}

// urlData is a URL. It is not changed.
type urlData struct{ *url.URL }

type urlValue = object[urlData]

var urlClass = class[urlData]{
	typ: cel.ObjectType("kubernetes.URL"), name: "URL",
	value: func(u urlData) any {
		c := *u.URL
		return &c
	},
	text:  func(u urlData) string { return u.String() },
	equal: func(x, y urlData) (bool, bool) { return x.String() == y.String(), true },
}

func (urlData) class() *class[urlData] { return &urlClass }

// NewURL returns the CEL value of a URL. Its Value is a copy, a *url.URL. Unlike
// the CEL function url it takes any URL, and nil for the empty one.
func NewURL(u *url.URL) ref.Val {
	var c url.URL
	if u != nil {
		c = *u
	}
	return urlValue{urlData{&c}}
}

// parseURL parses an absolute URI or an absolute path.
func parseURL(s string) (urlValue, error) {
	// Only ParseRequestURI insists on what is absolute, and only Parse knows
	// fragments.
	_, err := requestURI(s)
	if err == nil {
		var u *url.URL
		if u, err = url.Parse(s); err == nil {
			return urlValue{urlData{u}}, nil
		}
	}
	return urlValue{}, fmt.Errorf("URL parse error during conversion from string: %w", err)
}
