package parity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// arg is a value to pass: as a literal and, where it is plain data, as a
// variable.
type arg struct {
	literal, variable string
	val               ref.Val
}

// pool is a named set of arguments. The first is the most ordinary one.
type pool struct {
	name    string
	celType *cel.Type
	args    []arg
	// good is how many of the first arguments a parser of this domain accepts.
	good int
}

// pools lists the arguments by type and, for strings, by what they mean.
func pools() []pool {
	all := []pool{
		numbersPool("int", cel.IntType, []string{"3", "1", "0", "-1", "9223372036854775807", "-9223372036854775808", "1000000000000"},
			func(s string) ref.Val { i, _ := strconv.ParseInt(s, 10, 64); return types.Int(i) }),
		numbersPool("uint", cel.UintType, []string{"3u", "1u", "0u", "18446744073709551615u", "9223372036854775808u"},
			func(s string) ref.Val {
				u, _ := strconv.ParseUint(strings.TrimSuffix(s, "u"), 10, 64)
				return types.Uint(u)
			}),
		numbersPool("double", cel.DoubleType, []string{"2.5", "1.0", "0.0", "-0.0", "-1.5", "1e308", "9007199254740993.0", "9.3e18", "5e-324"},
			func(s string) ref.Val { f, _ := strconv.ParseFloat(s, 64); return types.Double(f) }),
		{name: "bool", celType: cel.BoolType, args: []arg{
			{"true", "bool_0", types.True}, {"false", "bool_1", types.False}}},
		{name: "bytes", celType: cel.BytesType, args: []arg{
			{`b'abc'`, "bytes_0", types.Bytes("abc")}, {`b''`, "bytes_1", types.Bytes("")},
			{`b'\xff\x00'`, "bytes_2", types.Bytes("\xff\x00")}, {`b'é'`, "bytes_3", types.Bytes("é")}}},
		{name: "null_type", celType: cel.NullType, args: []arg{{"null", "null_0", types.NullValue}}},
	}
	all[2].args = append(all[2].args,
		arg{`double('NaN')`, "double_nan", types.Double(math.NaN())},
		arg{`double('Infinity')`, "double_inf", types.Double(math.Inf(1))},
		arg{`double('-Infinity')`, "double_ninf", types.Double(math.Inf(-1))})
	for _, d := range stringDomains() {
		p := pool{name: d.name, celType: cel.StringType, good: d.good}
		for i, v := range d.values {
			p.args = append(p.args, arg{Quote(v), fmt.Sprintf("%s_%d", strings.ReplaceAll(d.name, "-", "_"), i), types.String(v)})
		}
		all = append(all, p)
	}
	durations := pool{name: "google.protobuf.Duration", celType: cel.DurationType}
	for i, d := range []string{"1h30m", "0s", "-1ns", "2562047h47m16.854775807s", "-2562047h", "1.5ms"} {
		v, _ := time.ParseDuration(d)
		durations.args = append(durations.args, arg{"duration('" + d + "')", fmt.Sprintf("duration_%d", i), types.Duration{Duration: v}})
	}
	timestamps := pool{name: "google.protobuf.Timestamp", celType: cel.TimestampType}
	for i, s := range []string{"2024-02-29T13:14:15.678901234Z", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2024-12-31T23:30:00-08:00"} {
		v, _ := time.Parse(time.RFC3339Nano, s)
		timestamps.args = append(timestamps.args, arg{"timestamp('" + s + "')", fmt.Sprintf("timestamp_%d", i), types.Timestamp{Time: v}})
	}
	return append(all, durations, timestamps)
}

func numbersPool(name string, t *cel.Type, literals []string, parse func(string) ref.Val) pool {
	p := pool{name: name, celType: t}
	for i, l := range literals {
		p.args = append(p.args, arg{l, fmt.Sprintf("%s_%d", name, i), parse(l)})
	}
	return p
}

// Quote writes a CEL string literal.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch r {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\r':
			b.WriteString(`\r`)
		case 0:
			b.WriteString(`\x00`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

type domain struct {
	name   string
	good   int
	values []string
}

func stringDomains() []domain {
	long := strings.Repeat("abcdefghij", 15)
	return []domain{
		{"string", 0, []string{"hello world", "", "a", "héllo wörld €", "🙂🙃", "a,b,,c", "  trim\t\n", long, "%s and %d", "Infinity"}},
		{"needle", 0, []string{"l", "", "lo", "zz", "é", "🙃", ",", "hello world!"}},
		{"regex", 0, []string{"l+", "", "^h.*d$", "[0-9]+", "(h)(e)", "(?i)HELLO", `\pL+`, "(", "a{1001}", "(?=x)", `\C`}},
		{"ip", 6, []string{"127.0.0.1", "::1", "192.168.0.1", "2001:db8::abcd", "169.254.1.1", "ff02::1", "0.0.0.0", "::", "2001:DB8::ABCD", "255.255.255.255", "224.0.0.5", "fe80::1%eth0", "::ffff:1.2.3.4", "1.2.3.04", "1.2.3", "", "not an ip", "1.2.3.4 ", "10.0.0.1/8"}},
		{"cidr", 5, []string{"192.168.0.0/24", "::1/128", "10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32", "192.168.0.1/24", "192.168.0.0/33", "::1/129", "::ffff:1.2.3.4/120", "192.168.0.0", "", "10.0.00.0/8", "10.0.0.0/08", "fe80::1%eth0/64", "10.0.0.0/-1"}},
		{"quantity", 6, []string{"50k", "1.5Gi", "-200M", "0", "9999999999999999999999999999999999999G", "0.5", "1", "9223372036854775807", "9223372036854775808", "1e3", "1E", "100m", "+5", "1n", "1Mi", "", "1.1.1", "five", "1 G", "1K", "--1", ".5", "5.", "1e400"}},
		{"url", 5, []string{"https://user:pw@example.com:8080/a%20b/c?x=1&y=2&x=3#frag", "http://[::1]:80/", "/just/a/path?q", "mailto:a@b.c", "https://example.com", "https://example.com/path with spaces/", "//host/path", "not absolute", "", "http://a b/", "http://example.com:port/", "%zz", "https://example.com:80/?k=%zz&ok=1", "http://[::1%25eth0]/"}},
		{"semver", 6, []string{"1.2.3", "1.0.0-alpha.1", "1.0.0+build.5", "0.0.0", "10.20.30-rc.1+exp.sha", "1.0.0-alpha.beta", "18446744073709551615.0.0", "18446744073709551616.0.0", "v1.2.3", "v1.0", "1", "01.02.03", "1.2", "", "1.2.3-", "1.2.3-01", "1.2.3+", "-1.0.0", "1.2.3.4", "vv1.0.0", "v01.0-alpha", " 1.2.3"}},
		{"format", 13, []string{"dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime", "nope", "", "DNS1123Label"}},
		{"formatted", 0, []string{"my-name", "My.Name", "", "a.b-c.d", "example.com/name", "1abc", "-a", "prefix-", "https://example.com/x", "123e4567-e89b-12d3-a456-426614174000", "aGVsbG8=", "2021-01-01", "2021-01-01T00:00:00Z", "2021-13-01", "not base64!", long}},
		{"tz", 4, []string{"America/New_York", "UTC", "+05:30", "-08:00", "", "Nowhere/Land", "5:30", "+25:00", "Local", "02:00", "-0:30"}},
		{"durationtext", 5, []string{"1h30m", "0", "-1.5s", "1us", "100ms", "", "1d", "abc", "9999999999h", "1h 30m"}},
		{"timestamptext", 3, []string{"2024-02-29T13:14:15Z", "1970-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00+05:30", "2024-02-30T00:00:00Z", "10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "", "2024-01-01", "now"}},
		{"numbertext", 3, []string{"42", "-7", "3.25", "", "9223372036854775808", "18446744073709551616", "1e5", "0x10", "NaN", "inf", " 1", "1_000", "+3"}},
		{"booltext", 4, []string{"true", "false", "1", "F", "yes", "", "TRUE", "True"}},
		{"printf", 0, []string{"%s is %d", "%s", "%d", "%.2f", "%e", "%b", "%x", "%X", "%o", "%%", "%", "%z", "%.d", "%s %s %s", "no verb", "%.100f"}},
		{"verb", 0, []string{"get", "deny", "fail", "list", "", "*"}},
		{"path", 0, []string{"/healthz", "", " ", "*", "no slash"}},
		{"name", 0, []string{"my-name", "", "Bad_Name", "a.b", "-x", long}},
		{"selector", 0, []string{"a=b", "a!=b,c=d", "a in (b,c)", "!a", "", "a==b", "=", "a=b,", "metadata.name=x", "a>5", "a=b\\,c", "a,b"}},
	}
}
