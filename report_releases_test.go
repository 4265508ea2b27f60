package kubecel_test

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/release"
)

// TestReportReleases holds the verdicts of a report against those of the query
// which releases accept the CRD.
func TestReportReleases(t *testing.T) {
	for _, schema := range []string{
		"{type: object, properties: {net: {type: string, maxLength: 50, x-kubernetes-validations: [{rule: 'isCIDR(self)'}]}}}",
		"{type: object, properties: {names: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: 'self.all(a, self.all(b, a == b))'}]}}}",
		"{type: object, properties: {n: {type: integer, x-kubernetes-validations: [{rule: 'self > 0'}]}}}",
	} {
		document := crdOf(schema)
		report, err := reportCRD(document, "", kubecel.EveryRelease())
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := crdAcceptedBy(document)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Releases) != len(release.All()) {
			t.Fatalf("%d releases, want %d", len(report.Releases), len(release.All()))
		}
		for i, verdict := range accepted.Verdicts {
			r := report.Releases[i]
			if r.Release != verdict.Release || r.Accepted != (verdict.Err == nil) {
				t.Errorf("%s: %s accepted %v, want %v %v", schema, r.Release, r.Accepted, verdict.Release, verdict.Err == nil)
			}
			if r.Accepted == (len(r.Findings) > 0) {
				t.Errorf("%s: accepted %v with %d findings", r.Release, r.Accepted, len(r.Findings))
			}
		}
		newest := report.Releases[len(report.Releases)-1]
		if newest.Total != report.Total || newest.Accepted != report.Accepted {
			t.Errorf("%s: total %d at the newest release, want %d", schema, newest.Total, report.Total)
		}
		if text := report.Text(0, 0); !strings.Contains(text, "Kubernetes 1.25 ") {
			t.Errorf("the text does not tell the releases:\n%s", text)
		}
	}
	without, err := reportCRD(crdOf("{type: object}"), "")
	if err != nil || len(without.Releases) > 0 {
		t.Errorf("releases that were not asked for: %v, %v", without.Releases, err)
	}
}
