package library

import (
	"fmt"
	"net/url"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// URLType is the CEL type of URLs.
var URLType = cel.ObjectType("kubernetes.URL")

// URLs is the library of URLs.
func URLs() Library {
	return Library{
		Name: "kubernetes.urls",
		Doc:  "Parses URLs and takes them apart.",
		Types: []Type{{
			CEL: URLType,
			Doc: "An absolute URI or an absolute path.",
			// The estimate charges a scan of the right side; evaluation charges one
			// unit, since the text would have to be built to know its length.
			EqualCost:  cost.Split(cost.Model{Estimate: estimateURLEqual}, cost.Fixed(1)),
			EqualSince: equalSince(),
		}},
		Functions: []Function{{
			Name: "url",
			Doc:  "Parses an absolute URI or an absolute path.",
			Overloads: []Overload{{
				ID: "string_to_url", Args: args(cel.StringType), Result: URLType,
				Impl: Unary(func(s types.String) (URLValue, error) { return ParseURL(string(s)) }),
				Cost: cost.Scan(cost.Arg(0)).Yields(cost.Arg(0)),
				// The size of the result counts since == has a price.
				Earlier: []EarlierCost{{release.Minor(31), cost.Scan(cost.Arg(0))}},
				Examples: []Example{
					{Expr: `url('https://example.com:80/').getHost()`, Want: `'example.com:80'`},
					{Expr: `url('https://example.com') == url('https://example.com')`, Want: `true`},
					{Expr: `url('../relative')`, Err: `URL parse error during conversion from string: parse "../relative": invalid URI for request`},
				},
			}},
		}, {
			Name: "isURL",
			Doc:  "Tells whether a string is an absolute URI or an absolute path.",
			Overloads: []Overload{{
				ID: "is_url_string", Args: args(cel.StringType), Result: cel.BoolType,
				Impl: Unary(func(s types.String) (types.Bool, error) {
					_, err := url.ParseRequestURI(string(s))
					return err == nil, nil
				}),
				// API servers give isURL no price of its own, unlike url.
				Cost: cost.Fixed(1),
				Examples: []Example{
					{Expr: `isURL('https://user:pass@example.com:80/path?query=val#fragment')`, Want: `true`},
					{Expr: `isURL('/absolute-path')`, Want: `true`},
					{Expr: `isURL('../relative')`, Want: `false`},
				},
			}},
		},
			urlAccessor("getScheme", "url_get_scheme", cel.StringType, "Returns the scheme, empty for a path.",
				func(u *url.URL) ref.Val { return types.String(u.Scheme) },
				Example{Expr: `url('https://example.com/').getScheme()`, Want: `'https'`},
				Example{Expr: `url('/path').getScheme()`, Want: `''`}),
			urlAccessor("getHost", "url_get_host", cel.StringType, "Returns the host with the port; IPv6 addresses are in brackets.",
				func(u *url.URL) ref.Val { return types.String(u.Host) },
				Example{Expr: `url('https://example.com:80/').getHost()`, Want: `'example.com:80'`},
				Example{Expr: `url('https://[::1]:80/').getHost()`, Want: `'[::1]:80'`}),
			urlAccessor("getHostname", "url_get_hostname", cel.StringType, "Returns the host without the port and without brackets.",
				func(u *url.URL) ref.Val { return types.String(u.Hostname()) },
				Example{Expr: `url('https://example.com:80/').getHostname()`, Want: `'example.com'`},
				Example{Expr: `url('https://[::1]:80/').getHostname()`, Want: `'::1'`}),
			urlAccessor("getPort", "url_get_port", cel.StringType, "Returns the port as written, empty if there is none.",
				func(u *url.URL) ref.Val { return types.String(u.Port()) },
				Example{Expr: `url('https://example.com:80/').getPort()`, Want: `'80'`},
				Example{Expr: `url('https://example.com/').getPort()`, Want: `''`}),
			urlAccessor("getEscapedPath", "url_get_escaped_path", cel.StringType, "Returns the path, percent-encoded.",
				func(u *url.URL) ref.Val { return types.String(u.EscapedPath()) },
				Example{Expr: `url('https://example.com/with space/').getEscapedPath()`, Want: `'/with%20space/'`},
				Example{Expr: `url('https://example.com').getEscapedPath()`, Want: `''`}),
			urlAccessor("getQuery", "url_get_query", cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
				"Returns the values of each key of the query, decoded and in order.", query,
				Example{Expr: `url('https://example.com/?k=a&k=b&empty').getQuery()`, Want: `{'k': ['a', 'b'], 'empty': ['']}`},
				Example{Expr: `url('https://example.com/').getQuery()`, Want: `{}`}),
		},
	}
}

func urlAccessor(name, id string, result *cel.Type, doc string, get func(*url.URL) ref.Val, examples ...Example) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: id, Member: true, Args: args(URLType), Result: result,
			Impl:     Unary(func(u URLValue) (ref.Val, error) { return get(u.url), nil }),
			Cost:     cost.Fixed(1),
			Examples: examples,
		}},
	}
}

func estimateURLEqual(operands []cost.Operand) cost.Estimate {
	size, ok := operands[1].Known()
	if !ok {
		size = cost.Exactly(1)
	}
	return cost.Estimate{Cost: cost.Range{Min: 1, Max: size.Max}.Scale(cost.StringFactor)}
}

func query(u *url.URL) ref.Val {
	values := map[ref.Val]ref.Val{}
	for key, list := range u.Query() {
		values[types.String(key)] = types.NewStringList(types.DefaultTypeAdapter, list)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, values)
}

// URLValue is the CEL value of a URL. The zero value is the empty URL.
type URLValue struct{ url *url.URL }

// ParseURL parses an absolute URI or an absolute path. The error is that of the
// CEL function url.
func ParseURL(s string) (URLValue, error) {
	// Only ParseRequestURI insists on what is absolute, and only Parse knows
	// fragments.
	_, err := url.ParseRequestURI(s)
	if err == nil {
		var u *url.URL
		if u, err = url.Parse(s); err == nil {
			return URLValue{u}, nil
		}
	}
	return URLValue{}, fmt.Errorf("URL parse error during conversion from string: %w", err)
}

// String returns the URL in the form of [url.URL.String].
func (u URLValue) String() string {
	if u.url == nil {
		return ""
	}
	return u.url.String()
}

// ConvertToNative converts to *url.URL or to a string.
func (u URLValue) ConvertToNative(to reflect.Type) (any, error) {
	return native("URL", to, u.Value(), u.String())
}

// ConvertToType converts to the URL type itself and to the type of types.
func (u URLValue) ConvertToType(to ref.Type) ref.Val { return convert(u, URLType, to) }

// Equal tells whether two URLs have the same text.
func (u URLValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(URLValue)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(u.String() == o.String())
}

// Type returns [URLType].
func (u URLValue) Type() ref.Type { return URLType }

// Value returns a copy of the URL as *url.URL.
func (u URLValue) Value() any {
	if u.url == nil {
		return new(url.URL)
	}
	c := *u.url
	return &c
}
