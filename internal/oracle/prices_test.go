package main

import (
	"testing"

	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/parity/ours"
	"github.com/kubecel/kubecel/release"
)

// TestGatewayPrices holds the estimates that every release gives the rules of the
// Gateway API, and what it refuses as too expensive there, against kubecel's.
func TestGatewayPrices(t *testing.T) {
	var further parity.Corpus
	for _, version := range gatewayReleases {
		crds, err := gatewayCRDs(version)
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
	err := parity.EachRelease(testdata, func(r release.Release, answers parity.Answers) error {
		report, err := parity.CompareRelease(r, answers, ours.NewRelease(r), nil, &further, &parity.Ledger{})
		if err != nil {
			return err
		}
		t.Log(report)
		for _, d := range report.Differences {
			t.Error(d)
		}
		if report.Rules < 1000 {
			t.Errorf("%v: only %d rules were compared", r, report.Rules)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
