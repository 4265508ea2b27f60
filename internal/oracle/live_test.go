package main

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kubecel/kubecel/internal/oracle/reference"
	"github.com/kubecel/kubecel/internal/parity"
	"github.com/kubecel/kubecel/internal/parity/ours"
)

// TestLive asks the reference and kubecel the whole corpus and every CRD of the
// Gateway API. The ledger must explain every difference, and every entry of
// it must be needed.
func TestLive(t *testing.T) {
	ledger, err := parity.ReadLedger(filepath.Join(testdata, "departures.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	r := parity.Compare(reference.New(reference.Versioned), ours.New(), corpus, ledger)
	t.Logf("corpus: %s", r)
	asked := &remembering{Reference: reference.New(reference.Versioned)}
	asked.Runs = 1
	actual := ours.New()
	for _, release := range gatewayReleases {
		golden, err := readGateway(release)
		if err != nil {
			t.Fatal(err)
		}
		crds, err := gatewayCRDs(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, crd := range crds {
			r.CRD(asked, actual, crd, ledger)
			schemas, err := gatewaySchemas(crd)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range schemas {
				r.Schema(asked, actual, s, ledger)
				if now := summarise(s.Name, asked.last); !reflect.DeepEqual(now, golden[s.Name]) {
					t.Errorf("%s: the reference no longer answers as recorded", s.Name)
				}
				delete(golden, s.Name)
			}
		}
		for name := range golden {
			t.Errorf("%s: recorded but not compared", name)
		}
	}
	r.Check(t, ledger)
}

// remembering keeps the last outcome, so that one run serves the comparison
// with kubecel and with the golden.
type remembering struct {
	*reference.Reference
	last parity.SchemaOutcome
}

func (r *remembering) Schema(c parity.SchemaCase) parity.SchemaOutcome {
	r.last = r.Reference.Schema(c)
	return r.last
}

// TestGoldens holds the goldens against the reference, without kubecel.
func TestGoldens(t *testing.T) {
	parity.Replay(t, testdata, reference.New(reference.Versioned), false)
}

// TestSizes holds the size estimator of expressions against the one that the
// server uses for rules and does not export.
func TestSizes(t *testing.T) {
	corpus, err := parity.LoadCorpus(testdata)
	if err != nil {
		t.Fatal(err)
	}
	r, compared := reference.New(reference.Versioned), 0
	for _, s := range corpus.Schemas {
		if len(s.Objects) == 0 {
			continue
		}
		rules, ok := s.Schema["x-kubernetes-validations"].([]any)
		if !ok {
			continue
		}
		env := &parity.Environment{Name: s.Name, Self: &s}
		outcome := r.Schema(parity.SchemaCase{Name: s.Name, Schema: s.Schema, Root: s.Root})
		for _, o := range outcome.Rules {
			if o.Path != "" || o.Error != "" {
				continue
			}
			rule := rules[o.Index].(map[string]any)
			if rule["optionalOldSelf"] == true || o.MaxCost == 0 {
				continue
			}
			compared++
			if e := r.Expression(parity.ExprCase{Env: env, Expr: rule["rule"].(string)}); e.Estimate[1] != o.MaxCost {
				t.Errorf("%s: %s: estimated %d as an expression, %d as a rule", s.Name, rule["rule"], e.Estimate[1], o.MaxCost)
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d rules compared", compared)
	}
}
