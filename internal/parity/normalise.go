package parity

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	// The server numbers the type of self by the clock.
	selfType = regexp.MustCompile(`selfType\d+`)
	// Before cel-go 0.22 this text goes on with an expression and types as Go
	// prints them: an address, or a protobuf text that is spaced at random.
	printed = regexp.MustCompile(`(already exists for expression): [^\n]*`)
	// Go types of an implementation that messages print with %T or as a
	// reflect.Type, such as *common.unstructuredMap, library.IP or library.object[T].
	goType = regexp.MustCompile(`\*?\b(common|library|typesystem|cel|eval|interpreter|apiservercel)\.[A-Za-z]\w*\b(\[[^\]]*\])?`)
)

// Normalise removes from a text what cannot agree between two implementations:
// the number in the name of self's type, printed expressions and the names of Go
// types. Bytes that are not UTF-8, which goldens cannot hold, become U+FFFD.
func Normalise(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = selfType.ReplaceAllString(s, "selfType")
	s = printed.ReplaceAllString(s, "$1")
	return Clip(s)
}

// NormaliseError is Normalise for the text of an evaluation error.
func NormaliseError(s string) string {
	return Normalise(goType.ReplaceAllString(s, "<Go type>"))
}

// Clip cuts what is too long to record and adds its length and hash.
func Clip(s string) string {
	if len(s) <= maxPrinted {
		return s
	}
	head := strings.ToValidUTF8(s[:200], "")
	return fmt.Sprintf("%s...(%d bytes, %s)", head, len(s), Hash(s))
}

// Hash is the beginning of the SHA-256 of a text.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// normal brings an outcome into the form in which outcomes are compared.
func (o ExprOutcome) normal() ExprOutcome {
	o.CompileError = Normalise(o.CompileError)
	o.Type = Normalise(o.Type)
	o.EstimateError = Normalise(o.EstimateError)
	o.ProgramError = NormaliseError(o.ProgramError)
	o.Result = Normalise(o.Result)
	o.Error = NormaliseError(o.Error)
	return o
}

func (o SchemaOutcome) normal() SchemaOutcome {
	o.Error = Normalise(o.Error)
	o.Rules = slices.Clone(o.Rules)
	for i := range o.Rules {
		o.Rules[i].Error = Normalise(o.Rules[i].Error)
		o.Rules[i].MessageError = Normalise(o.Rules[i].MessageError)
	}
	slices.SortFunc(o.Rules, func(a, b RuleOutcome) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Index - b.Index
	})
	o.Objects = slices.Clone(o.Objects)
	for i := range o.Objects {
		o.Objects[i] = o.Objects[i].normal()
	}
	return o
}

func (o ObjectOutcome) normal() ObjectOutcome {
	o.Errors = normalErrors(o.Errors)
	o.Warnings = slices.Clone(o.Warnings)
	for i := range o.Warnings {
		o.Warnings[i] = NormaliseError(o.Warnings[i])
	}
	slices.Sort(o.Warnings)
	o.Panic = firstLine(o.Panic)
	return o
}

func (o CRDOutcome) normal() CRDOutcome {
	o.DecodeError = Normalise(o.DecodeError)
	o.Errors = normalErrors(o.Errors)
	return o
}

// normalErrors sorts: the reference walks maps in random order.
func normalErrors(errs []FieldError) []FieldError {
	errs = slices.Clone(errs)
	for i := range errs {
		errs[i].Detail = NormaliseError(errs[i].Detail)
		errs[i].Value = Normalise(errs[i].Value)
		errs[i].Field = Normalise(errs[i].Field)
	}
	slices.SortFunc(errs, func(a, b FieldError) int {
		return strings.Compare(a.key(), b.key())
	})
	return errs
}

func (e FieldError) key() string {
	return strings.Join([]string{e.Field, e.Type, e.Detail, e.Value, e.Class}, "\x00")
}

// FieldErrorOf is the form of a field error, with its value as [BadValue].
func FieldErrorOf(e *field.Error) FieldError {
	f := FieldError{Type: string(e.Type), Field: e.Field, Detail: e.Detail}
	switch e.BadValue.(type) {
	case nil:
	case field.OmitValueType, *field.OmitValueType:
		f.Value = "omitted"
	default:
		f.Value = BadValue(e.BadValue)
	}
	return f
}

// BadValue is the form of a field error's value: its JSON.
func BadValue(v any) string {
	if s, ok := v.(string); ok {
		v = strings.ToValidUTF8(s, "\uFFFD")
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	return string(data)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
