package kubecel_test

import (
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
	"github.com/kubecel/kubecel/cost"
)

const pricedCRD = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com},
spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList},
versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,
properties: {
  metadata: {type: object, properties: {name: {type: string, maxLength: 10}}},
  spec: {type: object, properties: {
    short: {type: string, maxLength: 10}, long: {type: string}, choice: {type: string, enum: [one, another]},
    many: {type: array, items: {type: string}}, dt: {type: string, format: date-time},
    iosMax: {x-kubernetes-int-or-string: true, maxLength: 5}},
    x-kubernetes-validations: [SPEC]}},
x-kubernetes-validations: [ROOT]}}}]}}`

// pricedRules are rules whose estimate some release changed, with the estimates
// that the API servers give from a release on.
var pricedRules = []struct {
	root      bool
	rule      string
	estimates map[int]cost.Range
}{
	// The global form had no price of its own.
	{false, `matches(self.long, 'abc')`, map[int]cost.Range{25: {Min: 3, Max: 3}, 37: {Min: 3, Max: 314575}}},
	// The member form always had.
	{false, `self.long.matches('abc')`, map[int]cost.Range{25: {Min: 3, Max: 314575}}},
	// An object's name was as long as a request.
	{true, `self.metadata.name.startsWith(self.metadata.generateName)`, map[int]cost.Range{25: {Min: 6, Max: 314579}, 37: {Min: 6, Max: 107}}},
	// maxLength of what may be an integer did not count.
	{false, `dyn(self.dt) == dyn(self.iosMax)`, map[int]cost.Range{25: {Min: 7, Max: 1844674407370955270}, 33: {Min: 7, Max: 10}, 34: {Min: 7, Max: 8}}},
	// dyn() hid the size; and 1.28 converted the largest number otherwise.
	{false, `'a' in dyn(self.many)`, map[int]cost.Range{25: {Min: 3, Max: 9223372036854775811}, 29: {Min: 3, Max: 18446744073709551615}, 33: {Min: 3, Max: 1048578}}},
	// A quantity cost nothing to parse (1.29 is the first that accepts it).
	{false, `isQuantity(self.short)`, map[int]cost.Range{25: {}, 29: {Min: 3, Max: 3}, 30: {Min: 2, Max: 6}}},
	// An enum did not bound a string.
	{false, `self.choice == self.long`, map[int]cost.Range{25: {Min: 5, Max: 314577}, 29: {Min: 5, Max: 5}}},
}

// TestPricesByRelease holds the estimates in the verdicts of every release against
// those that its API server gives.
func TestPricesByRelease(t *testing.T) {
	for _, test := range pricedRules {
		rule := `{rule: "` + test.rule + `"}`
		document := strings.ReplaceAll(pricedCRD, "SPEC", rule)
		if test.root {
			document = strings.ReplaceAll(pricedCRD, "ROOT", rule)
		}
		document = strings.NewReplacer("SPEC", "", "ROOT", "").Replace(document)
		a, err := crdAcceptedBy([]byte(document))
		if err != nil || len(a.Rules) != 1 {
			t.Fatalf("%s: %v, %v", test.rule, a, err)
		}
		want := cost.Range{}
		for i, v := range a.Rules[0].Verdicts {
			if now, ok := test.estimates[25+i]; ok {
				want = now
			}
			if v.Estimate != want {
				t.Errorf("%s: Kubernetes %v estimates %v, want %v", test.rule, v.Release, v.Estimate, want)
			}
			found, err := checkCRD([]byte(document), kubecel.ForRelease(v.Release))
			if err != nil {
				t.Fatal(err)
			}
			report, err := reportCRD([]byte(document), "v1", kubecel.ForRelease(v.Release))
			if err != nil || len(report.Expressions) != 1 || cost.Range(report.Expressions[0].Estimate) != want {
				t.Errorf("%s: Kubernetes %v reports %+v, %v, want %v", test.rule, v.Release, report, err, want)
			}
			expensive := want.Max > cost.EstimateLimit
			if compiles := want != (cost.Range{}); compiles && expensive == (len(found) == 0) {
				t.Errorf("%s: Kubernetes %v finds %v", test.rule, v.Release, found)
			}
		}
	}
}
