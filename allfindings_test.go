package kubecel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubecel/kubecel"
)

// TestAllFindings holds what a server says later, and that it says the rest without the option.
func TestAllFindings(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"nothing": {"{type: object, x-kubernetes-validations: [{rule: 'true'}]}", ""},
		"rules of a schema that is not structural": {
			"{type: object, properties: {a: {}, b: {type: integer, x-kubernetes-validations: [{rule: self.x}]}}, x-kubernetes-validations: [{rule: self.y}]}",
			"NotStructural; later RuleInvalid; later RuleInvalid",
		},
		"rules above what is wrong": {
			"{type: object, properties: {a: {type: thing}, b: {type: integer, x-kubernetes-validations: [{rule: self.x}]}}, x-kubernetes-validations: [{rule: self.y}]}",
			"SchemaInvalid; RuleInvalid; later RuleInvalid",
		},
		"messages of rules that do not compile": {
			"{type: object, x-kubernetes-validations: [{rule: self.x, messageExpression: self.y}, {rule: \"'a'\", messageExpression: '1'}]}",
			"RuleInvalid; later MessageExpressionInvalid; RuleNotBool; later MessageExpressionNotString",
		},
		"a total": {
			"{type: object, maxItems: 1, x-kubernetes-list-type: map, properties: {a: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: 'self.a.all(x, self.a.all(y, x == y))'}]}",
			"SchemaInvalid; SchemaInvalid; SchemaInvalid; later EstimateExceeded; later SchemaEstimateExceeded; later SchemaEstimateExceeded",
		},
		"a schema without a type": {
			"{type: object, properties: {a: {x-kubernetes-validations: [{rule: self.x}]}, b: {type: array, items: [{type: string}]}}, x-kubernetes-validations: [{rule: self.y}]}",
			"SchemaInvalid",
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := checkCRD(crdOf(tt.schema), kubecel.AllFindings())
			if err != nil {
				t.Fatal(err)
			}
			var got, now []string
			for _, f := range all {
				if !f.Later {
					now = append(now, f.Error())
				}
				got = append(got, strings.TrimPrefix(fmt.Sprintf("%t %s", f.Later, f.Code), "false "))
			}
			if text := strings.ReplaceAll(strings.Join(got, "; "), "true ", "later "); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
			findings, err := checkCRD(crdOf(tt.schema))
			var without []string
			for _, f := range findings {
				without = append(without, f.Error())
			}
			if err != nil || !slices.Equal(without, now) {
				t.Errorf("without the option %v, %v", without, err)
			}
			crd, err := kubecel.ParseCRD(crdOf(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			if update, err := crd.CheckUpdate(crd, kubecel.AllFindings()); err != nil || len(update) > len(all) {
				t.Errorf("update: %v, %v", update, err)
			}
		})
	}
}
