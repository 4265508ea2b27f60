package library

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"golang.org/x/mod/semver"

	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/release"
)

// SemverType is the CEL type of semantic versions. Its values are made by
// [ParseSemver].
func SemverType() *cel.Type { return semverClass.typ }

// semverLibrary is the library of semantic versions (semver.org 2.0.0).
func semverLibrary() Library {
	typ := semverClass.typ
	return Library{
		Name:  "kubernetes.Semver",
		Doc:   "Parses and compares semantic versions.",
		since: release.Minor(33),
		Types: []Type{{CEL: typ, Doc: "A semantic version.", EqualCost: cost.Fixed(1), equalSince: equalSince()}},
		Functions: []Function{
			function("semver", "Parses a semantic version. If it is to be normalized, it may begin with a v, lack minor and patch, and have leading zeros.",
				global("string_to_semver", args(cel.StringType), typ, cost.Scan(cost.Arg(0))).by(parser(parseSemver),
					Example{Expr: `semver('1.2.3-rc.1+build').minor()`, Want: `2`},
					Example{Expr: `semver('v1.2.3')`, Err: `Invalid character(s) found in major number "v1"`},
					Example{Expr: `semver('1.2')`, Err: "No Major.Minor.Patch elements found"}),
				global("string_bool_to_semver", args(cel.StringType, cel.BoolType), typ, cost.Scan(cost.Arg(0))).by(
					Binary(normalizeSemver),
					Example{Expr: `semver('v1.02', true) == semver('1.2.0')`, Want: `true`},
					Example{Expr: `semver('1.2-rc', true)`, Err: "short version cannot contain PreRelease/Build meta data"})),
			function("isSemver", "Tells whether a string is a semantic version that `semver` accepts.",
				global("is_semver_string", args(cel.StringType), cel.BoolType, cost.Scan(cost.Arg(0))).by(accepts(parseSemver),
					Example{Expr: `isSemver('1.0.0')`, Want: `true`},
					Example{Expr: `isSemver('01.0.0')`, Want: `false`}),
				global("is_semver_string_bool", args(cel.StringType, cel.BoolType), cel.BoolType, cost.Scan(cost.Arg(0))).by(
					Binary(func(s types.String, normalize types.Bool) (types.Bool, error) {
						_, err := normalizeSemver(s, normalize)
						return err == nil, nil
					}),
					Example{Expr: `isSemver('v01.0', true)`, Want: `true`},
					Example{Expr: `isSemver('v01.0', false)`, Want: `false`})),
			method("isGreaterThan", "Tells whether a version is newer than another.",
				"semver_is_greater_than", args(typ, typ), cel.BoolType, comparer(semverData.compare, greater),
				Example{Expr: `semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))`, Want: `true`}),
			method("isLessThan", "Tells whether a version is older than another.",
				"semver_is_less_than", args(typ, typ), cel.BoolType, comparer(semverData.compare, less),
				Example{Expr: `semver('1.9.0').isLessThan(semver('1.10.0'))`, Want: `true`}),
			method("compareTo", "Returns -1, 0 or 1 if a version is older than, as old as or newer than another. Build metadata does not matter.",
				"semver_compare_to", args(typ, typ), cel.IntType, comparer(semverData.compare, ordering),
				Example{Expr: `semver('1.0.0+a').compareTo(semver('1.0.0+b'))`, Want: `0`}),
			semverNumber("major", func(v semverData) uint64 { return v.major }, `1`),
			semverNumber("minor", func(v semverData) uint64 { return v.minor }, `2`),
			semverNumber("patch", func(v semverData) uint64 { return v.patch }, `3`),
		},
	}
}

func semverNumber(name string, get func(semverData) uint64, example string) Function {
	return method(name, "Returns the "+name+" version number.",
		"semver_"+name, args(semverClass.typ), cel.IntType, reader(func(v semverData) types.Int { return types.Int(get(v)) }),
		Example{Expr: `semver('1.2.3').` + name + `()`, Want: example})
}

// semverData is a semantic version. The zero value is 0.0.0.
type semverData struct {
	// As in an API server, it is no key of a map: the literal {semver('1.0.0'): 1}
	// ends its evaluation with an internal error.
	_ [0]func()

	major, minor, patch uint64
	// rest is what follows the numbers: prerelease and build metadata.
	rest string
}

type semverValue = object[semverData]

var semverClass = class[semverData]{
	typ: cel.ObjectType("kubernetes.Semver"), name: "Semver",
	text:  semverData.String,
	equal: func(x, y semverData) (bool, bool) { return x.compare(y) == 0, true },
}

func (semverData) class() *class[semverData] { return &semverClass }

// String returns the version without a v.
func (v semverData) String() string {
	return fmt.Sprintf("%d.%d.%d%s", v.major, v.minor, v.patch, v.rest)
}

// compare returns -1, 0 or 1 if v is older than, as old as or newer than o. Build
// metadata does not matter.
func (v semverData) compare(o semverData) int {
	return cmp.Or(
		cmp.Compare(v.major, o.major),
		cmp.Compare(v.minor, o.minor),
		cmp.Compare(v.patch, o.patch),
		semver.Compare("v0.0.0"+v.rest, "v0.0.0"+o.rest),
	)
}

// ParseSemver returns the CEL value of a semantic version, as the CEL function
// semver does. ConvertToNative converts it to a Go string.
func ParseSemver(s string) (ref.Val, error) {
	v, err := parseSemver(s)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func normalizeSemver(s types.String, normalize types.Bool) (semverValue, error) {
	if normalize {
		return parseSemverLoosely(string(s))
	}
	return parseSemver(string(s))
}

// parseSemver parses a semantic version. All its numbers, those of the prerelease
// included, must fit into 64 bits. The texts of its errors are those of
// github.com/blang/semver/v4.
func parseSemver(s string) (semverValue, error) {
	if s == "" {
		return semverValue{}, errors.New("Version string empty")
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 3 {
		return semverValue{}, errors.New("No Major.Minor.Patch elements found")
	}
	patch, build, hasBuild := strings.Cut(parts[2], "+")
	patch, prerelease, hasPrerelease := strings.Cut(patch, "-")
	v := semverData{rest: parts[2][len(patch):]}
	var err error
	for _, n := range []struct {
		name, text string
		to         *uint64
	}{{"major", parts[0], &v.major}, {"minor", parts[1], &v.minor}, {"patch", patch, &v.patch}} {
		if *n.to, err = versionNumber(n.name, n.text); err != nil {
			return semverValue{}, err
		}
	}
	if hasPrerelease {
		err = checkIdentifiers("Prerelease", prerelease, true)
	}
	if hasBuild && err == nil {
		err = checkIdentifiers("Build meta data", build, false)
	}
	return semverValue{v}, err
}

// parseSemverLoosely parses a version that may begin with a v, may have leading
// zeros in its numbers, and may lack patch, or minor and patch, if it has no
// prerelease and no build metadata.
func parseSemverLoosely(s string) (semverValue, error) {
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
		return semverValue{}, errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return parseSemver(strings.Join(parts, "."))
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

// checkIdentifiers checks the identifiers of a prerelease or of build metadata, of
// which only those of a prerelease can be numbers.
func checkIdentifiers(name, list string, numbers bool) error {
	for id := range strings.SplitSeq(list, ".") {
		switch {
		case id == "":
			return errors.New(name + " is empty")
		case !only(id, isIdentifier):
			return fmt.Errorf("Invalid character(s) found in %s %q", strings.ToLower(name), id)
		case !numbers || !only(id, isDigit):
			continue
		case leadingZero(id):
			return fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", id)
		}
		if _, err := strconv.ParseUint(id, 10, 64); err != nil {
			return err
		}
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
