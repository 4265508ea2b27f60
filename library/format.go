package library

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// formatLibrary is the library of named string formats: functions that give a
// format, and one that says what is wrong with a string of that format.
func formatLibrary() Library {
	typ := formatClass.typ
	formats := namedFormats()
	functions := []Function{
		ofString("format.named", "Returns the format of that name, or optional.none() if there is none: "+formatNames(formats)+".",
			"format-named", cel.OptionalType(typ), cost.Fixed(1).Doubted(doubtfulPattern),
			Unary(func(name types.String) (*types.Optional, error) {
				for _, f := range formats {
					if f.function == string(name) {
						return types.OptionalOf(f.value), nil
					}
				}
				return types.OptionalNone, nil
			}),
			Example{Expr: `format.named('uuid').hasValue()`, Want: `true`},
			Example{Expr: `format.named('email').hasValue()`, Want: `false`}),
		function("validate", "Says what is wrong with a string of the format: a list of messages, or optional.none() if the string is valid.",
			member("format-validate", args(typ, cel.StringType), cel.OptionalType(cel.ListType(cel.StringType)), validationPrice()).by(
				Binary(func(f formatValue, s types.String) (*types.Optional, error) {
					if messages := f.v.validate(string(s)); len(messages) > 0 {
						return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, messages)), nil
					}
					return types.OptionalNone, nil
				}),
				Example{Expr: `format.dns1123Label().validate('web-1').hasValue()`, Want: `false`},
				Example{Expr: `format.uuid().validate('42').value()`, Want: `['does not match the UUID format']`})),
	}
	for _, f := range formats {
		functions = append(functions, f.declare())
	}
	return Library{
		Name:  "kubernetes.format",
		Doc:   "Checks strings against the named formats of Kubernetes, with messages that a messageExpression can show.",
		since: release.Minor(31),
		Types: []Type{{
			CEL: typ,
			Doc: "A named string format.",
			// The estimate assumes that names of up to 64 characters are compared.
			EqualCost:  cost.Split(cost.Scan(cost.Between(1, 64, 0)), cost.Fixed(1)),
			equalSince: equalSince(),
		}},
		Functions: functions,
	}
}

const doubtfulPattern = "a format is estimated by a pattern that can be shorter than its own, and one chosen by name without any"

// formatData is a named string format. It is no key of a map.
type formatData struct {
	// name identifies the format. It is not always the name of the function:
	// format.dns1123Label() is DNS1123Label.
	name string
	// patternSize is the length of its pattern, or a guess at it, by which an API
	// server prices a validation.
	patternSize int
	// validate returns what is wrong with a string, nothing if it is valid.
	validate func(string) []string
}

type formatValue = object[formatData]

var formatClass = class[formatData]{
	typ: cel.ObjectType("kubernetes.NamedFormat"), name: "Format",
	label: func(f formatData) string { return f.name },
	equal: func(x, y formatData) (bool, bool) { return x.name == y.name, true },
}

func (formatData) class() *class[formatData] { return &formatClass }

// namedFormat is a format and the function that gives it.
type namedFormat struct {
	value        formatValue
	function     string
	doc          string
	valid, wrong string
}

func (f namedFormat) declare() Function {
	name := "format." + f.function
	check := func(s, wrong string) Example {
		return Example{Expr: name + "().validate('" + s + "').hasValue()", Want: wrong}
	}
	return function(name, f.doc,
		global(name, args(), formatClass.typ, cost.Fixed(1)).by(
			Nullary(func() (formatValue, error) { return f.value, nil }), check(f.valid, `false`), check(f.wrong, `true`)))
}

func formatNames(formats []namedFormat) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.function
	}
	return strings.Join(names, ", ")
}

// namedFormats lists the formats in the order in which they are documented.
func namedFormats() []namedFormat {
	format := func(name string, patternSize int, validate func(string) []string) formatValue {
		return formatValue{formatData{name, patternSize, validate}}
	}
	return []namedFormat{
		{format("DNS1123Label", 30, validation.IsDNS1123Label), "dns1123Label",
			"Lower case letters, digits and '-', at most 63, as RFC 1123 has it: the name of a namespace.", "web-1", "Web"},
		{format("DNS1123Subdomain", 60, validation.IsDNS1123Subdomain), "dns1123Subdomain",
			"Labels of RFC 1123 joined by '.', at most 253 characters: the name of most objects.", "web.example.com", "web..com"},
		{format("DNS1035Label", 30, validation.IsDNS1035Label), "dns1035Label",
			"A label of RFC 1035, which begins with a letter: the name of a service.", "web-1", "1-web"},
		{format("QualifiedName", 60, labelName(validation.IsQualifiedName)), "qualifiedName",
			"A name of at most 63 characters with an optional subdomain and '/' before it: the key of a label.", "example.com/Web_1", "a/b/c"},
		{format("DNS1123LabelPrefix", 30, prefix(validation.IsDNS1123Label)), "dns1123LabelPrefix",
			"The beginning of a DNS 1123 label, which may end in '-'.", "web-", "-web"},
		{format("DNS1123SubdomainPrefix", 60, prefix(validation.IsDNS1123Subdomain)), "dns1123SubdomainPrefix",
			"The beginning of a DNS 1123 subdomain, which may end in '-'.", "web.example-", "web."},
		{format("DNS1035LabelPrefix", 30, prefix(validation.IsDNS1035Label)), "dns1035LabelPrefix",
			"The beginning of a DNS 1035 label, which may end in '-'.", "web-", "1web-"},
		{format("LabelValue", 40, labelName(validation.IsValidLabelValue)), "labelValue",
			"The value of a label: empty, or at most 63 letters, digits, '-', '_' and '.'.", "Web_1.0", "a b"},
		{format("URI", 1103, uriErrors), "uri",
			"A URI with a scheme, or an absolute path.", "https://example.com/a", "example.com"},
		{format("uuid", len(strfmt.UUIDPattern), registered("uuid", "does not match the UUID format")), "uuid",
			"A UUID, with or without its dashes, in either case.", "123e4567-e89b-12d3-a456-426614174000", "123e4567"},
		{format("byte", 84, registered("byte", "invalid base64")), "byte",
			"Bytes in standard base64 with padding.", "aGVsbG8=", "aGVsbG8"},
		{format("date", len(strfmt.DateTimePattern), registered("date", "invalid date")), "date",
			"A day of RFC 3339.", "2021-01-31", "2021-02-31"},
		{format("datetime", len(strfmt.DateTimePattern), registered("datetime", "invalid datetime")), "datetime",
			"A moment of RFC 3339.", "2021-01-31T00:00:00Z", "2021-01-31"},
	}
}

// prefix checks the beginning of a name, which may end in a dash. As in Kubernetes,
// a letter replaces the dash and the character before it, so "a--" passes.
func prefix(check func(string) []string) func(string) []string {
	return func(s string) []string {
		if len(s) > 1 && strings.HasSuffix(s, "-") {
			s = s[:len(s)-2] + "a"
		}
		return check(s)
	}
}

func uriErrors(s string) []string {
	if _, err := requestURI(s); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// registered checks by one of the formats that OpenAPI schemas have.
func registered(name, message string) func(string) []string {
	return func(s string) []string {
		if strfmt.Default.Validates(name, s) {
			return nil
		}
		return []string{message}
	}
}

// validationPrice is the price of a validation. An evaluation is charged for matching
// the pattern of the format, and one unit for a receiver that is no format. The
// estimate assumes a pattern of 128 characters for every format. Evaluation charges
// 1,103 for uri and 142 for datetime, so these can cost more than their estimate.
func validationPrice() cost.Model {
	pattern := cost.Computed("", nil, func(args []ref.Val, _ ref.Val) uint64 {
		return uint64(args[0].(formatValue).v.patternSize)
	})
	match := cost.Regex(cost.Arg(1), pattern)
	evaluation := cost.Model{Runtime: func(args []ref.Val, result ref.Val) uint64 {
		if _, ok := args[0].(formatValue); !ok {
			return 1
		}
		return match.Runtime(args, result)
	}}
	return cost.Split(cost.Product(cost.Scan(cost.Arg(1)), cost.Fixed(128/4)), evaluation).
		As("estimate 3.2·size({1}), evaluation 0.1·(size({1}) + 1)·0.25·(length of the format's pattern)").
		Doubted(doubtfulPattern)
}
