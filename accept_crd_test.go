package kubecel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
	"github.com/kubecel/kubecel/diag"
	"github.com/kubecel/kubecel/internal/errs"
	"github.com/kubecel/kubecel/release"
)

func ownCRD(t testing.TB) []byte {
	t.Helper()
	document, err := os.ReadFile("examples/releases/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestCRDAcceptedBy holds the lowest release of each rule of the example, which
// is that of the specification for the feature that the rule is about.
func TestCRDAcceptedBy(t *testing.T) {
	a, err := crdAcceptedBy(ownCRD(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"startsWith": 25, "self.share": 29, "self.?share": 29, "quantity": 30 /* format in its message */, "sets.contains": 30, "cidr": 31, "dns1123Label": 32,
		"self.namespace": 32, "port > 1024": 33, "transformMap": 33, "semver": 34, "sort()": 35, "includes": 38,
	}
	if len(a.Rules) != len(want) {
		t.Fatalf("%d rules, want %d", len(a.Rules), len(want))
	}
	for _, rule := range a.Rules {
		minor := 0
		for part, m := range want {
			if strings.Contains(rule.Rule, part) {
				minor = m
				delete(want, part)
				break
			}
		}
		if lowest, ok := rule.Lowest(); lowest != ofMinor(minor) || ok != !ofMinor(minor).IsZero() {
			t.Errorf("%s: %v, want 1.%d", rule.Rule, lowest, minor)
		}
		explained(t, rule.Rule, &rule.Acceptance)
		if !strings.HasPrefix(rule.Path, "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[") {
			t.Errorf("%s: path %s", rule.Rule, rule.Path)
		}
		for _, v := range rule.Verdicts {
			if (v.Total == 0) != (v.Estimate == cost.Range{}) || v.Err == nil && v.Total == 0 {
				t.Errorf("%s: Kubernetes %v: estimate %v, total %d", rule.Rule, v.Release, v.Estimate, v.Total)
			}
		}
	}
	if len(a.Releases()) != 0 || len(a.Verdicts) != len(release.All()) {
		t.Errorf("the CRD: %v", a.Releases())
	}
	// The verdicts are those of CRD.Check.
	for _, v := range a.Verdicts {
		findings, err := checkCRD(ownCRD(t), kubecel.ForRelease(v.Release))
		if err != nil {
			t.Fatal(err)
		}
		rejected := 0
		for _, rule := range a.Rules {
			if !rule.Accepted(v.Release) {
				rejected++
			}
		}
		if len(findings) != rejected || v.Err == nil {
			t.Errorf("Kubernetes %v: %d findings, %d rules", v.Release, len(findings), rejected)
		}
		if _, ok := errs.As[kubecel.Finding](v.Err); !ok {
			t.Errorf("Kubernetes %v: %v", v.Release, v.Err)
		}
	}
}

// TestCRDRejectedForCost holds that a release that rejects a rule for its cost
// says so, with the estimate.
func TestCRDRejectedForCost(t *testing.T) {
	a, err := crdAcceptedBy(crdOf(`{type: object, properties: {names: {type: array, items: {type: string}}}, ` +
		`x-kubernetes-validations: [{rule: "self.names.all(x, self.names.all(y, x == y || cidr(x) == cidr(y)))"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rule := a.Rules[0]
	if len(rule.Releases()) != 0 || len(rule.Requirements) != 2 || len(rule.Deciding()) != 0 {
		t.Errorf("%v, %v, %v", rule.Releases(), rule.Requirements, rule.Deciding())
	}
	for _, v := range rule.Verdicts {
		finding, ok := errs.As[kubecel.Finding](v.Err)
		newer := !v.Release.Before(ofMinor(31))
		if !ok || newer != (finding.Code == diag.EstimateExceeded) || newer != (v.Total > cost.EstimateLimit) {
			t.Errorf("Kubernetes %v: %v, total %d", v.Release, v.Err, v.Total)
		}
		if newer && !strings.Contains(finding.Message, "estimated rule cost exceeds budget by factor of") {
			t.Errorf("Kubernetes %v: %s", v.Release, finding.Message)
		}
	}
}

func TestCRDOptionalOldSelfByRelease(t *testing.T) {
	document := crdOf(`{type: object, properties: {count: {type: integer}}, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || oldSelf.value().count < 1.5", optionalOldSelf: true}]}`)
	a, err := crdAcceptedBy(document)
	if err != nil {
		t.Fatal(err)
	}
	rule := a.Rules[0]
	if lowest, _ := rule.Lowest(); lowest != ofMinor(30) || rule.Requirements[0].String() != "optionalOldSelf: Kubernetes 1.30" || len(rule.Deciding()) != 1 {
		t.Errorf("%v, %v", lowest, rule.Requirements)
	}
	explained(t, rule.Rule, &rule.Acceptance)
}

func TestCRDAcceptedByOfOtherThings(t *testing.T) {
	for _, document := range []string{"", "{", "kind: Pod", "\xff", string(crdOf(`{type: object, x-kubernetes-validations: [{rule: ""}]}`)), string(crdOf(`{type: array}`))} {
		a, err := crdAcceptedBy([]byte(document))
		if err == nil {
			if len(a.Releases()) != 0 {
				t.Errorf("%q: %v", document, a.Releases())
			}
			continue
		}
		if _, ok := errs.As[*kubecel.InputError](err); !ok {
			t.Errorf("%q: %v", document, err)
		}
	}
}

// BenchmarkAcceptedByHTTPRoute asks of the 77 rules of the HTTPRoute CRD of the
// Gateway API, if the module is in the module cache.
func BenchmarkAcceptedByHTTPRoute(b *testing.B) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		b.Skip("no go command: ", err)
	}
	file := filepath.Join(strings.TrimSpace(string(cache)), "sigs.k8s.io", "gateway-api@v1.4.1", "config", "crd", "standard", "gateway.networking.k8s.io_httproutes.yaml")
	document, err := os.ReadFile(file)
	if err != nil {
		b.Skip("make demo downloads the module: ", err)
	}
	for b.Loop() {
		a, err := crdAcceptedBy(document)
		if err != nil || len(a.Rules) != 77 || len(a.Releases()) != 13 {
			b.Fatal(err, len(a.Rules), a.Releases())
		}
	}
}
