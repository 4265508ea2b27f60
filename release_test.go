package kubecel_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/release"
)

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]string{
		"1.25": "1.25", "1.37": "1.37", "v1.31": "1.31", "1.31.4": "1.31", "v1.31.4-gke.100": "1.31", "v1.31.4+k3s1": "1.31", "1.30.0": "1.30",
	} {
		r, err := release.Parse(text)
		if err != nil || r.String() != want {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	for text, malformed := range map[string]bool{
		"1.24": false, "1.38": false, "2.31": false, "0.31": false, "v1.24.0": false, "1.99999999999999999999": false,
		"": true, "1": true, "1.": true, ".31": true, "one": true, "1.x": true, "1.31.": true, "1.31.x": true, "1.31-": true, "01.31": true, "1.031": true, " 1.31": true,
		"1.31 ": true, "-1.31": true, "vv1.31": true, "1.31.4.5": true, "\xff": true, "1.٣١": true,
	} {
		r, err := release.Parse(text)
		e, ok := errs.As[*release.Error](err)
		if !ok || !r.IsZero() || e.Malformed != malformed || e.Text != text || !strings.Contains(err.Error(), "1.37") {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

func FuzzParseRelease(f *testing.F) {
	for _, text := range []string{"1.31", "v1.31.4+k3s1", "1.", "1.99999999999999999999", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := release.Parse(text)
		if (err == nil) == r.IsZero() {
			t.Fatalf("%v, %v", r, err)
		}
		if again, _ := release.Parse(r.String()); again != r {
			t.Fatalf("%v is read as %v", r, again)
		}
	})
}

func TestReleases(t *testing.T) {
	releases := release.All()
	if len(releases) != 13 || releases[0].String() != "1.25" || releases[12] != release.Newest() || release.Newest().String() != "1.37" {
		t.Errorf("%v", releases)
	}
	if !slices.IsSortedFunc(releases, release.Release.Compare) || releases[0].Compare(releases[0]) != 0 || releases[1].Compare(releases[0]) != 1 {
		t.Error("they are not in order")
	}
	var read []release.Release
	text, err := json.Marshal(releases)
	if err != nil || json.Unmarshal(text, &read) != nil || !slices.Equal(read, releases) {
		t.Errorf("%s, %v", text, err)
	}
	if json.Unmarshal([]byte(`["1.24"]`), &read) == nil {
		t.Error("1.24 is read")
	}
}

func TestReleaseOptions(t *testing.T) {
	r30, r31 := ofMinor(30), ofMinor(31)
	for name, options := range map[string][]kubecel.EnvOption{
		"no release":         {kubecel.ForRelease(release.Release{})},
		"compatible with no": {kubecel.Compatibility(release.Release{})},
		"compatible with a newer": {
			kubecel.ForRelease(r30), kubecel.Compatibility(r31),
		},
		"stored and compatible": {kubecel.StoredExpressions(), kubecel.Compatibility(r31)},
	} {
		if _, err := kubecel.NewEnv(options...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, err := kubecel.NewEnv(kubecel.ForRelease(release.Release{}))
	if _, ok := errs.As[*release.Error](err); !ok {
		t.Errorf("%v is no *ReleaseError", err)
	}
	document := crdOf(withRule(`{rule: "isIP('::1')"}`))
	for name, err := range map[string]error{
		"Check": func() error { _, err := checkCRD(document, kubecel.ForRelease(release.Release{})); return err }(),
		"Compile": func() error {
			_, err := compileCRD(document, "", kubecel.ForRelease(release.Release{}))
			return err
		}(),
		"CompileSchema": func() error {
			_, err := compileSchema([]byte(`{"type": "object"}`), kubecel.Compatibility(release.Release{}))
			return err
		}(),
		"Capabilities": func() error { _, err := kubecel.Capabilities(release.Release{}); return err }(),
	} {
		if _, ok := errs.As[*release.Error](err); !ok || code(err) != diag.ReleaseUnknown {
			t.Errorf("%s: %v is no release error", name, err)
		}
	}
}

// TestCRDByRelease holds that a server accepts on write what the release before
// knows, and evaluates what it knows itself.
func TestCRDByRelease(t *testing.T) {
	document := crdOf(withRule(`{rule: "isIP('::1')"}`)) // of the environment 1.30
	for _, r := range release.All() {
		findings, err := checkCRD(document, kubecel.ForRelease(r))
		if err != nil || (len(findings) == 0) != (!r.Before(ofMinor(31))) {
			t.Errorf("written to %v: %v, %v", r, findings, err)
		}
		findings, err = checkCRD(document, kubecel.ForRelease(r), kubecel.Compatibility(r))
		if err != nil || (len(findings) == 0) != (!r.Before(ofMinor(30))) {
			t.Errorf("written to %v without a way back: %v, %v", r, findings, err)
		}
		rules, err := compileCRD(document, "", kubecel.ForRelease(r), nil)
		if err != nil || (rules.Rules()[0].Err == nil) != (!r.Before(ofMinor(30))) {
			t.Errorf("stored in %v: %v, %v", r, rules.Rules()[0].Err, err)
		}
	}
}

func TestCapabilities(t *testing.T) {
	written := func(minor int, id string) (known, written bool) {
		c, err := kubecel.Capabilities(ofMinor(minor))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Functions {
			for _, o := range f.Overloads {
				if o.ID == id {
					return true, o.Written
				}
			}
		}
		return false, false
	}
	for _, test := range []struct {
		minor          int
		id             string
		known, written bool
	}{
		{29, "string_to_ip", false, false}, {30, "string_to_ip", true, false}, {31, "string_to_ip", true, true},
		{32, "list_first", false, false}, {33, "list_first", true, true},
		{36, "int64_to_duration", true, true}, {37, "int64_to_duration", false, false},
		{25, "string_char_at_int", true, true}, {37, "string_char_at_int", true, true},
	} {
		if known, written := written(test.minor, test.id); known != test.known || written != test.written {
			t.Errorf("1.%d: %s: %t, %t", test.minor, test.id, known, written)
		}
	}
	c, err := kubecel.Capabilities(ofMinor(28))
	if err != nil {
		t.Fatal(err)
	}
	var macros []string
	for _, m := range c.Macros {
		macros = append(macros, m.Name)
	}
	if !slices.Equal(macros, []string{"optMap"}) || c.Macros[0].Written || c.Limits.RuleEstimate != 10_000_000 {
		t.Errorf("1.28: %v, %+v", macros, c.Limits)
	}
}

// BenchmarkAllReleases builds the environments of all releases with a library of
// the caller, which are not shared with others.
func BenchmarkAllReleases(b *testing.B) {
	for b.Loop() {
		for _, r := range release.All() {
			if _, err := kubecel.NewEnv(kubecel.ForRelease(r), kubecel.ExpressionSizeLimit(1000)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
