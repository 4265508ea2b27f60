package library

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"golang.org/x/mod/semver"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// SemverType is the CEL type of semantic versions.
var SemverType = cel.ObjectType("kubernetes.Semver")

// Semver is the library of semantic versions (semver.org 2.0.0).
func Semver() Library {
	return Library{
		Name:  "kubernetes.Semver",
		Doc:   "Parses and compares semantic versions.",
		Since: release.Minor(33),
		Types: []Type{{CEL: SemverType, Doc: "A semantic version.", EqualCost: cost.Fixed(1), EqualSince: equalSince()}},
		Functions: []Function{{
			Name: "semver",
			Doc:  "Parses a semantic version. If it is to be normalized, it may begin with a v, lack minor and patch, and have leading zeros.",
			Overloads: []Overload{{
				ID: "string_to_semver", Args: args(cel.StringType), Result: SemverType,
				Impl: Unary(func(s types.String) (SemverValue, error) { return ParseSemver(string(s)) }),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `semver('1.2.3-rc.1+build').minor()`, Want: `2`},
					{Expr: `semver('v1.2.3')`, Err: `Invalid character(s) found in major number "v1"`},
					{Expr: `semver('1.2')`, Err: "No Major.Minor.Patch elements found"},
				},
			}, {
				ID: "string_bool_to_semver", Args: args(cel.StringType, cel.BoolType), Result: SemverType,
				Impl: Binary(func(s types.String, normalize types.Bool) (SemverValue, error) { return parseSemver(s, normalize) }),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `semver('v1.02', true) == semver('1.2.0')`, Want: `true`},
					{Expr: `semver('1.2-rc', true)`, Err: "short version cannot contain PreRelease/Build meta data"},
				},
			}},
		}, {
			Name: "isSemver",
			Doc:  "Tells whether a string is a semantic version that `semver` accepts.",
			Overloads: []Overload{{
				ID: "is_semver_string", Args: args(cel.StringType), Result: cel.BoolType,
				Impl: Unary(func(s types.String) (types.Bool, error) {
					_, err := ParseSemver(string(s))
					return err == nil, nil
				}),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `isSemver('1.0.0')`, Want: `true`},
					{Expr: `isSemver('01.0.0')`, Want: `false`},
				},
			}, {
				ID: "is_semver_string_bool", Args: args(cel.StringType, cel.BoolType), Result: cel.BoolType,
				Impl: Binary(func(s types.String, normalize types.Bool) (types.Bool, error) {
					_, err := parseSemver(s, normalize)
					return err == nil, nil
				}),
				Cost: cost.Scan(cost.Arg(0)),
				Examples: []Example{
					{Expr: `isSemver('v01.0', true)`, Want: `true`},
					{Expr: `isSemver('v01.0', false)`, Want: `false`},
				},
			}},
		},
			semverComparison("isGreaterThan", "semver_is_greater_than", cel.BoolType, "Tells whether a version is newer than another.",
				func(order int) ref.Val { return types.Bool(order > 0) },
				Example{Expr: `semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))`, Want: `true`}),
			semverComparison("isLessThan", "semver_is_less_than", cel.BoolType, "Tells whether a version is older than another.",
				func(order int) ref.Val { return types.Bool(order < 0) },
				Example{Expr: `semver('1.9.0').isLessThan(semver('1.10.0'))`, Want: `true`}),
			semverComparison("compareTo", "semver_compare_to", cel.IntType, "Returns -1, 0 or 1 if a version is older than, as old as or newer than another. Build metadata does not matter.",
				func(order int) ref.Val { return types.Int(order) },
				Example{Expr: `semver('1.0.0+a').compareTo(semver('1.0.0+b'))`, Want: `0`}),
			semverNumber("major", func(v SemverValue) uint64 { return v.major }, `1`),
			semverNumber("minor", func(v SemverValue) uint64 { return v.minor }, `2`),
			semverNumber("patch", func(v SemverValue) uint64 { return v.patch }, `3`),
		},
	}
}

func semverComparison(name, id string, result *cel.Type, doc string, of func(order int) ref.Val, examples ...Example) Function {
	return Function{
		Name: name,
		Doc:  doc,
		Overloads: []Overload{{
			ID: id, Member: true, Args: args(SemverType, SemverType), Result: result,
			Impl: Binary(func(x, y SemverValue) (ref.Val, error) { return of(x.Compare(y)), nil }),
			Cost: cost.Fixed(1), Examples: examples,
		}},
	}
}

func semverNumber(name string, get func(SemverValue) uint64, example string) Function {
	return Function{
		Name: name,
		Doc:  "Returns the " + name + " version number.",
		Overloads: []Overload{{
			ID: "semver_" + name, Member: true, Args: args(SemverType), Result: cel.IntType,
			// A number that no int can hold wraps round, as in an API server.
			Impl:     Unary(func(v SemverValue) (types.Int, error) { return types.Int(get(v)), nil }),
			Cost:     cost.Fixed(1),
			Examples: []Example{{Expr: `semver('1.2.3').` + name + `()`, Want: example}},
		}},
	}
}

// SemverValue is the CEL value of a semantic version. The zero value is 0.0.0.
// The == of Go compares build metadata too, Equal and Compare do not.
type SemverValue struct {
	// As in an API server, it is no key of a map: the literal {semver('1.0.0'): 1}
	// ends its evaluation with an internal error.
	_ [0]func()

	major, minor, patch uint64
	// rest is what follows the numbers: prerelease and build metadata.
	rest string
}

func parseSemver(s types.String, normalize types.Bool) (SemverValue, error) {
	if normalize {
		return ParseSemverLoosely(string(s))
	}
	return ParseSemver(string(s))
}

// ParseSemver parses a semantic version. All its numbers, those of the
// prerelease included, must fit into 64 bits. The error is that of the CEL
// function semver, whose text comes from github.com/blang/semver/v4.
func ParseSemver(s string) (SemverValue, error) {
	if s == "" {
		return SemverValue{}, errors.New("Version string empty")
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 3 {
		return SemverValue{}, errors.New("No Major.Minor.Patch elements found")
	}
	patch, build, hasBuild := strings.Cut(parts[2], "+")
	patch, prerelease, hasPrerelease := strings.Cut(patch, "-")
	v := SemverValue{rest: parts[2][len(patch):]}
	var err error
	for _, n := range []struct {
		name, text string
		to         *uint64
	}{{"major", parts[0], &v.major}, {"minor", parts[1], &v.minor}, {"patch", patch, &v.patch}} {
		if *n.to, err = versionNumber(n.name, n.text); err != nil {
			return SemverValue{}, err
		}
	}
	if hasPrerelease {
		for _, id := range strings.Split(prerelease, ".") {
			if err := checkPrerelease(id); err != nil {
				return SemverValue{}, err
			}
		}
	}
	if hasBuild {
		for _, id := range strings.Split(build, ".") {
			switch {
			case id == "":
				return SemverValue{}, errors.New("Build meta data is empty")
			case !only(id, isIdentifier):
				return SemverValue{}, fmt.Errorf("Invalid character(s) found in build meta data %q", id)
			}
		}
	}
	return v, nil
}

// ParseSemverLoosely parses a version that may begin with a v, may have leading
// zeros in its numbers, and may lack patch, or minor and patch, if it has no
// prerelease and no build metadata. The error is that of the CEL function
// semver with normalization.
func ParseSemverLoosely(s string) (SemverValue, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, part := range parts {
		if len(part) < 2 {
			continue
		}
		// One zero stays if no digit follows the zeros. A part that has none gets
		// one too, as in "1.2.-rc".
		part = strings.TrimLeft(part, "0")
		if part == "" || !isDigit(rune(part[0])) {
			part = "0" + part
		}
		parts[i] = part
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return SemverValue{}, errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return ParseSemver(strings.Join(parts, "."))
}

func versionNumber(name, text string) (uint64, error) {
	if !only(text, isDigit) {
		return 0, fmt.Errorf("Invalid character(s) found in %s number %q", name, text)
	}
	if leadingZero(text) {
		return 0, fmt.Errorf("%s number must not contain leading zeroes %q", strings.ToUpper(name[:1])+name[1:], text)
	}
	return strconv.ParseUint(text, 10, 64)
}

func checkPrerelease(id string) error {
	switch {
	case id == "":
		return errors.New("Prerelease is empty")
	case only(id, isDigit):
		if leadingZero(id) {
			return fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", id)
		}
		_, err := strconv.ParseUint(id, 10, 64)
		return err
	case !only(id, isIdentifier):
		return fmt.Errorf("Invalid character(s) found in prerelease %q", id)
	}
	return nil
}

func leadingZero(digits string) bool { return len(digits) > 1 && digits[0] == '0' }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isIdentifier(r rune) bool {
	return isDigit(r) || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-'
}

func only(s string, is func(rune) bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !is(r) })
}

// String returns the version without a v.
func (v SemverValue) String() string {
	return fmt.Sprintf("%d.%d.%d%s", v.major, v.minor, v.patch, v.rest)
}

// Compare returns -1, 0 or 1 if v is older than, as old as or newer than o.
// Build metadata does not matter.
func (v SemverValue) Compare(o SemverValue) int {
	return cmp.Or(
		cmp.Compare(v.major, o.major),
		cmp.Compare(v.minor, o.minor),
		cmp.Compare(v.patch, o.patch),
		semver.Compare("v0.0.0"+v.rest, "v0.0.0"+o.rest),
	)
}

// ConvertToNative converts to a SemverValue or to a string.
func (v SemverValue) ConvertToNative(to reflect.Type) (any, error) {
	return native("Semver", to, v, v.String())
}

// ConvertToType converts to the semver type itself and to the type of types.
func (v SemverValue) ConvertToType(to ref.Type) ref.Val { return convert(v, SemverType, to) }

// Equal tells whether neither version is newer than the other.
func (v SemverValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(SemverValue)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(v.Compare(o) == 0)
}

// Type returns [SemverType].
func (v SemverValue) Type() ref.Type { return SemverType }

// Value returns the value itself.
func (v SemverValue) Value() any { return v }
