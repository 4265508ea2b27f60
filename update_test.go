package kubecel_test

import (
	"slices"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/release"
)

// The schemas of updates. In the first only a server of 1.31 knows the function for what is stored, and only
// one of 1.32 in what is new. The rule of the second is slightly too expensive.
const (
	namedFormats = `{type: object, properties: {a: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: "!format.dns1123Label().validate(self).hasValue()"}]}}}`
	tooExpensive = `{type: object, properties: {a: {type: array, maxItems: 1480, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`
)

// TestCheckUpdate holds which findings an update is forgiven, and from which release on.
func TestCheckUpdate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new string
		release  release.Release
		want     []diag.Code
	}{
		{"new function", "{type: object}", namedFormats, release.Minor(31), []diag.Code{diag.RuleInvalid}},
		{"stored function", namedFormats, namedFormats, release.Minor(31), nil},
		{"stored function in a server that does not know it", namedFormats, namedFormats, release.Minor(30), []diag.Code{diag.RuleInvalid}},
		{"unchanged cost", tooExpensive, tooExpensive, release.Newest(), nil},
		{"unchanged cost, first release", tooExpensive, tooExpensive, release.Minor(29), nil},
		{"unchanged cost, one release earlier", tooExpensive, tooExpensive, release.Minor(28), []diag.Code{diag.EstimateExceeded}},
		{"new cost", "{type: object}", tooExpensive, release.Newest(), []diag.Code{diag.EstimateExceeded}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var crds [2]*kubecel.CRD
			for i, schema := range []string{tt.old, tt.new} {
				var err error
				if crds[i], err = kubecel.ParseCRD(crdOf(schema)); err != nil {
					t.Fatal(err)
				}
			}
			findings, err := crds[1].CheckUpdate(crds[0], kubecel.ForRelease(tt.release))
			if err != nil {
				t.Fatal(err)
			}
			var got []diag.Code
			for _, f := range findings {
				got = append(got, f.Code)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v: %v", got, tt.want, findings)
			}
		})
	}
	crd, err := kubecel.ParseCRD(crdOf("{type: object}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, update := range []func() ([]kubecel.Finding, error){
		func() ([]kubecel.Finding, error) { return crd.CheckUpdate(nil) },
		func() ([]kubecel.Finding, error) { return (*kubecel.CRD)(nil).CheckUpdate(crd) },
		func() ([]kubecel.Finding, error) { return crd.CheckUpdate(crd, kubecel.ForRelease(release.Minor(1))) },
	} {
		if _, err := update(); code(err) == "" {
			t.Errorf("error %v", err)
		}
	}
}
