package main

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/parity/ours"
	kubecelrelease "github.com/kubecel/kubecel/release"
)

// TestGatewayPrices holds the estimates that every release gives the rules of the
// Gateway API, and what it refuses as too expensive there, against kubecel's.
func TestGatewayPrices(t *testing.T) {
	var further parity.Corpus
	for _, release := range gatewayReleases {
		crds, err := gatewayCRDs(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, crd := range crds {
			schemas, err := parity.SchemasOf(crd)
			if err != nil {
				t.Fatal(err)
			}
			further.CRDs = append(further.CRDs, crd)
			further.Schemas = append(further.Schemas, schemas...)
		}
	}
	answers := map[string]parity.Answers{}
	err := parity.EachRelease(testdata, func(release string, a parity.Answers) error {
		answers[release] = maps.Clone(a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := parity.ReadLedger(filepath.Join(testdata, "departures-releases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range parity.Releases() {
		report, err := parity.Prices(release, answers[release], ours.NewStored(kubecelrelease.MustParse(release)), &further, ledger)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(report)
		for _, d := range report.Differences {
			t.Error(d)
		}
		if report.Rules < 1000 {
			t.Errorf("%s: only %d rules were compared", release, report.Rules)
		}
	}
}
